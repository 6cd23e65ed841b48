// Lines, dots and faces over the picture, each with a colour of its own; filled anew for every picture.

import * as THREE from "three";

/** Numbers that grow in place, so that no picture makes garbage. */
class Numbers {
  array = new Float32Array(3072);
  length = 0;

  push(x: number, y: number, z: number): void {
    if (this.length + 3 > this.array.length) {
      const larger = new Float32Array(2 * this.array.length);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length] = x;
    this.array[this.length + 1] = y;
    this.array[this.length + 2] = z;
    this.length += 3;
  }
}

/** Corners with colours, of lines, dots or triangles. */
class Corners {
  private readonly positions = new Numbers();
  private readonly colours = new Numbers();

  constructor(private readonly geometry: THREE.BufferGeometry) {}

  clear(): void {
    this.positions.length = 0;
    this.colours.length = 0;
  }

  add(p: THREE.Vector3, colour: THREE.Color): void {
    this.positions.push(p.x, p.y, p.z);
    this.colours.push(colour.r, colour.g, colour.b);
  }

  /** Hands them to the graphics card, and no more than there are; whether there are any. */
  flush(): boolean {
    const { length } = this.positions;
    this.geometry.setDrawRange(0, length / 3);
    if (length === 0) return false;
    for (const [name, numbers] of [["position", this.positions], ["color", this.colours]] as const) {
      let known = this.geometry.getAttribute(name) as THREE.BufferAttribute | undefined;
      if (known?.array !== numbers.array) {
        known = new THREE.BufferAttribute(numbers.array, 3).setUsage(THREE.DynamicDrawUsage);
        this.geometry.setAttribute(name, known);
      }
      upload(known, length);
    }
    return true;
  }
}

/** Marks the first numbers of an attribute as new, and only these. */
export function upload(attribute: THREE.BufferAttribute, numbers: number): void {
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, numbers);
  attribute.needsUpdate = true;
}

/** A round spot, full or hollow. */
function spot(isHollow: boolean): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.beginPath();
    pen.arc(16, 16, isHollow ? 11 : 13, 0, 2 * Math.PI);
    [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = ["#ffffff", "#ffffff", 7];
    if (isHollow) pen.stroke();
    else pen.fill();
  }
  return new THREE.CanvasTexture(canvas);
}

/** Line segments, and dots that are full or hollow. */
export class Lines {
  readonly group = new THREE.Group();
  private readonly segments: THREE.LineSegments;
  private readonly points: THREE.Points[];
  private readonly ends: Corners;
  private readonly dots: Corners[];

  constructor() {
    const line = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.segments = new THREE.LineSegments(new THREE.BufferGeometry(), line);
    this.segments.renderOrder = 9;
    this.points = [false, true].map((isHollow) => {
      const point = new THREE.PointsMaterial({
        size: isHollow ? 11 : 9, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true, map: spot(isHollow),
      });
      const points = new THREE.Points(new THREE.BufferGeometry(), point);
      points.renderOrder = 11;
      return points;
    });
    for (const object of [this.segments, ...this.points]) {
      object.frustumCulled = false;
      this.group.add(object);
    }
    this.ends = new Corners(this.segments.geometry);
    this.dots = this.points.map((points) => new Corners(points.geometry));
  }

  clear(): void {
    this.ends.clear();
    this.dots.forEach((dots) => dots.clear());
  }

  add(a: THREE.Vector3, b: THREE.Vector3, colour: THREE.Color): void {
    this.ends.add(a, colour);
    this.ends.add(b, colour);
  }

  dot(p: THREE.Vector3, colour: THREE.Color): void {
    this.dots[0].add(p, colour);
  }

  ring(p: THREE.Vector3, colour: THREE.Color): void {
    this.dots[1].add(p, colour);
  }

  flush(): void {
    this.segments.visible = this.ends.flush();
    this.dots.forEach((dots, i) => { this.points[i].visible = dots.flush(); });
  }
}

/** Triangles that one sees through. */
export class Faces {
  readonly object: THREE.Mesh;
  private readonly corners: Corners;

  /** `isOnTop`: bodies do not hide them. */
  constructor(isOnTop: boolean) {
    const glass = new THREE.MeshBasicMaterial({
      vertexColors: true, transparent: true, opacity: isOnTop ? 0.4 : 0.26, depthTest: !isOnTop, side: THREE.DoubleSide, depthWrite: false,
    });
    this.object = new THREE.Mesh(new THREE.BufferGeometry(), glass);
    this.object.frustumCulled = false;
    this.object.renderOrder = 8;
    this.corners = new Corners(this.object.geometry);
  }

  clear(): void {
    this.corners.clear();
  }

  add(a: THREE.Vector3, b: THREE.Vector3, c: THREE.Vector3, colour: THREE.Color): void {
    for (const p of [a, b, c]) this.corners.add(p, colour);
  }

  flush(): void {
    this.object.visible = this.corners.flush();
  }
}
