// The observables over time, with a cursor at the time that is shown.

const INK = "#3b4654", MUTED = "#5b6570", CURVE = "#c0563b", GRID = "#e6e8eb";

// A number in a few letters.
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size && (size < 1e-3 || size >= 1e5)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

// What numbers are called that are told in this unit.
export const titled = (name, unit) => (unit ? `${name} (${unit})` : name);

// Round numbers between two ends.
function ticks(low, high, most) {
  const wish = (high - low) / most || 1, decade = 10 ** Math.floor(Math.log10(wish));
  const step = [1, 2, 5, 10].map((m) => m * decade).find((one) => one >= wish * (1 - 1e-9));
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) found.push(Math.abs(t) < 1e-12 * step ? 0 : t);
  return found;
}

export class Plots {
  constructor(holder, about, seek) {
    this.holder = holder;
    this.seek = seek;
    this.panels = [];
    this.none = document.createTextNode("nothing was measured");
    holder.append(this.none);
    this.update(about);
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  update(about) {
    this.times = about.sample_times;
    this.series = about.series;
    this.clock = about.clock;
    for (let k = this.panels.length; k < Math.min(4, this.series.length); k++) this.add();
    if (this.series.length) this.none.remove();
    for (const { choice } of this.panels) this.offer(choice);
    this.end = Math.max(about.times[about.times.length - 1] || 0, this.times[this.times.length - 1] || 0) || 1;
    this.draw();
  }

  // All there is to choose from, which a run that goes on may add to; what was chosen stays.
  offer(choice) {
    const options = this.series.map((one) => new Option(titled(one.name.replaceAll("_", " "), one.told[1]), one.name));
    const texts = (list) => [...list].map((one) => one.text).join();
    if (texts(options) === texts(choice.options)) return; // a list that is open stays open
    const taken = this.panels.map((panel) => panel.choice.value);
    const chosen = choice.value || this.series.map((one) => one.name).find((name) => !taken.includes(name));
    choice.replaceChildren(...options);
    choice.value = chosen;
  }

  add() {
    const box = document.createElement("div"), choice = document.createElement("select"), canvas = document.createElement("canvas");
    box.className = "plot";
    choice.setAttribute("aria-label", "observable");
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
    this.offer(choice);
  }

  cursor(time) {
    this.now = time;
    this.draw();
  }

  draw() {
    for (const panel of this.panels || []) {
      const one = this.series.find((s) => s.name === panel.choice.value);
      if (one) this.drawOne(panel, one.values, one.told[0]);
    }
  }

  // Axes are in the units told: `factor` makes values into what is written beside them.
  drawOne(panel, values, factor) {
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
    for (const t of ticks(factor * low, factor * high, 4)) {
      const level = y(t / factor);
      pen.beginPath(); pen.moveTo(frame.left, level); pen.lineTo(frame.right, level); pen.stroke();
      pen.fillText(short(t), frame.left - 4, level);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const [pace, unit] = this.clock, marks = ticks(0, pace * this.end, 4);
    marks.forEach((t, k) => {
      const text = short(t) + (k === marks.length - 1 ? ` ${unit}` : ""), room = width - 1 - pen.measureText(text).width / 2;
      pen.fillText(text, Math.min(x(t / pace), room), frame.bottom + 4);
    });
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
    while (near + 1 < this.times.length && this.times[near + 1] <= this.now + 1e-9 * this.end) near++;
    const before = x(this.now) > (frame.left + frame.right) / 2, text = short(values[near] === null ? null : factor * values[near]);
    const wide = pen.measureText(text).width, left = x(this.now) + (before ? -4 - wide : 4);
    pen.fillStyle = "#ffffffd0"; // to be read over the curve
    pen.fillRect(left - 2, frame.top - 1, wide + 4, 12);
    pen.fillStyle = INK;
    pen.textAlign = "left";
    pen.fillText(text, left, frame.top);
  }
}
