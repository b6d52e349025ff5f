// Where things stand: camera, walls, ground, soft shade, and which grain a click means.
import * as THREE from "barchan/three.min.js";
import { Chains, Spheres, Triangles } from "barchan/grains.js";

const FULL = `out vec2 spot; void main() { spot = 0.5 + 0.5 * position.xy; gl_Position = vec4(position.xy, 0.0, 1.0); }`;

// How much of the sky each pixel sees, from the depths about it.
const SHADE = `
  precision highp float; in vec2 spot; out vec4 color;
  uniform highp sampler2D depths; uniform mat4 back; uniform mat4 projection; uniform vec2 size; uniform float reach;
  vec3 at(vec2 where) {
    vec4 p = back * vec4(2.0 * vec3(where, texture(depths, where).r) - 1.0, 1.0);
    return p.xyz / p.w;
  }
  void main() {
    float depth = texture(depths, spot).r;
    color = vec4(1.0, depth, 0.0, 1.0);
    if (depth >= 1.0) return;
    vec3 p = at(spot);
    vec2 step1 = vec2(1.0 / size.x, 0.0), step2 = vec2(0.0, 1.0 / size.y);
    vec3 r = at(spot + step1) - p, l = p - at(spot - step1), u = at(spot + step2) - p, d = p - at(spot - step2);
    if (max(min(abs(r.z), abs(l.z)), min(abs(u.z), abs(d.z))) > 0.15 * reach) return; // an edge: no surface to be shaded
    vec3 n = normalize(cross(normalize(abs(r.z) < abs(l.z) ? r : l), normalize(abs(u.z) < abs(d.z) ? u : d)));
    float spin = 6.2832 * fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));
    float wide = clamp(0.5 * projection[1][1] * reach / -p.z, 2.0 / size.y, 0.12), sum = 0.0;
    for (int k = 0; k < 14; k++) {
      float part = (float(k) + 0.5) / 14.0, angle = spin + 2.4 * float(k);
      vec3 v = at(spot + wide * part * vec2(cos(angle) * size.y / size.x, sin(angle))) - p;
      float far = dot(v, v);
      sum += max(0.0, dot(v, n) - 0.03 * reach) / (far + 0.02 * reach * reach) * sqrt(far) * step(far, 4.0 * reach * reach);
    }
    color.r = clamp(1.0 - 1.5 * sum / 14.0, 0.0, 1.0);
  }`;

const MERGE = `
  precision highp float; in vec2 spot; out vec4 color;
  uniform sampler2D image; uniform sampler2D shade; uniform vec2 size; uniform float strength;
  void main() {
    vec4 own = texture(shade, spot);
    float sum = 0.01 * own.r, weight = 0.01; // its own, where nothing about it is as far off: a line, the last of an edge
    for (int i = -2; i < 2; i++) for (int j = -2; j < 2; j++) {
      vec4 near = texture(shade, spot + (vec2(i, j) + 0.5) / size);
      float w = exp(-abs(near.g - own.g) * 4000.0);
      sum += w * near.r; weight += w;
    }
    vec4 seen = texture(image, spot);
    vec3 lit = seen.rgb * mix(1.0, sum / weight, strength);
    color = vec4(pow(clamp(lit, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
  }`;

const GROUND = `
  precision highp float; in vec2 from; out vec4 color;
  void main() {
    float cover = clamp(1.0 - length(from), 0.0, 1.0);
    cover = cover * cover * (3.0 - 2.0 * cover);
    if (cover < 0.01) discard;
    color = vec4(mix(vec3(1.0), vec3(0.79, 0.72, 0.6), cover), 1.0);
  }`;

