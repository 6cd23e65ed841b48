// Many bodies of one shape where there is no graphics card. There every instance of a mesh is drawn by itself, at some 30 µs; all
// of them in one mesh, each corner with its body's place in a texture of poses, take a tenth of it.

import * as THREE from "three";
import type { ShapeData } from "./protocol";

/** Bodies in a row of the texture, which has three places for each: where, how turned, what colour. */
const ROW = 256;
const PLACES = 12;

/** Corners beyond which one mesh would be too large. */
export const MOST_CORNERS = 400_000;

const LOOK_UP = `
  uniform sampler2D poses;
  attribute float body;
  vec3 offset; vec4 turn; vec3 tint;
  void lookUp() {
    int i = int(body + 0.5);
    ivec2 at = ivec2(3 * (i % ${ROW}), i / ${ROW});
    offset = texelFetch(poses, at, 0).xyz;
    turn = texelFetch(poses, at + ivec2(1, 0), 0);
    tint = texelFetch(poses, at + ivec2(2, 0), 0).rgb;
  }
  vec3 turned(vec3 p) { return p + 2.0 * cross(turn.xyz, cross(turn.xyz, p) + turn.w * p); }`;

/** As much light as the other materials get from sky and sun. */
const LIGHT = "float light(vec3 n) { return 0.36 + 0.07 * dot(n, up) + 0.6 * max(dot(n, sun), 0.0); }";

/** Balls are squares that face the eye, lit pixel by pixel; everything else is lit corner by corner. */
const BALL = {
  vertexShader: `${LOOK_UP}
    uniform float radius; varying vec2 place; varying vec3 shade;
    void main() {
      lookUp();
      place = position.xy; shade = tint;
      gl_Position = projectionMatrix * (viewMatrix * vec4(offset, 1.0) + vec4(radius * position.xy, 0.5 * radius, 0.0));
    }`,
  fragmentShader: `
    uniform vec3 up; uniform vec3 sun; varying vec2 place; varying vec3 shade;
    ${LIGHT}
    void main() {
      float square = dot(place, place);
      if (square > 1.0) discard;
      gl_FragColor = vec4(shade * light((vec4(place, sqrt(1.0 - square), 0.0) * viewMatrix).xyz), 1.0);
      #include <colorspace_fragment>
    }`,
};
const SOLID = {
  vertexShader: `${LOOK_UP}
    uniform vec3 up; uniform vec3 sun; varying vec3 shade;
    ${LIGHT}
    void main() {
      lookUp();
      shade = tint * light(turned(normal));
      gl_Position = projectionMatrix * viewMatrix * vec4(turned(position) + offset, 1.0);
    }`,
  fragmentShader: `
    varying vec3 shade;
    void main() { gl_FragColor = vec4(shade, 1.0);
    #include <colorspace_fragment>
    }`,
};
const SHADOW = {
  vertexShader: `${LOOK_UP}
    void main() { lookUp(); gl_Position = projectionMatrix * modelViewMatrix * vec4(turned(position) + offset, 1.0); }`,
  fragmentShader: `
    uniform vec3 colour;
    void main() { gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
    }`,
};
const EDGE = {
  vertexShader: `${LOOK_UP}
    void main() {
      lookUp();
      gl_Position = projectionMatrix * viewMatrix * vec4(turned(position) + offset, 1.0);
      gl_Position.z -= 2e-5 * gl_Position.w;
    }`,
  fragmentShader: `
    uniform vec3 colour; uniform float opacity;
    void main() { gl_FragColor = vec4(colour, opacity); }`,
};

/** The same corners once for each body, which they know. */
function repeated(positions: ArrayLike<number>, normals: ArrayLike<number> | null, index: ArrayLike<number>, count: number): THREE.BufferGeometry {
  const corners = positions.length / 3;
  const all = new Float32Array(count * positions.length);
  const body = new Float32Array(count * corners);
  const places = new Uint32Array(count * index.length);
  for (let i = 0; i < count; i += 1) {
    all.set(positions, i * positions.length);
    body.fill(i, i * corners, (i + 1) * corners);
    for (let k = 0; k < index.length; k += 1) places[i * index.length + k] = index[k] + i * corners;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(all, 3));
  geometry.setAttribute("body", new THREE.BufferAttribute(body, 1));
  geometry.setIndex(new THREE.BufferAttribute(places, 1));
  if (normals) {
    const directions = new Float32Array(count * normals.length);
    for (let i = 0; i < count; i += 1) directions.set(normals, i * normals.length);
    geometry.setAttribute("normal", new THREE.BufferAttribute(directions, 3));
  }
  return geometry;
}

export class MergedMesh {
  readonly solid: THREE.Mesh;
  readonly edges: THREE.LineSegments | null = null;
  private readonly numbers: Float32Array;
  private readonly texture: THREE.DataTexture;
  private readonly whole: THREE.BufferGeometry;

  constructor(
    faces: THREE.BufferGeometry, shape: ShapeData, private readonly count: number, isBall: boolean, hasEdges: boolean,
    lights: { up: THREE.Vector3; sun: THREE.Vector3 },
  ) {
    const rows = Math.ceil(count / ROW);
    this.numbers = new Float32Array(PLACES * ROW * rows);
    this.texture = new THREE.DataTexture(this.numbers, 3 * ROW, rows, THREE.RGBAFormat, THREE.FloatType);
    const uniforms = { poses: { value: this.texture }, up: { value: lights.up }, sun: { value: lights.sun }, radius: { value: 1 } };
    this.whole = repeated(faces.getAttribute("position").array, faces.getAttribute("normal").array, faces.getIndex()?.array ?? [], count);
    if (isBall) {
      faces.computeBoundingSphere();
      uniforms.radius.value = faces.boundingSphere?.radius ?? 1;
      const square = repeated([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], null, [0, 1, 2, 0, 2, 3], count);
      this.solid = new THREE.Mesh(square, new THREE.ShaderMaterial({ uniforms, ...BALL }));
    } else {
      const material = new THREE.ShaderMaterial({ uniforms, ...SOLID, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
      this.solid = new THREE.Mesh(this.whole, material);
    }
    this.solid.frustumCulled = false;
    if (!hasEdges) return;
    const material = new THREE.ShaderMaterial({
      uniforms: { poses: { value: this.texture }, colour: { value: new THREE.Color() }, opacity: { value: 0.6 } }, transparent: true, depthWrite: false, ...EDGE,
    });
    this.edges = new THREE.LineSegments(repeated(shape.vertices, null, shape.edges, count), material);
    this.edges.frustumCulled = false;
  }

  /** The same bodies once more, flat and of one colour; where the mesh says. */
  shadow(): THREE.Mesh {
    const uniforms = { poses: { value: this.texture }, colour: { value: new THREE.Color() } };
    const material = new THREE.ShaderMaterial({ uniforms, ...SHADOW, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    return new THREE.Mesh(this.whole, material);
  }

  place(offsets: ArrayLike<number>, turns: ArrayLike<number>): void {
    const { numbers } = this;
    for (let i = 0; i < this.count; i += 1) {
      for (let k = 0; k < 3; k += 1) numbers[PLACES * i + k] = offsets[3 * i + k];
      for (let k = 0; k < 4; k += 1) numbers[PLACES * i + 4 + k] = turns[4 * i + k];
    }
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
    this.whole.dispose();
  }

  paint(i: number, colour: THREE.Color): void {
    colour.toArray(this.numbers, PLACES * i + 8);
    this.texture.needsUpdate = true;
  }
}
