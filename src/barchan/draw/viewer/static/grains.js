// Grains as spheres that are computed in each pixel, contacts as bars, flat grains as triangles.
import * as THREE from "barchan/three.min.js";

const VERTEX = `
  in vec3 place; in float radius; in float value; in vec4 tint;
  uniform vec4 clip; uniform float pixel;
  out vec3 ray; flat out vec3 middle; flat out float size; flat out vec3 paint; flat out float worth;
  void main() {
    vec3 c = (viewMatrix * vec4(place, 1.0)).xyz;
    bool away = radius <= 0.0 || dot(place, clip.xyz) > clip.w;
    float far = max(length(c), 1e-12);
    float r = max(radius, 0.6 * pixel * far);
    vec3 d = c / far;
    vec3 right = normalize(cross(d, abs(d.y) > 0.99 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
    vec3 up = cross(right, d);
    float ratio = min(r / far, 0.99);
    float reach = r / sqrt(1.0 - ratio * ratio) + pixel * far;
    ray = c + (right * position.x + up * position.y) * reach;
    middle = c; size = r; paint = tint.rgb; worth = value;
    gl_Position = away ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(ray, 1.0);
  }`;

const FRAGMENT = `
  precision highp float;
  in vec3 ray; flat in vec3 middle; flat in float size; flat in vec3 paint; flat in float worth;
  uniform sampler2D shades; uniform vec2 ends; uniform bool byValue; uniform bool disc; uniform float opacity;
  uniform vec3 lamp; uniform vec3 sky; uniform mat4 projectionMatrix; uniform float pixel;
  out vec4 color;
  void main() {
    vec3 dir = normalize(ray);
    float along = dot(dir, middle);
    float off = length(middle - along * dir);
    float cover = clamp((size - off) / max(fwidth(off), 1e-12) + 0.5, 0.0, 1.0);
    if (cover <= 0.0) discard;
    vec3 hit = dir * (along - (disc ? 0.0 : sqrt(max(size * size - off * off, 0.0))));
    vec4 seen = projectionMatrix * vec4(hit, 1.0);
    gl_FragDepth = clamp(0.5 * seen.z / seen.w + 0.5, 0.0, 1.0);
    vec3 base = paint;
    if (byValue) {
      float t = clamp((worth - ends.x) / max(ends.y - ends.x, 1e-30), 0.0, 1.0);
      base = worth == worth && abs(worth) < 3e38 ? texture(shades, vec2((t * 63.0 + 0.5) / 64.0, 0.5)).rgb : vec3(0.77);
    }
    base = pow(base, vec3(2.2));
    if (disc) {
      float rim = min(0.14 * size, 3.0 * pixel * length(middle)); // a line, however large the disc
      base *= mix(1.0, 0.35, smoothstep(size - rim, size - 0.5 * rim, off));
    } else {
      vec3 n = normalize(hit - middle);
      float lit = max(0.0, dot(n, lamp)), open = 0.5 + 0.5 * dot(n, sky);
      float shine = pow(max(0.0, dot(reflect(dir, n), lamp)), 24.0);
      base = base * (0.22 + 0.30 * open + 0.72 * lit) + 0.05 * shine;
    }
    color = vec4(base, cover * opacity);
  }`;

const quad = () => new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);

function instanced(arrays) {
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(quad(), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  for (const [name, [array, size, normalized]] of Object.entries(arrays)) {
    const attribute = new THREE.InstancedBufferAttribute(array, size, normalized);
    attribute.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute(name, attribute);
  }
  return geometry;
}

export class Spheres {
  constructor() {
    this.uniforms = {
      clip: { value: new THREE.Vector4(0, 0, 0, 1) }, pixel: { value: 1e-3 }, shades: { value: null },
      ends: { value: new THREE.Vector2(0, 1) }, byValue: { value: false }, disc: { value: false }, opacity: { value: 1 },
      lamp: { value: new THREE.Vector3(-0.48, 0.74, 0.47).normalize() }, sky: { value: new THREE.Vector3(0, 1, 0) },
    };
    this.material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, alphaToCoverage: true,
    });
    this.capacity = 0;
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
  }

  room(count) {
    if (count <= this.capacity && this.capacity) return;
    this.capacity = Math.ceil(1.25 * count) + 16;
    this.mesh.geometry.dispose();
    this.mesh.geometry = instanced({
      place: [new Float32Array(3 * this.capacity), 3], radius: [new Float32Array(this.capacity), 1],
      value: [new Float32Array(this.capacity), 1], tint: [new Uint8Array(4 * this.capacity), 4, true],
    });
    this.steady = null;
  }

  // Places of a moment; sizes and tints when they are others than before or groups are hidden.
  show(moment, steady, values, hidden) {
    const count = steady.radius.length, single = steady.id.length === count;
    this.room(count);
    const geometry = this.mesh.geometry, attributes = geometry.attributes;
    attributes.place.array.set(moment.place);
    attributes.place.needsUpdate = true;
    const state = [...hidden].join();
    if (this.steady !== steady || this.hidden !== state) {
      const { radius, tint } = attributes, grain = steady.grain;
      for (let k = 0; k < count; k++) {
        const g = grain[k];
        radius.array[k] = hidden.has(steady.group[g]) ? 0 : steady.radius[k];
        for (let j = 0; j < 3; j++) tint.array[4 * k + j] = steady.tint[3 * g + j];
      }
      radius.needsUpdate = tint.needsUpdate = true;
      this.steady = steady;
      this.hidden = state;
    }
    this.uniforms.byValue.value = !!values;
    if (values) {
      const into = attributes.value.array;
      if (single) into.set(values);
      else for (let k = 0; k < count; k++) into[k] = values[steady.grain[k]];
      attributes.value.needsUpdate = true;
    }
    geometry.instanceCount = count;
  }

  // Faint grains let the contacts be seen through them.
  faint(yes) {
    const material = this.material;
    if (material.transparent === yes) return;
    material.transparent = yes;
    material.depthWrite = !yes;
    material.alphaToCoverage = !yes;
    material.needsUpdate = true;
    this.uniforms.opacity.value = yes ? 0.16 : 1;
  }
}

