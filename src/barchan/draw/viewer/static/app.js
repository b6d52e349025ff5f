// The page: buttons, slider, keys, and what they do to the stage.
import { Plots, short, titled } from "barchan/plots.js";
import { source } from "barchan/sources.js";
import { Stage } from "barchan/stage.js";

const find = (name) => document.getElementById(name);
const state = { index: 0, field: "group", hidden: new Set(), chains: false, walls: true, playing: false, chosen: null, shown: -1 };
const ranges = {};
let about, stage, plots, frames, showing = Promise.resolve();

// What a test or a console may ask.
window.barchan = { state, ready: false, errors: [], draws: 0 };

function complain(problem) {
  const text = problem && problem.message ? problem.message : String(problem);
  window.barchan.errors.push(text);
  find("message").textContent = text;
  find("message").hidden = false;
}
window.addEventListener("error", (event) => complain(event.error || event.message));
window.addEventListener("unhandledrejection", (event) => complain(event.reason));

const fieldOf = (key) => about.fields.find((one) => one.key === key);
const valuesOf = (moment) => (state.field === "group" ? null : moment[`field:${state.field}`]);

// Show the frame that is wanted; calls that come meanwhile are answered by one more round.
function refresh() {
  window.barchan.settled = false;
  showing = showing.then(showNow).catch(complain);
  return showing;
}

async function showNow() {
  const { index, field, chains } = state;
  const [moment, steady] = await frames.moment(index, field === "group" ? "" : field, chains);
  if (index !== state.index || field !== state.field || chains !== state.chains) return; // another was asked for since
  stage.paintBy(fieldOf(field), ranges[field] || fieldOf(field).range || [0, 1]);
  stage.show(moment, steady, valuesOf(moment), state);
  state.shown = index;
  find("time").value = index;
  const [pace, unit, decimals] = about.clock, last = about.times.length - 1;
  find("clock").textContent = `t = ${(pace * moment.time).toFixed(decimals)} ${unit} · frame ${index} of ${last} · ${moment.grains} ${moment.grains === 1 ? "grain" : "grains"}`;
  plots.cursor(moment.time);
  await showGrain(steady);
  window.barchan.settled = true;
  if (state.playing) frames.prepare(index, about.times.length, field === "group" ? "" : field, chains);
}

function go(index) {
  const wanted = Math.max(0, Math.min(about.times.length - 1, Math.round(index)));
  if (wanted === state.index && state.shown === wanted) return;
  state.index = wanted;
  return refresh();
}

function seek(time) {
  let near = 0;
  about.times.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(about.times[near] - time)) near = k; });
  pause();
  go(near);
}

// -------------------------------------------------------- play

let began = 0, from = 0;

function play() {
  if (state.index >= about.times.length - 1) state.index = 0;
  state.playing = true;
  began = performance.now();
  from = about.times[state.index];
  find("play").textContent = "❚❚";
}

function pause() {
  state.playing = false;
  find("play").textContent = "▶";
}

function tick() {
  requestAnimationFrame(tick);
  if (state.playing && window.barchan.settled !== false) {
    const pace = Number(find("pace").value), time = from + ((performance.now() - began) / 1000) * pace;
    let next = state.index;
    while (next + 1 < about.times.length && about.times[next + 1] <= time) next++;
    if (next > state.index + 3) { // the frames cannot keep up: show each in turn, and go slower
      next = state.index + 1;
      began = performance.now();
      from = about.times[next];
    }
    if (next !== state.index) go(next);
    if (next >= about.times.length - 1) pause();
  }
  if (!stage.draw()) return;
  window.barchan.draws++;
  showRuler();
}

// A bar of a round length, true for what is as far off as the middle of the view.
function showRuler() {
  const [factor, unit] = about.length, pixels = stage.pixelsPerMetre() / factor, wish = 120 / pixels;
  if (!(wish > 0)) return;
  const decade = 10 ** Math.floor(Math.log10(wish)), length = [5, 2, 1].map((m) => m * decade).find((one) => one <= wish) || decade;
  find("ruler").style.width = `${length * pixels}px`;
  find("ruler").textContent = `${short(length)} ${unit}`;
}

// -------------------------------------------------------- a grain

async function showGrain(steady) {
  const box = find("grain");
  box.hidden = state.chosen === null;
  if (state.chosen === null) { stage.point(-1, false); return; }
  const row = steady.id.indexOf(state.chosen);
  stage.point(row, find("follow").checked);
  let lines;
  try {
    if (row < 0) throw new Error(`grain ${state.chosen} is not there now`);
    lines = await frames.grain(state.index, state.chosen);
  } catch (problem) {
    lines = [["grain", problem.message, ""]];
  }
  const table = box.querySelector("table");
  table.replaceChildren(...lines.map(([name, value, unit]) => {
    const line = document.createElement("tr"), words = document.createElement("td"), number = document.createElement("td");
    words.textContent = name;
    const told = Array.isArray(value) ? value.map(short).join(", ") : typeof value === "number" ? short(value) : value;
    number.textContent = unit ? `${told} ${unit}` : told;
    line.append(words, number);
    return line;
  }));
}

function choose(id) {
  state.chosen = id;
  if (id === null) find("follow").checked = false;
  return refresh();
}

// -------------------------------------------------------- the sides of the page

