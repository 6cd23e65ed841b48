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

  /** Hands them to the graphics card; whether there are any. */
  flush(): boolean {
    for (const [name, numbers] of [["position", this.positions], ["color", this.colours]] as const) {
      const known = this.geometry.getAttribute(name) as THREE.BufferAttribute | undefined;
      if (known?.array === numbers.array) known.needsUpdate = true;
      else this.geometry.setAttribute(name, new THREE.BufferAttribute(numbers.array, 3).setUsage(THREE.DynamicDrawUsage));
    }
    const count = this.positions.length / 3;
    this.geometry.setDrawRange(0, count);
    return count > 0;
  }
}

/** Line segments and dots. */
export class Lines {
  readonly group = new THREE.Group();
  private readonly segments: THREE.LineSegments;
  private readonly points: THREE.Points;
  private readonly ends: Corners;
  private readonly dots: Corners;

  constructor() {
    const line = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.segments = new THREE.LineSegments(new THREE.BufferGeometry(), line);
    const point = new THREE.PointsMaterial({ size: 7, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true });
    this.points = new THREE.Points(new THREE.BufferGeometry(), point);
    [this.segments.renderOrder, this.points.renderOrder] = [9, 11];
    for (const object of [this.segments, this.points]) {
      object.frustumCulled = false;
      this.group.add(object);
    }
    this.ends = new Corners(this.segments.geometry);
    this.dots = new Corners(this.points.geometry);
  }

  clear(): void {
    this.ends.clear();
    this.dots.clear();
  }

  add(a: THREE.Vector3, b: THREE.Vector3, colour: THREE.Color): void {
    this.ends.add(a, colour);
    this.ends.add(b, colour);
  }

  dot(p: THREE.Vector3, colour: THREE.Color): void {
    this.dots.add(p, colour);
  }

  flush(): void {
    this.segments.visible = this.ends.flush();
    this.points.visible = this.dots.flush();
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
