// Bodies with their true geometry: every kind of shape once, drawn as often as there are bodies of it.

import * as THREE from "three";
import { MergedMesh, MOST_CORNERS } from "./merged_mesh";
import type { Frame, ShapeData, Described } from "./protocol";

/** Colours that colour-blind people can tell apart (Okabe and Ito). */
export const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7f6fc4"];
const FIXED = { light: "#b9bec6", dark: "#5a616c" };

export type Theme = "light" | "dark";

interface Group {
  ids: number[];
  /** What is drawn, or, where bodies are merged into one mesh, only clicked. */
  mesh: THREE.InstancedMesh;
  merged: MergedMesh | null;
  edges: THREE.LineSegments | null;
  offsets: THREE.InstancedBufferAttribute;
  turns: THREE.InstancedBufferAttribute;
  /** Origins of shapes from centres of mass, three numbers each. */
  origins: Float32Array;
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

/** The triangles of a shape; corners of the same place and normal are one, so that each is worked out once. */
function faces(shape: ShapeData): THREE.BufferGeometry {
  const { vertices, triangles, normals } = shape;
  const isRound = normals.length === 3 * triangles.length;
  const [positions, directions, index]: number[][] = [[], [], []];
  const known = new Map<string, number>();
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  triangles.forEach((vertex, i) => {
    if (!isRound && i % 3 === 0) {
      a.fromArray(vertices, 3 * triangles[i]);
      b.fromArray(vertices, 3 * triangles[i + 1]).sub(a);
      c.fromArray(vertices, 3 * triangles[i + 2]).sub(a);
      b.cross(c).normalize();
    }
    const normal = isRound ? normals.slice(3 * i, 3 * i + 3) : [b.x, b.y, b.z];
    const key = `${vertex} ${normal.map((n) => Math.round(1e3 * n)).join(" ")}`;
    let place = known.get(key);
    if (place === undefined) {
      place = known.size;
      known.set(key, place);
      positions.push(...vertices.slice(3 * vertex, 3 * vertex + 3));
      directions.push(...normal);
    }
    index.push(place);
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(directions, 3));
  geometry.setIndex(index);
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

/** Sides of the squares on floors and on the grid, m. */
export const floorStep = (world: Described): number => niceStep((world.shapes.some((shape) => shape.floor) ? 0.5 : 0.4) * world.size);

const FLOOR = { light: "#dddad3", dark: "#2a2f37" };
const GRID = { light: "#c4c0b7", dark: "#3a414c" };
const SHADOW = { light: "#b4b0a8", dark: "#191d22" };

function gridTexture(theme: Theme, isPlain: boolean): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.fillStyle = FLOOR[theme];
    pen.fillRect(0, 0, 256, 256);
    pen.strokeStyle = GRID[theme];
    pen.lineWidth = 4;
    pen.strokeRect(0, 0, 256, 256);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  // A floor that is seen at a slant is sharper with more samples; without a graphics card each of them costs.
  texture.anisotropy = isPlain ? 1 : 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

/** Two directions across an axis. */
export function across(up: THREE.Vector3): [THREE.Vector3, THREE.Vector3] {
  const u = Math.abs(up.z) > 0.5 ? new THREE.Vector3(1, 0, 0) : Math.abs(up.y) > 0.5 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, 1, 0);
  return [u, new THREE.Vector3().crossVectors(up, u)];
}

/** Bodies of one shape that are worth one mesh of their own, without a graphics card. */
const MANY = 12;

/** Cells of the grid to each side of its middle. */
const GRID_CELLS = 16;

export class Bodies {
  readonly group = new THREE.Group();
  private groups: Group[] = [];
  private floors: { id: number; mesh: THREE.Mesh; corner: THREE.Vector3; normal: THREE.Vector3; isFloor: boolean }[] = [];
  private points: THREE.Points | null = null;
  private theme: Theme = "light";
  private selected = -1;
  showEdges = true;

  /** Shadows that fall on floors, of every group on every floor; only where light is plain. */
  private shadows: { mesh: THREE.Mesh; floor: number }[] = [];

  /** `isPlain`: as little work for each pixel as can be, for machines without a graphics card. */
  constructor(readonly world: Described, readonly up: THREE.Vector3, readonly sun: THREE.Vector3, readonly isPlain: boolean) {
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
    if (isPlain) this.addShadows();
    if (!world.shapes.some((shape) => shape.floor)) this.addGrid();
    // A body without a shape is a dot.
    const bare = world.bodies.flatMap((body, id) => (body.shape < 0 ? [id] : []));
    if (bare.length > 0) {
      const r = 0.035 * world.size;
      const ball = new THREE.SphereGeometry(r, 16, 12);
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
    const isRound = (shape?.normals.length ?? 0) > 0;
    // Lines on what is round only show how it turns: not worth it where many are drawn pixel by pixel.
    const hasEdges = shape !== null && shape.edges.length > 0 && !(this.isPlain && isRound && ids.length > 300);
    const origins = Float32Array.from(ids.flatMap((id) => this.world.bodies[id].origin));
    const corners = ids.length * Math.max(geometry.getAttribute("position").count, (shape?.vertices.length ?? 0) / 3);
    const isMerged = this.isPlain && shape !== null && ids.length >= MANY && corners <= MOST_CORNERS;
    let merged: MergedMesh | null = null;
    let edges: THREE.LineSegments | null = null;
    if (isMerged) {
      const isBall = this.world.bodies[ids[0]].shape_name === "ball" && ids.length > 300;
      merged = new MergedMesh(geometry, shape, ids.length, isBall, hasEdges, this);
      edges = merged.edges;
      mesh.visible = false;
      this.group.add(merged.solid);
    } else if (hasEdges) {
      const outline = lines(shape);
      outline.setAttribute("offset", offsets);
      outline.setAttribute("turn", turns);
      outline.instanceCount = ids.length;
      edges = new THREE.LineSegments(outline, edgeMaterial());
      edges.frustumCulled = false;
    }
    if (edges) this.group.add(edges);
    this.groups.push({ ids, mesh, merged, edges, offsets, turns, origins, isRound });
    this.group.add(mesh);
  }

  /** Where there is no floor, a faint grid tells what is level and how far things are. */
  private addGrid(): void {
    const step = floorStep(this.world);
    const [u, v] = across(this.up);
    const points: THREE.Vector3[] = [];
    const at = (i: number, k: number) => new THREE.Vector3().addScaledVector(u, i * step).addScaledVector(v, k * step);
    // Cell by cell: a long line that passes behind the eye is not drawn by every driver.
    for (let i = -GRID_CELLS; i <= GRID_CELLS; i += 1) {
      for (let k = -GRID_CELLS; k < GRID_CELLS; k += 1) points.push(at(i, k), at(i, k + 1), at(k, i), at(k + 1, i));
    }
    const geometry = new THREE.BufferGeometry().setFromPoints(points);
    this.grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial());
    this.grid.frustumCulled = false;
    this.group.add(this.grid);
  }

  private grid: THREE.LineSegments | null = null;

  /** Puts the grid below all that is looked at. */
  setGround(box: THREE.Box3): void {
    if (!this.grid) return;
    const [low, high] = [box.min.dot(this.up), box.max.dot(this.up)];
    box.getCenter(this.grid.position);
    this.grid.position.addScaledVector(this.up, Math.min(low, high) - this.grid.position.dot(this.up));
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
    const step = floorStep(this.world);
    const uv = new Float32Array(2 * position.count);
    const p = new THREE.Vector3();
    for (let i = 0; i < position.count; i += 1) {
      p.fromBufferAttribute(position as THREE.BufferAttribute, i);
      uv[2 * i] = p.dot(u) / step;
      uv[2 * i + 1] = p.dot(v) / step;
    }
    geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    const options = { side: THREE.FrontSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 };
    const material = this.isPlain ? new THREE.MeshBasicMaterial(options) : new THREE.MeshLambertMaterial(options);
    const mesh = new THREE.Mesh(geometry, material);
    const corner = new THREE.Vector3().fromBufferAttribute(position as THREE.BufferAttribute, 0);
    this.floors.push({ id, mesh, corner, normal, isFloor: false });
    this.group.add(mesh);
  }

  /** Every body pressed flat along the light onto every floor: the same instances under another matrix. */
  private addShadows(): void {
    // Of many bodies they would cost more than all the rest.
    if (this.world.bodies.length > 1000) return;
    this.floors.forEach((_, floor) => {
      for (const { mesh, merged, ids } of this.groups) {
        const shadow = merged ? merged.shadow() : this.instancedShadow(mesh, ids.length);
        shadow.matrixAutoUpdate = false;
        shadow.frustumCulled = false;
        this.shadows.push({ mesh: shadow, floor });
        this.group.add(shadow);
      }
    });
  }

  private instancedShadow(mesh: THREE.InstancedMesh, count: number): THREE.Mesh {
    const material = new THREE.MeshBasicMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const shadow = new THREE.InstancedMesh(mesh.geometry, material, count);
    shadow.instanceMatrix = mesh.instanceMatrix;
    return shadow;
  }

  /** x ↦ x − (n·(x − p)) / (n·s) s with the light s, for the plane through p with normal n; and a little above it. */
  private placeShadows(): void {
    for (const { mesh, floor } of this.shadows) {
      const plane = this.floors[floor];
      const normal = plane.normal.clone().applyQuaternion(plane.mesh.quaternion);
      const slope = normal.dot(this.sun);
      mesh.visible = plane.isFloor && slope > 0.1;
      if (!mesh.visible) continue;
      const point = plane.corner.clone().applyQuaternion(plane.mesh.quaternion).add(plane.mesh.position);
      const along = this.sun.clone().divideScalar(slope);
      const height = normal.dot(point) + 1e-4 * this.world.size;
      const [n, s] = [normal, along];
      mesh.matrix.set(
        1 - s.x * n.x, -s.x * n.y, -s.x * n.z, s.x * height,
        -s.y * n.x, 1 - s.y * n.y, -s.y * n.z, s.y * height,
        -s.z * n.x, -s.z * n.y, 1 - s.z * n.z, s.z * height,
        0, 0, 0, 1,
      );
    }
  }

  /** The point of each floor below a point, if it is not too far. */
  feet(point: THREE.Vector3, most: number): THREE.Vector3[] {
    return this.floors.filter((floor) => floor.isFloor).flatMap(({ mesh, normal, corner }) => {
      const n = normal.clone().applyQuaternion(mesh.quaternion);
      const height = point.clone().sub(corner.clone().applyQuaternion(mesh.quaternion).add(mesh.position)).dot(n);
      return Math.abs(height) < most ? [point.clone().addScaledVector(n, -height)] : [];
    });
  }

  /** Everything that can be clicked. */
  targets(): THREE.InstancedMesh[] {
    return this.groups.map((group) => group.mesh);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const texture = gridTexture(theme, this.isPlain);
    for (const { mesh } of this.floors) (mesh.material as THREE.MeshLambertMaterial).map = texture;
    if (this.grid) (this.grid.material as THREE.LineBasicMaterial).color.set(GRID[theme]);
    for (const { mesh } of this.shadows) {
      const { material } = mesh;
      if (material instanceof THREE.ShaderMaterial) (material.uniforms.colour.value as THREE.Color).set(SHADOW[theme]);
      else (material as THREE.MeshBasicMaterial).color.set(SHADOW[theme]);
    }
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
    for (const { ids, mesh, merged } of this.groups) {
      ids.forEach((id, i) => {
        colour.set(this.colourOf(id));
        if (id === this.selected) colour.lerp(new THREE.Color("#ffffff"), 0.3);
        if (merged) merged.paint(i, colour);
        else mesh.setColorAt(i, colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Puts everything where a frame says, seen from the middle of the world. */
  place(frame: Frame): void {
    this.group.visible = true;
    const isMoved = frame.version !== this.version;
    this.version = frame.version;
    for (const { ids, mesh, merged, edges, offsets, turns, origins } of this.groups) {
      if (edges) edges.visible = this.showEdges;
      if (!isMoved) continue;
      this.placeGroup(frame, ids, origins, offsets.array as Float32Array, turns.array as Float32Array, mesh);
      // Rays ask for it, and it is stale.
      mesh.boundingSphere = null;
      if (merged) merged.place(offsets.array, turns.array);
      else [mesh.instanceMatrix, offsets, turns].forEach((attribute) => { attribute.needsUpdate = true; });
    }
    if (isMoved) this.placeFloors(frame);
    if (this.points && frame.particles.length > 0) {
      const { centre } = this.world;
      const attribute = this.points.geometry.getAttribute("position") as THREE.BufferAttribute;
      for (let i = 0; i < frame.particles.length; i += 1) {
        attribute.array[i] = frame.particles[i] - centre[i % 3];
      }
      attribute.needsUpdate = true;
    }
  }

  /** Every body of a group: x + q o q⁻¹ and the rows of q as a matrix; without a single object, since there are thousands. */
  private placeGroup(
    frame: Frame, ids: number[], origins: Float32Array, offsets: Float32Array, turns: Float32Array, mesh: THREE.InstancedMesh,
  ): void {
    const { x: places, q } = frame;
    const [cx, cy, cz] = this.world.centre;
    const m = mesh.instanceMatrix.array as Float32Array;
    for (let i = 0; i < ids.length; i += 1) {
      const id = ids[i];
      const a = q[4 * id];
      const b = q[4 * id + 1];
      const c = q[4 * id + 2];
      const w = q[4 * id + 3];
      const m0 = 1 - 2 * (b * b + c * c);
      const m1 = 2 * (a * b + c * w);
      const m2 = 2 * (a * c - b * w);
      const m4 = 2 * (a * b - c * w);
      const m5 = 1 - 2 * (a * a + c * c);
      const m6 = 2 * (b * c + a * w);
      const m8 = 2 * (a * c + b * w);
      const m9 = 2 * (b * c - a * w);
      const m10 = 1 - 2 * (a * a + b * b);
      const ox = origins[3 * i];
      const oy = origins[3 * i + 1];
      const oz = origins[3 * i + 2];
      const px = places[3 * id] - cx + m0 * ox + m4 * oy + m8 * oz;
      const py = places[3 * id + 1] - cy + m1 * ox + m5 * oy + m9 * oz;
      const pz = places[3 * id + 2] - cz + m2 * ox + m6 * oy + m10 * oz;
      offsets[3 * i] = px;
      offsets[3 * i + 1] = py;
      offsets[3 * i + 2] = pz;
      turns[4 * i] = a;
      turns[4 * i + 1] = b;
      turns[4 * i + 2] = c;
      turns[4 * i + 3] = w;
      const k = 16 * i;
      m[k] = m0; m[k + 1] = m1; m[k + 2] = m2;
      m[k + 4] = m4; m[k + 5] = m5; m[k + 6] = m6;
      m[k + 8] = m8; m[k + 9] = m9; m[k + 10] = m10;
      m[k + 12] = px; m[k + 13] = py; m[k + 14] = pz; m[k + 15] = 1;
    }
  }

  private version = -1;

  private placeFloors(frame: Frame): void {
    const { centre, bodies } = this.world;
    for (const floor of this.floors) {
      const { id, mesh, corner, normal } = floor;
      mesh.quaternion.fromArray(frame.q, 4 * id);
      mesh.position.fromArray(bodies[id].origin).applyQuaternion(mesh.quaternion);
      mesh.position.x += frame.x[3 * id] - centre[0];
      mesh.position.y += frame.x[3 * id + 1] - centre[1];
      mesh.position.z += frame.x[3 * id + 2] - centre[2];
      // Floors are opaque; walls and ceilings are transparent.
      const isLevel = Math.abs(normal.clone().applyQuaternion(mesh.quaternion).dot(this.up)) > 0.7;
      const isBelow = corner.clone().applyQuaternion(mesh.quaternion).add(mesh.position).dot(this.up) < 0 || !isLevel;
      const isFloor = isLevel && isBelow;
      const material = mesh.material as THREE.MeshLambertMaterial;
      // Programs of opaque and transparent materials differ.
      if (material.transparent === isFloor) material.needsUpdate = true;
      material.transparent = !isFloor;
      material.opacity = isFloor ? 1 : 0.05;
      material.depthWrite = isFloor;
      // Transparent walls draw the picture once more each.
      mesh.visible = isFloor || !this.isPlain;
      mesh.receiveShadow = isFloor;
      mesh.renderOrder = isFloor ? -1 : 2;
      floor.isFloor = isFloor;
    }
    this.placeShadows();
  }

  dispose(): void {
    for (const { merged } of this.groups) merged?.dispose();
    this.group.traverse((object) => {
      if (object instanceof THREE.Mesh || object instanceof THREE.LineSegments || object instanceof THREE.Points) {
        object.geometry.dispose();
        (object.material as THREE.Material).dispose();
      }
    });
  }
}
