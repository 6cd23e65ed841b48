// Bodies with their true geometry: every kind of shape once, drawn as often as there are bodies of it.

import * as THREE from "three";
import type { Frame, ShapeData, World } from "./protocol";

/** Colours that colour-blind people can tell apart (Okabe and Ito). */
export const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7f6fc4"];
const FIXED = { light: "#b9bec6", dark: "#5a616c" };

export type Theme = "light" | "dark";

interface Group {
  ids: number[];
  mesh: THREE.InstancedMesh | null;
  edges: THREE.LineSegments | null;
  offsets: THREE.InstancedBufferAttribute;
  turns: THREE.InstancedBufferAttribute;
  isRound: boolean;
}

/** Lines that are moved and turned as often as there are bodies; three.js has instances of meshes only. */
const edgeMaterial = () =>
  new THREE.ShaderMaterial({
    uniforms: { colour: { value: new THREE.Color() }, opacity: { value: 0.6 } },
    transparent: true,
    depthWrite: false,
    vertexShader: `
      attribute vec3 offset; attribute vec4 turn;
      void main() {
        vec3 p = position + 2.0 * cross(turn.xyz, cross(turn.xyz, position) + turn.w * position);
        gl_Position = projectionMatrix * viewMatrix * vec4(p + offset, 1.0);
        gl_Position.z -= 2e-5 * gl_Position.w;
      }`,
    fragmentShader: `
      uniform vec3 colour; uniform float opacity;
      void main() { gl_FragColor = vec4(colour, opacity); }`,
  });

function faces(shape: ShapeData): THREE.BufferGeometry {
  const corners = shape.triangles.length;
  const positions = new Float32Array(3 * corners);
  for (let i = 0; i < corners; i += 1) {
    for (let k = 0; k < 3; k += 1) positions[3 * i + k] = shape.vertices[3 * shape.triangles[i] + k];
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  if (shape.normals.length === 3 * corners) {
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(shape.normals), 3));
  } else {
    geometry.computeVertexNormals();
  }
  return geometry;
}

function lines(shape: ShapeData): THREE.InstancedBufferGeometry {
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(shape.vertices), 3));
  geometry.setIndex(shape.edges);
  return geometry;
}