export class Chains {
  constructor() {
    const vertexShader = `
      in vec3 from; in vec3 to; in vec2 force;
      uniform float most; uniform float thick; uniform vec4 clip;
      flat out vec3 paint; out float across;
      void main() {
        vec3 a = (viewMatrix * vec4(from, 1.0)).xyz, b = (viewMatrix * vec4(to, 1.0)).xyz;
        float strength = clamp(force.x / most, 0.0, 1.0);
        vec3 along = b - a, side = normalize(cross(along, a + b) + 1e-20);
        vec3 p = mix(a, b, 0.5 + 0.5 * position.x) + side * position.y * thick * (0.04 + 0.5 * sqrt(strength));
        vec3 ramp = mix(vec3(0.42, 0.45, 0.5), vec3(0.62, 0.06, 0.03), sqrt(strength));
        paint = force.y > 1.5 ? vec3(0.75, 0.2, 0.1) : force.y > 0.5 ? vec3(0.12, 0.3, 0.55) : ramp;
        across = position.y;
        gl_Position = dot(from, clip.xyz) > clip.w ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(p, 1.0);
      }`;
    const fragmentShader = `
      precision highp float; flat in vec3 paint; in float across; out vec4 color;
      void main() { color = vec4(paint * (0.55 + 0.6 * sqrt(max(0.0, 1.0 - across * across))), 1.0); }`;
    this.uniforms = { most: { value: 1 }, thick: { value: 1 }, clip: { value: new THREE.Vector4(0, 0, 0, 1) } };
    this.material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms: this.uniforms, side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  show(contacts, size) {
    const count = contacts ? contacts.length / 8 : 0;
    this.mesh.geometry.dispose();
    const from = new Float32Array(3 * count), to = new Float32Array(3 * count), force = new Float32Array(2 * count);
    const sizes = new Float32Array(count);
    for (let k = 0; k < count; k++) {
      for (let j = 0; j < 3; j++) { from[3 * k + j] = contacts[8 * k + j]; to[3 * k + j] = contacts[8 * k + 3 + j]; }
      force[2 * k] = sizes[k] = contacts[8 * k + 6];
      force[2 * k + 1] = contacts[8 * k + 7];
    }
    sizes.sort();
    this.uniforms.most.value = count ? Math.max(sizes[Math.floor(0.995 * (count - 1))], 1e-30) : 1;
    this.uniforms.thick.value = size;
    this.mesh.geometry = instanced({ from: [from, 3], to: [to, 3], force: [force, 2] });
    this.mesh.geometry.instanceCount = count;
  }
}

export class Triangles {
  constructor() {
    const flat = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), flat);
    this.seams = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
    this.edges = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x3b4654 }));
    this.cracks = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xc81e1e }));
    this.parts = [this.mesh, this.seams, this.edges, this.cracks];
    for (const part of this.parts) part.frustumCulled = false;
  }

  // `paint(grain)` answers with linear red, green and blue; lines lie `lift` (m) before the grains.
  show(moment, steady, paint, hidden, lift) {
    const corners = moment.triangles, count = corners.length / 6;
    const place = new Float32Array(9 * count), color = new Float32Array(9 * count);
    for (let k = 0; k < count; k++) {
      const grain = steady.grain[k], away = hidden.has(steady.group[grain]), rgb = paint(grain);
      for (let j = 0; j < 3; j++) {
        place[9 * k + 3 * j] = away ? 0 : corners[6 * k + 2 * j];
        place[9 * k + 3 * j + 2] = away ? 0 : corners[6 * k + 2 * j + 1];
        for (let c = 0; c < 3; c++) color[9 * k + 3 * j + c] = rgb[c];
      }
    }
    this.fill(this.mesh, place, color);
    this.fill(this.seams, this.around(place), this.around(color)); // no light shines through joints thinner than a pixel
    this.fill(this.edges, this.lifted(moment.edges, -lift));
    this.fill(this.cracks, this.lifted(moment.cracks, -2 * lift));
  }

  // Of three values in turn for the corners of each triangle, those at the ends of its sides.
  around(values) {
    const ends = new Float32Array(2 * values.length);
    for (let k = 0; k < values.length; k += 9) {
      [0, 1, 1, 2, 2, 0].forEach((corner, j) => ends.set(values.subarray(k + 3 * corner, k + 3 * corner + 3), 2 * k + 3 * j));
    }
    return ends;
  }

  // Line ends x, z, x, z in space, a little towards the eye.
  lifted(lines, depth) {
    const place = new Float32Array((lines.length / 2) * 3);
    for (let k = 0; k < lines.length / 2; k++) place.set([lines[2 * k], depth, lines[2 * k + 1]], 3 * k);
    return place;
  }

  fill(part, place, color) {
    part.geometry.dispose();
    part.geometry = new THREE.BufferGeometry();
    part.geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
    if (color) part.geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
  }
}