function showBar() {
  const field = fieldOf(state.field), bar = find("bar");
  bar.hidden = !field.shades;
  if (!field.shades) return;
  const [low, high] = ranges[field.key] || field.range;
  const [factor, unit] = field.told;
  bar.querySelector(".what").textContent = titled(field.name, unit);
  bar.querySelector(".low").value = short(factor * low);
  bar.querySelector(".high").value = short(factor * high);
  bar.querySelector(".middle").textContent = short((factor * (low + high)) / 2);
  const canvas = bar.querySelector("canvas"), pen = canvas.getContext("2d"), bytes = about.shades[field.shades];
  for (let k = 0; k < 64; k++) {
    pen.fillStyle = `rgb(${bytes[3 * k]}, ${bytes[3 * k + 1]}, ${bytes[3 * k + 2]})`;
    pen.fillRect(0, 256 - 4 * (k + 1), 16, 4);
  }
}

function rescale() {
  const ends = ["low", "high"].map((one) => Number(find("bar").querySelector(`.${one}`).value) / fieldOf(state.field).told[0]);
  if (ends.every(Number.isFinite) && ends[1] > ends[0]) ranges[state.field] = ends;
  showBar();
  refresh();
}

function buildSides() {
  find("name").textContent = about.name;
  find("description").textContent = find("description").title = about.description;
  if (about.of_frames > about.times.length) {
    find("note").textContent = `${about.times.length} of ${about.of_frames} frames, so that the page stays small`;
    find("note").hidden = false;
  }
  find("color").replaceChildren(...about.fields.map((one) => new Option(one.name, one.key)));
  find("color").addEventListener("change", (event) => { state.field = event.target.value; showBar(); refresh(); });
  for (const end of find("bar").querySelectorAll("input")) end.addEventListener("change", rescale);
  find("pace").replaceChildren(...about.paces.map(([pace, words], k) => new Option(words, pace, k === 3, k === 3)));
  find("shade").parentElement.hidden = about.flat;
  document.querySelector(".clip").hidden = about.polygons;
  for (const button of find("cameras").children) button.addEventListener("click", () => stage.look(button.dataset.view));
  find("chains").disabled = !about.contacts;
  if (!about.contacts) find("chains").parentElement.title = "this run recorded no contacts: record.contacts = true";
  for (const name of ["chains", "walls"]) find(name).addEventListener("change", (event) => { state[name] = event.target.checked; refresh(); });
  find("shade").addEventListener("change", (event) => { stage.softly = event.target.checked; stage.stale = true; });
  const cut = () => stage.cut(find("clip-axis").value, Number(find("clip").value));
  find("clip-axis").addEventListener("change", cut);
  find("clip").addEventListener("input", cut);
  about.groups.forEach((name, k) => {
    const label = document.createElement("label"), box = document.createElement("input");
    label.className = "check";
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { if (box.checked) state.hidden.delete(k); else state.hidden.add(k); refresh(); });
    label.append(box, ` ${name}`);
    find("groups").append(label);
  });
}

function buildKeys() {
  find("time").addEventListener("input", (event) => { pause(); go(Number(event.target.value)); });
  find("play").addEventListener("click", () => (state.playing ? pause() : play()));
  find("first").addEventListener("click", () => { pause(); go(0); });
  find("back").addEventListener("click", () => { pause(); go(state.index - 1); });
  find("next").addEventListener("click", () => { pause(); go(state.index + 1); });
  find("pace").addEventListener("change", () => { began = performance.now(); from = about.times[state.index]; });
  find("follow").addEventListener("change", refresh);
  find("grain").querySelector(".close").addEventListener("click", () => choose(null));
  document.addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT"].includes(event.target.tagName) && event.target.type !== "checkbox") return;
    const keys = { " ": () => find("play").click(), ArrowLeft: () => find("back").click(), ArrowRight: () => find("next").click(), Home: () => find("first").click(), End: () => { pause(); go(about.times.length - 1); }, Escape: () => choose(null) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  let down = null;
  const canvas = find("view");
  canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
  canvas.addEventListener("pointerup", (event) => {
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
    const box = canvas.getBoundingClientRect();
    const k = stage.pick((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    choose(k < 0 ? null : stage.steady.id[stage.steady.grain[k]]);
  });
  window.addEventListener("resize", () => (stage.stale = true));
}

// A run that goes on: look again every second, and show the newest frame if that is wished.
function watch() {
  if (about.finished) return;
  const live = find("live"), box = live.querySelector("input");
  live.hidden = false;
  let known = about.times.length;
  const again = async () => {
    Object.assign(about, await frames.progress());
    if (about.finished || about.times.length >= 2 * known) { // more was seen: other scales, another box
      known = about.times.length;
      Object.assign(about, await frames.about());
      stage.hold(about);
      showBar();
    }
    find("time").max = about.times.length - 1;
    plots.update(about);
    if (box.checked) await go(about.times.length - 1);
    if (about.finished) live.hidden = true;
    else setTimeout(() => again().catch(complain), 1000);
  };
  setTimeout(() => again().catch(complain), 1000);
}

async function begin() {
  frames = source();
  about = await frames.about();
  buildSides();
  stage = new Stage(find("view"), about);
  window.barchan.stage = stage;
  plots = new Plots(find("plots"), about, seek);
  find("time").max = about.times.length - 1;
  buildKeys();
  await refresh();
  tick();
  watch();
  window.barchan.ready = true;
}

begin().catch(complain);