export class Stage {
  constructor(canvas, about) {
    this.about = about;
    this.canvas = canvas;
    this.hold(about);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(1, 1, 1);
    this.camera = new THREE.PerspectiveCamera(about.flat ? 2 : 24, 1, 0.01 * this.span, 100 * this.span);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.stale = true));
    this.spheres = new Spheres();
    this.chains = new Chains();
    this.triangles = new Triangles();
    this.spheres.uniforms.disc.value = about.flat;
    this.scene.add(this.spheres.mesh, this.chains.mesh, ...this.triangles.parts);
    this.mark = new THREE.Mesh(
      new THREE.SphereGeometry(1, 24, 16),
      new THREE.MeshBasicMaterial({ color: 0x1565c0, wireframe: true, transparent: true, opacity: 0.7 }),
    );
    this.mark.visible = false;
    this.cell = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x8a94a0 }));
    this.cell.frustumCulled = false;
    this.scene.add(this.mark, this.cell);
    this.buildWalls();
    this.buildGround();
    this.buildPasses();
    this.shades = {};
    this.look(about.view);
  }

  // The box in which everything happens, as far as is known.
  hold(about) {
    this.low = new THREE.Vector3(...about.low);
    this.high = new THREE.Vector3(...about.high);
    this.middle = this.low.clone().add(this.high).multiplyScalar(0.5);
    this.span = this.low.distanceTo(this.high) || 1;
    this.stale = true;
  }

  buildWalls() {
    this.walls = this.about.walls.map((wall) => {
      const pane = new THREE.BufferGeometry();
      pane.setAttribute("position", new THREE.BufferAttribute(new Float32Array(wall.triangles), 3));
      const glass = new THREE.MeshBasicMaterial({
        color: wall.color || 0x6f8fa6, transparent: true, opacity: wall.color ? 0.35 : 0.1, side: THREE.DoubleSide, depthWrite: false,
      });
      const ends = [];
      for (const line of wall.lines) {
        for (let k = 0; k + 5 < line.length; k += 3) ends.push(...line.slice(k, k + 6));
      }
      const rim = new THREE.BufferGeometry();
      rim.setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
      const ink = new THREE.LineBasicMaterial({ color: wall.color || 0x3b4654, transparent: true, opacity: 0.55, depthWrite: false });
      const parts = [new THREE.Mesh(pane, glass), new THREE.LineSegments(rim, ink)];
      for (const part of parts) { part.matrixAutoUpdate = false; part.frustumCulled = false; }
      this.scene.add(...parts);
      return parts;
    });
  }

  buildGround() {
    if (this.about.ground === null) return;
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3, fragmentShader: GROUND, side: THREE.DoubleSide,
      vertexShader: "out vec2 from; void main() { from = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    });
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    ground.scale.setScalar(1.1 * this.span);
    ground.position.set(this.middle.x, this.middle.y, this.about.ground - 1e-4 * this.span);
    this.scene.add(ground);
    this.ground = ground;
  }

  buildPasses() {
    const pass = (fragmentShader, uniforms) => {
      const material = new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3, vertexShader: FULL, fragmentShader, uniforms, depthTest: false, depthWrite: false,
      });
      const scene = new THREE.Scene();
      const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
      sheet.frustumCulled = false;
      scene.add(sheet);
      return { scene, uniforms };
    };
    this.image = new THREE.WebGLRenderTarget(4, 4, { samples: 4, type: THREE.HalfFloatType, depthTexture: new THREE.DepthTexture(4, 4, THREE.UnsignedIntType) });
    this.dim = new THREE.WebGLRenderTarget(4, 4, { type: THREE.HalfFloatType, depthBuffer: false });
    const size = { value: new THREE.Vector2(4, 4) };
    this.shading = pass(SHADE, {
      depths: { value: this.image.depthTexture }, back: { value: new THREE.Matrix4() }, size,
      projection: { value: new THREE.Matrix4() }, reach: { value: 1 },
    });
    this.merging = pass(MERGE, { image: { value: this.image.texture }, shade: { value: this.dim.texture }, size, strength: { value: 1 } });
    this.flatCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  }

  // Pixels at the right that are left to the bar of colours.
  margin() { return Math.min(130, 0.2 * this.canvas.clientWidth); }

  // How large a metre is on the page where the camera looks.
  pixelsPerMetre() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.canvas.clientHeight / (2 * Math.tan((this.camera.fov * Math.PI) / 360) * distance);
  }

  // From where: towards the middle of the scene, far enough to hold it.
  look(name) {
    const ways = { front: [0, -1, 0], side: [1, 0, 0], top: [0, -1e-4, 1], iso: [0.457, -0.791, 0.407] };
    const way = new THREE.Vector3(...ways[name]).normalize();
    const aspect = Math.max(0.3, (this.canvas.clientWidth - this.margin()) / Math.max(1, this.canvas.clientHeight));
    const corners = [];
    for (let k = 0; k < 8; k++) {
      corners.push(new THREE.Vector3(k & 1 ? this.high.x : this.low.x, k & 2 ? this.high.y : this.low.y, k & 4 ? this.high.z : this.low.z));
    }
    const right = new THREE.Vector3().crossVectors(this.camera.up, way).normalize();
    const up = new THREE.Vector3().crossVectors(way, right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * aspect;
    let distance = 0;
    for (const corner of corners) {
      const off = corner.clone().sub(this.middle);
      const near = off.dot(way);
      distance = Math.max(distance, near + Math.abs(off.dot(right)) / wide, near + Math.abs(off.dot(up)) / tall);
    }
    this.camera.position.copy(this.middle).addScaledVector(way, 1.12 * (distance || this.span));
    this.controls.target.copy(this.middle);
    this.controls.update();
    this.stale = true;
  }

  // The colour map of a field as a texture, and its ends.
  paintBy(field, ends) {
    if (field && field.shades) {
      if (!this.shades[field.shades]) {
        const bytes = this.about.shades[field.shades], texels = new Uint8Array(4 * 64);
        for (let k = 0; k < 64; k++) texels.set([bytes[3 * k], bytes[3 * k + 1], bytes[3 * k + 2], 255], 4 * k);
        const texture = new THREE.DataTexture(texels, 64, 1, THREE.RGBAFormat);
        texture.magFilter = texture.minFilter = THREE.LinearFilter;
        texture.needsUpdate = true;
        this.shades[field.shades] = texture;
      }
      this.spheres.uniforms.shades.value = this.shades[field.shades];
      this.spheres.uniforms.ends.value.set(...ends);
    }
    this.field = field;
    this.ends = ends;
    this.stale = true;
  }

  show(moment, steady, values, options) {
    this.moment = moment;
    this.steady = steady;
    this.hidden = options.hidden;
    const flat = !!moment.triangles;
    this.spheres.mesh.visible = !flat;
    if (flat) this.triangles.show(moment, steady, (grain) => this.paint(grain, steady, values), options.hidden, 1e-3 * this.span);
    else this.spheres.show(moment, steady, values, options.hidden);
    for (const part of this.triangles.parts) part.visible = flat;
    const chains = options.chains && !!moment.contacts;
    this.chains.mesh.visible = chains;
    const typical = steady.radius.length ? [...steady.radius.slice(0, 500)].sort((a, b) => a - b)[Math.min(249, steady.radius.length >> 1)] : 1;
    if (chains) this.chains.show(moment.contacts, typical);
    this.spheres.faint(chains);
    this.shading.uniforms.reach.value = Math.max(3 * typical, 0.012 * this.span);
    this.walls.forEach((parts, k) => {
      const pose = moment.pose.slice(7 * k, 7 * k + 7);
      for (const part of parts) {
        part.visible = options.walls && !!moment.present[k];
        part.matrix.compose(new THREE.Vector3(...pose), new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]), new THREE.Vector3(1, 1, 1));
      }
    });
    this.showCell(moment.cell, options.walls);
    this.stale = true;
  }

  paint(grain, steady, values) {
    const linear = (byte) => (byte / 255) ** 2.2;
    if (!values || !this.field || !this.field.shades) return [0, 1, 2].map((c) => linear(steady.tint[3 * grain + c]));
    const part = Math.min(1, Math.max(0, (values[grain] - this.ends[0]) / Math.max(this.ends[1] - this.ends[0], 1e-30)));
    const k = Number.isNaN(part) ? 0 : Math.round(63 * part), bytes = this.about.shades[this.field.shades];
    return [0, 1, 2].map((c) => linear(bytes[3 * k + c]));
  }

  showCell(cell, wanted) {
    this.cell.visible = wanted && cell.length > 0;
    if (!this.cell.visible) return;
    const [x, y, z, a, b, c, tilt] = cell, ends = [];
    const corner = (i, j, k) => [x + i * a + k * tilt, b ? y + j * b : this.middle.y, z + k * c];
    for (let k = 0; k < 12; k++) {
      const axis = k >> 2, [i, j] = [k & 1, (k >> 1) & 1];
      const at = (t) => corner(...(axis === 0 ? [t, i, j] : axis === 1 ? [i, t, j] : [i, j, t]));
      ends.push(...at(0), ...at(1));
    }
    this.cell.geometry.dispose();
    this.cell.geometry = new THREE.BufferGeometry();
    this.cell.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
  }

  // Grains whose centre lies beyond this place along an axis are left out.
  cut(axis, part) {
    const clip = new THREE.Vector4(0, 0, 0, 1);
    if (axis) {
      clip[axis] = 1;
      clip.w = this.low[axis] + part * (this.high[axis] - this.low[axis]);
    }
    this.clip = clip;
    this.spheres.uniforms.clip.value = this.chains.uniforms.clip.value = clip;
    this.stale = true;
  }

  // The sphere under a point of the canvas (0 … 1 from the upper left): its number, or −1.
  pick(x, y) {
    if (!this.moment) return -1;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), this.camera);
    const { origin: o, direction: d } = ray.ray, place = this.moment.place, radius = this.steady.radius;
    let best = -1, nearest = Infinity;
    for (let k = 0; k < radius.length; k++) {
      if (this.hidden.has(this.steady.group[this.steady.grain[k]])) continue;
      const px = place[3 * k], py = place[3 * k + 1], pz = place[3 * k + 2];
      if (this.clip && px * this.clip.x + py * this.clip.y + pz * this.clip.z > this.clip.w) continue;
      const cx = px - o.x, cy = py - o.y, cz = pz - o.z;
      const along = cx * d.x + cy * d.y + cz * d.z;
      const off = cx * cx + cy * cy + cz * cz - along * along, r2 = radius[k] * radius[k];
      const far = along - Math.sqrt(Math.max(0, r2 - off));
      if (off <= r2 && along > 0 && far < nearest) { nearest = far; best = k; }
    }
    return best;
  }

  // Mark the grain in row `row` with a sphere about all of its spheres, and let the camera follow it.
  point(row, follow) {
    const own = [];
    if (row >= 0 && this.steady) this.steady.grain.forEach((grain, k) => { if (grain === row) own.push(k); });
    this.mark.visible = own.length > 0;
    if (!own.length) return;
    const { place } = this.moment, { radius } = this.steady;
    const at = (k) => new THREE.Vector3(place[3 * k], place[3 * k + 1], place[3 * k + 2]);
    this.mark.position.set(0, 0, 0);
    own.forEach((k) => this.mark.position.addScaledVector(at(k), 1 / own.length));
    this.mark.scale.setScalar(1.06 * Math.max(...own.map((k) => at(k).distanceTo(this.mark.position) + radius[k])));
    if (follow) {
      const shift = this.mark.position.clone().sub(this.controls.target);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
      this.controls.update();
    }
    this.stale = true;
  }

  resize() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = this.renderer.getPixelRatio();
    if (!width || !height || (this.width === width && this.height === height)) return;
    Object.assign(this, { width, height });
    this.renderer.setSize(width, height, false);
    this.camera.setViewOffset(width, height, this.margin() / 2, 0, width, height); // the middle is left of that bar
    this.image.setSize(width * ratio, height * ratio);
    this.dim.setSize(width * ratio, height * ratio);
    this.merging.uniforms.size.value.set(width * ratio, height * ratio);
    this.stale = true;
  }

  draw() {
    this.resize();
    if (!this.stale || !this.moment) return false;
    this.stale = false;
    const distance = this.camera.position.distanceTo(this.middle);
    this.camera.near = Math.max(distance - 1.5 * this.span, 0.005 * distance); // tight, for the depths to be fine
    this.camera.far = distance + 3 * this.span;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const view = this.camera.matrixWorldInverse;
    this.spheres.uniforms.sky.value.set(0, 0, 1).transformDirection(view);
    this.spheres.uniforms.pixel.value = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.image.height);
    this.shading.uniforms.back.value.copy(this.camera.projectionMatrixInverse);
    this.shading.uniforms.projection.value.copy(this.camera.projectionMatrix);
    const soft = this.softly !== false && !this.about.flat && !this.chains.mesh.visible; // bars thinner than a pixel have no shade
    this.merging.uniforms.strength.value = soft ? 1 : 0;
    const passes = [[this.image, this.scene, this.camera], [this.dim, this.shading.scene, this.flatCamera], [null, this.merging.scene, this.flatCamera]];
    for (const [target, scene, camera] of passes) {
      if (target === this.dim && !soft) continue;
      this.renderer.setRenderTarget(target);
      this.renderer.render(scene, camera);
    }
    return true;
  }
}
