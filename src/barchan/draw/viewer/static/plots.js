// The observables over time, with a cursor at the time that is shown.

const INK = "#3b4654", MUTED = "#5b6570", CURVE = "#c0563b", GRID = "#e6e8eb";

// A number in a few letters.
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size && (size < 1e-3 || size >= 1e5)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

// Round numbers between two ends.
function ticks(low, high, most) {
  const wish = (high - low) / most || 1, decade = 10 ** Math.floor(Math.log10(wish));
  const step = [1, 2, 5, 10].map((m) => m * decade).find((one) => one >= wish);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) found.push(Math.abs(t) < 1e-12 * step ? 0 : t);
  return found;
}

export class Plots {
  constructor(holder, about, seek) {
    this.holder = holder;
    this.seek = seek;
    this.panels = [];
    this.update(about);
    for (let k = 0; k < Math.min(4, this.series.length); k++) this.add(this.series[k].name);
    if (!this.series.length) holder.textContent = "nothing was measured";
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  update(about) {
    this.times = about.sample_times;
    this.series = about.series;
    this.end = Math.max(about.times[about.times.length - 1] || 0, this.times[this.times.length - 1] || 0, 1e-12);
    this.draw();
  }

  add(name) {
    const box = document.createElement("div"), choice = document.createElement("select"), canvas = document.createElement("canvas");
    box.className = "plot";
    choice.setAttribute("aria-label", "observable");
    for (const one of this.series) {
      const option = new Option(one.name.replaceAll("_", " ") + (one.unit ? ` (${one.unit})` : ""), one.name);
      choice.append(option);
    }
    choice.value = name;
    const panel = { choice, canvas };
    choice.addEventListener("change", () => this.draw());
    const go = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const frame = panel.frame, x = event.offsetX;
      if (frame) this.seek(((x - frame.left) / (frame.right - frame.left)) * this.end);
    };
    canvas.addEventListener("pointerdown", go);
    canvas.addEventListener("pointermove", go);
    box.append(choice, canvas);
    this.holder.append(box);
    this.panels.push(panel);
    this.draw();
  }

  cursor(time) {
    this.now = time;
    this.draw();
  }

  draw() {
    for (const panel of this.panels || []) {
      const one = this.series.find((s) => s.name === panel.choice.value);
      if (one) this.drawOne(panel, one.values);
    }
  }

  drawOne(panel, values) {
    const { canvas } = panel, ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const sound = values.filter((v) => v !== null);
    let low = Math.min(0, ...sound.slice(0, 1)), high = low;
    for (const v of sound) { low = Math.min(low, v); high = Math.max(high, v); }
    if (high <= low) high = low + 1;
    const frame = (panel.frame = { left: 46, right: width - 8, top: 6, bottom: height - 18 });
    const x = (t) => frame.left + (t / this.end) * (frame.right - frame.left);
    const y = (v) => frame.bottom - ((v - low) / (high - low)) * (frame.bottom - frame.top);
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = MUTED;
    pen.lineWidth = 1;
    pen.strokeStyle = GRID;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const t of ticks(low, high, 4)) {
      pen.beginPath(); pen.moveTo(frame.left, y(t)); pen.lineTo(frame.right, y(t)); pen.stroke();
      pen.fillText(short(t), frame.left - 4, y(t));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const marks = ticks(0, this.end, 4);
    marks.forEach((t, k) => pen.fillText(short(t) + (k === marks.length - 1 ? " s" : ""), Math.min(x(t), frame.right - 8), frame.bottom + 4));
    pen.strokeStyle = CURVE;
    pen.lineWidth = 1.5;
    pen.beginPath();
    let down = false;
    values.forEach((v, k) => {
      if (v === null) { down = false; return; }
      if (down) pen.lineTo(x(this.times[k]), y(v)); else pen.moveTo(x(this.times[k]), y(v));
      down = true;
    });
    pen.stroke();
    if (this.now === undefined) return;
    pen.strokeStyle = INK;
    pen.lineWidth = 1;
    pen.beginPath(); pen.moveTo(x(this.now), frame.top); pen.lineTo(x(this.now), frame.bottom); pen.stroke();
    let near = 0;
    while (near + 1 < this.times.length && this.times[near + 1] <= this.now + 1e-12) near++;
    pen.fillStyle = INK;
    pen.textAlign = x(this.now) > (frame.left + frame.right) / 2 ? "right" : "left";
    pen.fillText(short(values[near]), x(this.now) + (pen.textAlign === "right" ? -4 : 4), frame.top);
  }
}
