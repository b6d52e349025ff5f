// Where frames come from: a server on this machine, or the page itself. Both answer the same questions.

const KINDS = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
const MOST_BYTES = 256e6; // of frames that are kept
const AHEAD = 6; // frames fetched before they are asked for

// A block of arrays as `packing.py` writes it.
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const made = { ...head.about, bytes: buffer.byteLength };
  for (const [name, [kind, shape, offset, low, high]] of Object.entries(head.arrays)) {
    const count = shape.reduce((a, b) => a * b, 1);
    const raw = new KINDS[kind](buffer, 4 + length + offset, count);
    made[name] = low ? spread(raw, low, high) : raw;
  }
  return made;
}

// Sixteen bits between the least and the greatest of each column; 0 stands for what is not a number.
function spread(raw, low, high) {
  const columns = low.length, out = new Float32Array(raw.length);
  for (let k = 0; k < raw.length; k++) {
    const c = k % columns;
    out[k] = raw[k] ? low[c] + ((raw[k] - 1) / 65534) * (high[c] - low[c]) : NaN;
  }
  return out;
}

class Kept {
  constructor() { this.all = new Map(); this.bytes = 0; }
  get(key, make) {
    if (this.all.has(key)) {
      const found = this.all.get(key);
      this.all.delete(key);
      this.all.set(key, found);
      return found;
    }
    const promise = make().then((made) => { this.bytes += made.bytes; this.trim(); return made; });
    promise.bytesOf = promise.then((made) => made.bytes).catch(() => 0);
    promise.catch(() => this.all.delete(key));
    this.all.set(key, promise);
    return promise;
  }
  trim() {
    for (const [key, promise] of this.all) {
      if (this.bytes <= MOST_BYTES || this.all.size <= AHEAD + 2) return;
      this.all.delete(key);
      promise.bytesOf.then((bytes) => (this.bytes -= bytes));
    }
  }
}

class Source {
  constructor() { this.moments = new Kept(); this.steadies = new Map(); }

  // Frame `index` with the values of `field`, and what stays the same about it.
  async moment(index, field, contacts) {
    const made = await this.moments.get(`${index} ${field} ${contacts}`, () => this.fetchMoment(index, field, contacts));
    if (!this.steadies.has(made.steady)) this.steadies.set(made.steady, this.fetchSteady(index, made.steady));
    return [made, await this.steadies.get(made.steady)];
  }

  // Fetch the frames after this one, without waiting for them.
  prepare(index, count, field, contacts) {
    for (let k = index + 1; k <= Math.min(index + AHEAD, count - 1); k++) this.moment(k, field, contacts).catch(() => {});
  }
}

class Served extends Source {
  async ask(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  }
  async about() { return (await this.ask("about")).json(); }
  async progress() { return (await this.ask("progress")).json(); }
  async fetchMoment(index, field, contacts) {
    const answer = await this.ask(`moment?index=${index}&fields=${field}${contacts ? "&contacts=1" : ""}`);
    return unpack(await answer.arrayBuffer());
  }
  async fetchSteady(index) { return unpack(await (await this.ask(`steady?index=${index}`)).arrayBuffer()); }
  async grain(index, id) { return (await (await this.ask(`grain?index=${index}&id=${id}`)).json()).numbers; }
}

class Inside extends Source {
  constructor(about) { super(); this.told = about; }
  async about() { return this.told; }
  async decoded(name) {
    const text = atob(document.getElementById(name).textContent);
    const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return unpack(await new Response(stream).arrayBuffer());
  }
  fetchMoment(index) { return this.decoded(`moment-${index}`); }
  fetchSteady(index, key) { return this.decoded(`steady-${key}`); }

  // The numbers that the page holds of a grain.
  async grain(index, id) {
    const [moment, steady] = await this.moment(index, "", false);
    const row = steady.id.indexOf(id);
    if (row < 0) throw new Error(`grain ${id} is not in this frame`);
    const k = steady.grain.indexOf(row), single = steady.grain.length === steady.id.length;
    const numbers = [["id", id, ""], ["group", this.told.groups[steady.group[row]], ""]];
    const [length, unit] = this.told.length;
    numbers.push([single ? "position" : "first sphere", [...moment.place.slice(3 * k, 3 * k + 3)].map((x) => length * x), unit]);
    for (const field of this.told.fields) {
      const values = moment[`field:${field.key}`];
      if (values && field.key !== "id") numbers.push([field.name, field.told[0] * values[row], field.told[1]]);
    }
    return numbers;
  }
}

export function source() {
  const inside = document.getElementById("about");
  return inside ? new Inside(JSON.parse(inside.textContent)) : new Served();
}