/** A step of 1, 2 or 5 times a power of ten, near to a length. */
export function niceStep(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const rest = length / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

function gridTexture(theme: Theme): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.fillStyle = theme === "dark" ? "#2a2f37" : "#dddad3";
    pen.fillRect(0, 0, 256, 256);
    pen.strokeStyle = theme === "dark" ? "#3a414c" : "#c4c0b7";
    pen.lineWidth = 4;
    pen.strokeRect(0, 0, 256, 256);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

export class Bodies {
  readonly group = new THREE.Group();
  private groups: Group[] = [];
  private floors: { id: number; mesh: THREE.Mesh; corner: THREE.Vector3; normal: THREE.Vector3 }[] = [];
  private points: THREE.Points | null = null;
  private theme: Theme = "light";
  private selected = -1;
  showEdges = true;

  constructor(readonly world: World, readonly up: THREE.Vector3) {
    this.group.visible = false;
    world.shapes.forEach((shape, number) => {
      const ids = world.bodies.flatMap((body, id) => (body.shape === number ? [id] : []));
      if (shape.floor) ids.forEach((id) => this.addFloor(id, shape));
      else if (ids.length > 0) this.addGroup(ids, shape);
    });
    const particles = world.particles.reduce((sum, set) => sum + set.count, 0);
    if (particles > 0) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * particles), 3));
      const material = new THREE.PointsMaterial({ color: PALETTE[0], size: 4, sizeAttenuation: false });
      this.points = new THREE.Points(geometry, material);
      this.points.frustumCulled = false;
      this.group.add(this.points);
    }
    // A body without a shape is a dot.
    const bare = world.bodies.flatMap((body, id) => (body.shape < 0 ? [id] : []));
    if (bare.length > 0) {
      const r = 0.02 * world.size;
      const ball = new THREE.SphereGeometry(r, 12, 8);
      this.addMesh(bare, ball, null);
    }
  }

  private addGroup(ids: number[], shape: ShapeData): void {
    this.addMesh(ids, faces(shape), shape);
  }

  private addMesh(ids: number[], geometry: THREE.BufferGeometry, shape: ShapeData | null): void {
    const material = new THREE.MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new THREE.InstancedMesh(geometry, material, ids.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.userData.ids = ids;
    const offsets = new THREE.InstancedBufferAttribute(new Float32Array(3 * ids.length), 3);
    const turns = new THREE.InstancedBufferAttribute(new Float32Array(4 * ids.length), 4);
    let edges: THREE.LineSegments | null = null;
    if (shape && shape.edges.length > 0) {
      const outline = lines(shape);
      outline.setAttribute("offset", offsets);
      outline.setAttribute("turn", turns);
      outline.instanceCount = ids.length;
      edges = new THREE.LineSegments(outline, edgeMaterial());
      edges.frustumCulled = false;
      this.group.add(edges);
    }
    const isRound = (shape?.normals.length ?? 0) > 0;
    this.groups.push({ ids, mesh, edges, offsets, turns, isRound });
    this.group.add(mesh);
  }

  /** A piece of an infinite plane: opaque where things stand on it, else one sees through it. */
  private addFloor(id: number, shape: ShapeData): void {
    const geometry = faces(shape);
    const normal = new THREE.Vector3().fromBufferAttribute(geometry.getAttribute("normal") as THREE.BufferAttribute, 0);
    const position = geometry.getAttribute("position");
    const u = new THREE.Vector3(1, 0, 0);
    if (Math.abs(normal.x) > 0.9) u.set(0, 1, 0);
    u.addScaledVector(normal, -u.dot(normal)).normalize();
    const v = new THREE.Vector3().crossVectors(normal, u);
    const step = niceStep(0.5 * this.world.size);
    const uv = new Float32Array(2 * position.count);
    const p = new THREE.Vector3();
    for (let i = 0; i < position.count; i += 1) {
      p.fromBufferAttribute(position as THREE.BufferAttribute, i);
      uv[2 * i] = p.dot(u) / step;
      uv[2 * i + 1] = p.dot(v) / step;
    }
    geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    const material = new THREE.MeshLambertMaterial({ side: THREE.FrontSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
    const mesh = new THREE.Mesh(geometry, material);
    const corner = new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, 0);
    this.floors.push({ id, mesh, corner, normal });
    this.group.add(mesh);
  }

  /** Everything that can be clicked. */
  targets(): THREE.InstancedMesh[] {
    return this.groups.flatMap((group) => (group.mesh ? [group.mesh] : []));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const texture = gridTexture(theme);
    for (const { mesh } of this.floors) (mesh.material as THREE.MeshLambertMaterial).map = texture;
    for (const { edges, isRound } of this.groups) {
      if (!edges) continue;
      const { colour, opacity } = (edges.material as THREE.ShaderMaterial).uniforms;
      (colour.value as THREE.Color).set(theme === "dark" ? "#0b0d10" : "#1d2126");
      // On what is round lines only show how it turns.
      opacity.value = isRound ? 0.3 : 0.7;
    }
    this.paint();
  }

  select(id: number): void {
    this.selected = id;
    this.paint();
  }

  colourOf(id: number): string {
    const body = this.world.bodies[id];
    if (body.kind === "fixed") return FIXED[this.theme];
    return PALETTE[id % PALETTE.length];
  }

  private paint(): void {
    const colour = new THREE.Color();
    for (const { ids, mesh } of this.groups) {
      if (!mesh) continue;
      ids.forEach((id, i) => {
        colour.set(this.colourOf(id));
        if (id === this.selected) colour.lerp(new THREE.Color("#ffffff"), 0.3);
        mesh.setColorAt(i, colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Puts everything where a frame says, seen from the middle of the world. */
  place(frame: Frame): void {
    this.group.visible = true;
    const { centre, bodies } = this.world;
    const matrix = new THREE.Matrix4();
    const turn = new THREE.Quaternion();
    const place = new THREE.Vector3();
    const one = new THREE.Vector3(1, 1, 1);
    const at = (id: number) => {
      turn.fromArray(frame.q, 4 * id);
      const [ox, oy, oz] = bodies[id].origin;
      place.set(ox, oy, oz).applyQuaternion(turn);
      place.x += frame.x[3 * id] - centre[0];
      place.y += frame.x[3 * id + 1] - centre[1];
      place.z += frame.x[3 * id + 2] - centre[2];
    };
    for (const { ids, mesh, edges, offsets, turns } of this.groups) {
      ids.forEach((id, i) => {
        at(id);
        if (mesh) mesh.setMatrixAt(i, matrix.compose(place, turn, one));
        offsets.setXYZ(i, place.x, place.y, place.z);
        turns.setXYZW(i, turn.x, turn.y, turn.z, turn.w);
      });
      if (mesh) mesh.instanceMatrix.needsUpdate = true;
      // Rays ask for it, and it is stale.
      if (mesh) mesh.boundingSphere = null;
      if (edges) edges.visible = this.showEdges;
      offsets.needsUpdate = true;
      turns.needsUpdate = true;
    }
    for (const { id, mesh, corner, normal } of this.floors) {
      at(id);
      mesh.position.copy(place);
      mesh.quaternion.copy(turn);
      // What things stand on is opaque; through walls and ceilings one sees.
      const isLevel = Math.abs(normal.clone().applyQuaternion(turn).dot(this.up)) > 0.7;
      const isBelow = corner.clone().applyQuaternion(turn).add(place).dot(this.up) < 0 || !isLevel;
      const isFloor = isLevel && isBelow;
      const material = mesh.material as THREE.MeshLambertMaterial;
      // Programs of opaque and transparent materials differ.
      if (material.transparent === isFloor) material.needsUpdate = true;
      material.transparent = !isFloor;
      material.opacity = isFloor ? 1 : 0.05;
      material.depthWrite = isFloor;
      mesh.receiveShadow = isFloor;
      mesh.renderOrder = isFloor ? -1 : 2;
    }
    if (this.points && frame.particles.length > 0) {
      const attribute = this.points.geometry.getAttribute("position") as THREE.BufferAttribute;
      for (let i = 0; i < frame.particles.length; i += 1) {
        attribute.array[i] = frame.particles[i] - centre[i % 3];
      }
      attribute.needsUpdate = true;
    }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof THREE.Mesh || object instanceof THREE.LineSegments || object instanceof THREE.Points) {
        object.geometry.dispose();
        (object.material as THREE.Material).dispose();
      }
    });
  }
}
