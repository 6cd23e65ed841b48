//! A small software rasteriser: flat pieces of shaded triangles and lines with a depth for each pixel.

use dolmen::math::DVec3;

/// Red, green, blue, 0 … 1, linear.
pub(super) type Light = [f32; 3];

/// Radius of a dot, in pixels of which four make one.
const DOT: i32 = 3;

/// A camera that looks at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    /// Pixels by tangent.
    focal: f64,
    middle: [f64; 2],
    near: f64,
}

impl Camera {
    /// At `eye`, looking at `target`, with half an opening whose tangent is `opening` over the shorter side of the picture.
    pub(super) fn new(eye: DVec3, target: DVec3, upright: DVec3, opening: f64, size: [usize; 2]) -> Self {
        let forward = (target - eye).normalize_or_zero();
        let right = forward.cross(upright).normalize_or_zero();
        let short = size[0].min(size[1]) as f64;
        Self {
            eye,
            right,
            up: right.cross(forward),
            forward,
            focal: 0.5 * short / opening,
            middle: size.map(|n| 0.5 * n as f64),
            near: 1e-3 * (target - eye).length(),
        }
    }

    /// Right, up and depth, m.
    fn seen(&self, p: DVec3) -> DVec3 {
        let d = p - self.eye;
        DVec3::new(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// Pixel and 1/depth of something in front of the eye.
    fn pixel(&self, p: DVec3) -> [f64; 3] {
        let by = self.focal / p.z;
        [self.middle[0] + p.x * by, self.middle[1] - p.y * by, 1.0 / p.z]
    }
}

/// A picture in the making.
pub(super) struct Raster {
    pub(super) size: [usize; 2],
    pixels: Vec<Light>,
    /// 1/depth; zero is nothing.
    nearness: Vec<f32>,
}

impl Raster {
    pub(super) fn new(size: [usize; 2], paper: Light) -> Self {
        let n = size[0] * size[1];
        Self { size, pixels: vec![paper; n], nearness: vec![0.0; n] }
    }

    /// A triangle in one colour, lit by so much at each corner; what is behind the eye is cut off.
    pub(super) fn triangle(&mut self, camera: &Camera, corners: [DVec3; 3], lit: [f32; 3], colour: Light) {
        let seen = [0, 1, 2].map(|i| (camera.seen(corners[i]), f64::from(lit[i])));
        // Cut at the near plane: a polygon of up to four corners.
        let mut cut: Vec<(DVec3, f64)> = Vec::with_capacity(4);
        for i in 0..3 {
            let ((p, lit_p), (q, lit_q)) = (seen[i], seen[(i + 1) % 3]);
            if p.z > camera.near {
                cut.push((p, lit_p));
            }
            if (p.z > camera.near) != (q.z > camera.near) {
                let s = (camera.near - p.z) / (q.z - p.z);
                cut.push((p + s * (q - p), lit_p + s * (lit_q - lit_p)));
            }
        }
        for i in 2..cut.len() {
            let corners = [cut[0], cut[i - 1], cut[i]];
            self.fill(corners.map(|(p, _)| camera.pixel(p)), corners.map(|(_, lit)| lit), colour);
        }
    }

    /// Edge functions over the box of a triangle of pixels.
    fn fill(&mut self, [a, b, c]: [[f64; 3]; 3], lit: [f64; 3], colour: Light) {
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let range = |k: usize| {
            let low = a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize;
            let high = (a[k].max(b[k]).max(c[k]).ceil().max(0.0) as usize).min(self.size[k]);
            low..high
        };
        let (columns, rows) = (range(0), range(1));
        for y in rows {
            for x in columns.clone() {
                let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
                let side = |p: &[f64; 3], q: &[f64; 3]| {
                    ((q[0] - p[0]) * (py - p[1]) - (q[1] - p[1]) * (px - p[0])) / area
                };
                let (u, v, w) = (side(&b, &c), side(&c, &a), side(&a, &b));
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    let light = (u * lit[0] + v * lit[1] + w * lit[2]) as f32;
                    let nearness = (u * a[2] + v * b[2] + w * c[2]) as f32;
                    self.put(x, y, nearness, colour.map(|part| part * light));
                }
            }
        }
    }

    /// A line of one pixel, a little nearer than the faces that it bounds.
    pub(super) fn line(&mut self, camera: &Camera, from: DVec3, to: DVec3, light: Light) {
        let (mut p, mut q) = (camera.seen(from), camera.seen(to));
        if p.z <= camera.near && q.z <= camera.near {
            return;
        }
        let cut = |inside: DVec3, outside: DVec3| {
            outside + (camera.near - outside.z) / (inside.z - outside.z) * (inside - outside)
        };
        if p.z <= camera.near {
            p = cut(q, p);
        } else if q.z <= camera.near {
            q = cut(p, q);
        }
        let (a, b) = (camera.pixel(p), camera.pixel(q));
        let Some((s_a, s_b)) = self.inside(a, b) else { return };
        let length = (s_b - s_a) * (b[0] - a[0]).abs().max((b[1] - a[1]).abs());
        let steps = length.ceil().max(1.0);
        for i in 0..=steps as usize {
            // 1/depth is linear in the picture.
            let s = s_a + (s_b - s_a) * (i as f64 / steps);
            let at = [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
            let (x, y) = (at[0] as usize, at[1] as usize);
            if x < self.size[0] && y < self.size[1] {
                self.put(x, y, (at[2] * 1.002) as f32, light);
            }
        }
    }

    /// From where to where a line is inside the picture, as shares of its length; none if it passes by.
    fn inside(&self, a: [f64; 3], b: [f64; 3]) -> Option<(f64, f64)> {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for k in 0..2 {
            let (along, most) = (b[k] - a[k], self.size[k] as f64);
            if along == 0.0 {
                if !(0.0..most).contains(&a[k]) {
                    return None;
                }
                continue;
            }
            let (s, t) = (-a[k] / along, (most - a[k]) / along);
            (from, to) = (from.max(s.min(t)), to.min(s.max(t)));
        }
        // A number that is not finite passes by, too.
        (from < to).then_some((from, to))
    }

    /// A dot of a few pixels, whatever its distance.
    pub(super) fn dot(&mut self, camera: &Camera, at: DVec3, light: Light) {
        let seen = camera.seen(at);
        if seen.z <= camera.near {
            return;
        }
        let [px, py, nearness] = camera.pixel(seen);
        for dy in -DOT..=DOT {
            for dx in -DOT..=DOT {
                let (x, y) = (px + f64::from(dx), py + f64::from(dy));
                let is_inside = x >= 0.0 && y >= 0.0 && x < self.size[0] as f64 && y < self.size[1] as f64;
                if is_inside && dx * dx + dy * dy <= DOT * DOT {
                    self.put(x as usize, y as usize, nearness as f32, light);
                }
            }
        }
    }

    fn put(&mut self, x: usize, y: usize, nearness: f32, light: Light) {
        let i = y * self.size[0] + x;
        if nearness >= self.nearness[i] {
            (self.nearness[i], self.pixels[i]) = (nearness, light);
        }
    }

    /// Half as wide and high, each pixel the mean of four, as bytes of sRGB.
    pub(super) fn halved(&self) -> ([usize; 2], Vec<u8>) {
        let size = self.size.map(|n| n / 2);
        let mut bytes = Vec::with_capacity(3 * size[0] * size[1]);
        for y in 0..size[1] {
            for x in 0..size[0] {
                let at = |dx: usize, dy: usize| self.pixels[(2 * y + dy) * self.size[0] + 2 * x + dx];
                let four = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
                bytes.extend((0..3).map(|k| {
                    let mean = four.iter().map(|light| light[k]).sum::<f32>() / 4.0;
                    // A square root is near enough to the curve of sRGB.
                    (mean.clamp(0.0, 1.0).sqrt() * 255.0).round() as u8
                }));
            }
        }
        (size, bytes)
    }
}
