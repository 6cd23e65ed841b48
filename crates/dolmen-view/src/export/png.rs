//! A picture of a run, a strip of pictures, or pictures that move, without a display.

use dolmen::math::{Aabb, DQuat, DVec3};
use dolmen::world::World;

use super::ExportError;
use super::palette::Palette;
use super::raster::{Camera, Light, Raster};
use crate::describe::{Drawn, Extents, extents, radius, surfaces, upright};
use crate::recording::Frame;
use crate::take::Take;

/// What a picture shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Instants, s: one is a picture, several are a strip from left to right.
    pub times: Vec<f64>,
    /// Width of each, px.
    pub width: usize,
    /// Height of each, px.
    pub height: usize,
}

/// Pictures in a strip.
const MOST_TIMES: usize = 64;

/// Pictures that move one after the other.
const MOST_MOVING: usize = 1200;

/// Sides of a picture, px.
const SIDES: std::ops::RangeInclusive<usize> = 16..=4096;

/// Pixels of a whole strip.
const MOST_PIXELS: usize = 1 << 26;

/// Tangent of half the opening of the camera.
const OPENING: f64 = 0.344;

/// Margin around what is shown.
const MARGIN: f64 = 1.1;

/// Lines each way on a floor.
const GRID: u32 = 24;

/// White paper; printers like it.
const PAPER: Light = [1.0, 1.0, 1.0];
const FLOOR: Light = [0.87, 0.86, 0.84];
const SHADOW: f32 = 0.72;
const EDGE: Light = [0.03, 0.035, 0.04];

/// Okabe and Ito's colours, linear.
const COLOURS: [Light; 6] = [
    [0.05, 0.19, 0.47],
    [0.79, 0.36, 0.03],
    [0.03, 0.35, 0.2],
    [0.6, 0.21, 0.4],
    [0.11, 0.46, 0.8],
    [0.66, 0.14, 0.03],
];
const STILL: Light = [0.5, 0.52, 0.55];

/// Refuses sides and numbers of pictures that are out of range, before anything is drawn.
fn check(picture: &Picture, most_times: usize) -> Result<(), ExportError> {
    let check = |what, value, least, most| {
        if (least..=most).contains(&value) {
            Ok(())
        } else {
            Err(ExportError::Range { what, value, least, most })
        }
    };
    check("the number of pictures", picture.times.len(), 1, most_times)?;
    check("the width", picture.width, *SIDES.start(), *SIDES.end())?;
    check("the height", picture.height, *SIDES.start(), *SIDES.end())?;
    check("the number of pixels", picture.width * picture.height * picture.times.len(), 1, MOST_PIXELS)
}

/// The pictures at all instants, three bytes a pixel.
fn shoot(take: &Take, picture: &Picture) -> Vec<Vec<u8>> {
    let stage = Set::new(take, picture);
    let frames = picture.times.iter().filter_map(|t| take.recording().at(*t));
    frames.map(|frame| stage.shoot(&frame).halved().1).collect()
}

/// Pictures that move, as an animated PNG without end: browsers show it, programs that do not know it show its first picture. All
/// have one palette of 255 colours; of a picture only the rectangle that changed is kept, and in it only the pixels that did.
///
/// `delay`: time for which each is shown, ms.
///
/// # Errors
/// When a side, the number of pictures or the delay is out of range.
pub fn apng(take: &Take, picture: &Picture, delay: u16) -> Result<Vec<u8>, ExportError> {
    check(picture, MOST_MOVING)?;
    if delay == 0 {
        return Err(ExportError::Range {
            what: "the time of a picture in ms",
            value: 0,
            least: 1,
            most: usize::from(u16::MAX),
        });
    }
    let pictures = shoot(take, picture);
    let palette = Palette::new(pictures.iter().map(Vec::as_slice));
    let mut file = Vec::new();
    write_moving(&mut file, picture, delay, &pictures, &palette)
        .map_err(|error| ExportError::Picture(error.to_string()))?;
    Ok(file)
}

fn write_moving(
    file: &mut Vec<u8>,
    picture: &Picture,
    delay: u16,
    pictures: &[Vec<u8>],
    palette: &Palette,
) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(file, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.bytes());
    encoder.set_trns(Palette::opacities());
    encoder.set_compression(png::Compression::High);
    encoder.set_animated(pictures.len() as u32, 0)?;
    encoder.set_frame_delay(delay, 1000)?;
    encoder.set_blend_op(png::BlendOp::Over)?;
    let mut writer = encoder.write_header()?;
    let mut before: Option<Vec<u8>> = None;
    for pixels in pictures {
        let now = palette.indices(pixels);
        let [x, y, width, height] = before
            .as_ref()
            .map_or([0, 0, picture.width, picture.height], |before| changed(before, &now, picture.width));
        // The dimension is checked against the position that is set: back to the corner first.
        writer.set_frame_position(0, 0)?;
        writer.set_frame_dimension(width as u32, height as u32)?;
        writer.set_frame_position(x as u32, y as u32)?;
        let mut bytes = Vec::with_capacity(width * height);
        for row in y..y + height {
            let range = row * picture.width + x..row * picture.width + x + width;
            match &before {
                Some(before) => bytes.extend(
                    before[range.clone()]
                        .iter()
                        .zip(&now[range])
                        .map(|(old, new)| if old == new { Palette::SAME } else { *new }),
                ),
                None => bytes.extend_from_slice(&now[range]),
            }
        }
        writer.write_image_data(&bytes)?;
        before = Some(now);
    }
    writer.finish()
}

/// The rectangle around all that differs: x, y, width, height; one pixel if nothing does.
fn changed(before: &[u8], now: &[u8], width: usize) -> [usize; 4] {
    let differs = || (0..now.len()).filter(|i| before[*i] != now[*i]);
    let ends = |values: &mut dyn Iterator<Item = usize>| {
        values.fold((usize::MAX, 0), |(least, most), v| (v.min(least), v.max(most)))
    };
    let (left, right) = ends(&mut differs().map(|i| i % width));
    let (top, bottom) = ends(&mut differs().map(|i| i / width));
    if left > right { [0, 0, 1, 1] } else { [left, top, right - left + 1, bottom - top + 1] }
}

/// The picture as a PNG file.
///
/// # Errors
/// When a side or the number of pictures is out of range.
pub fn png(take: &Take, picture: &Picture) -> Result<Vec<u8>, ExportError> {
    check(picture, MOST_TIMES)?;
    let strips = shoot(take, picture);
    let (row, count) = (3 * picture.width, strips.len());
    let mut bytes = Vec::with_capacity(row * picture.height * count);
    for y in 0..picture.height {
        for (i, strip) in strips.iter().enumerate() {
            let start = bytes.len();
            bytes.extend_from_slice(&strip[y * row..(y + 1) * row]);
            // A thin line between two pictures.
            if i > 0 {
                bytes[start..start + 3].fill(150);
            }
        }
    }
    let mut file = Vec::new();
    let size = [picture.width * count, picture.height].map(|n| n as u32);
    let mut encoder = png::Encoder::new(&mut file, size[0], size[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
    written.map_err(|error| ExportError::Picture(error.to_string()))?;
    Ok(file)
}

/// What stays the same from picture to picture.
struct Set<'a> {
    world: &'a World,
    shapes: Vec<Drawn>,
    places: Vec<i64>,
    camera: Camera,
    size: [usize; 2],
    sun: DVec3,
    up: DVec3,
    centre: DVec3,
}

impl<'a> Set<'a> {
    fn new(take: &'a Take, picture: &Picture) -> Self {
        let world = take.world();
        let start = extents(world);
        let (shapes, places) = surfaces(world, &start);
        let up = upright(world);
        let across = up.any_orthonormal_vector();
        let across = if up == DVec3::Z { DVec3::X } else { across };
        let beside = up.cross(across);
        let back = (0.62 * across - 0.92 * beside + 0.42 * up).normalize();
        let size = [2 * picture.width, 2 * picture.height];
        let seen = worth_seeing(take, &start);
        let (target, distance) = framed(&seen, back, up, size);
        let eye = target + back * distance.max(1e-3 * start.size);
        let camera = Camera::new(eye, target, up, OPENING, size);
        let sun = (up * 2.6 + across * 1.1 - beside * 0.7).normalize();
        Self { world, shapes, places, camera, size, sun, up, centre: start.centre }
    }

    fn shoot(&self, frame: &Frame) -> Raster {
        let mut raster = Raster::new(self.size, PAPER);
        let floors = self.draw_floors(frame, &mut raster);
        for id in self.world.described_ids() {
            let body = self.world.body(id);
            let Some(drawn) = self.shape_of(id.index()).filter(|drawn| !drawn.is_floor) else { continue };
            let colour = if body.is_dynamic() { COLOURS[id.index() % COLOURS.len()] } else { STILL };
            let key = &frame.bodies[id.index()];
            let q = key.orientation();
            let place = |p: DVec3| key.position() + q * (p + body.shape_origin());
            self.draw_body(drawn, &place, q, colour, &mut raster);
            for (point, normal) in &floors {
                self.draw_shadow(drawn, &place, *point, *normal, &mut raster);
            }
        }
        for particle in frame.particles.iter() {
            let p = DVec3::from_array(particle.map(f64::from));
            raster.dot(&self.camera, p, COLOURS[0]);
        }
        raster
    }

    fn shape_of(&self, rank: usize) -> Option<&Drawn> {
        usize::try_from(self.places[rank]).ok().map(|place| &self.shapes[place])
    }

    /// Planes that can be floors, each as a point and its normal; others are left out, since they hide what is behind.
    fn draw_floors(&self, frame: &Frame, raster: &mut Raster) -> Vec<(DVec3, DVec3)> {
        let mut floors = Vec::new();
        for id in self.world.described_ids() {
            let Some(drawn) = self.shape_of(id.index()).filter(|drawn| drawn.is_floor) else { continue };
            let key = &frame.bodies[id.index()];
            let q = key.orientation();
            let surface = &drawn.surface;
            let facing = |i: usize| q * surface.normals[i][0];
            let Some(upper) = (0..surface.triangles.len()).find(|i| facing(*i).dot(self.up) > 0.8) else {
                continue;
            };
            // A ceiling would hide what is below it.
            let corner = key.position() + q * surface.vertices[surface.triangles[upper][0] as usize];
            if (corner - self.centre).dot(self.up) > 0.0 {
                continue;
            }
            let normal = facing(upper);
            for (i, t) in surface.triangles.iter().enumerate().filter(|(i, _)| facing(*i).dot(self.up) > 0.8)
            {
                let corners = t.map(|v| key.position() + q * surface.vertices[v as usize]);
                raster.triangle(&self.camera, corners, [1.0; 3], FLOOR);
                if i == upper {
                    floors.push((corners[0], normal));
                }
            }
            self.draw_grid(&|p| key.position() + q * p, &surface.vertices, raster);
        }
        floors
    }

    /// Lines on a square piece of a plane, whose corners are given in order.
    fn draw_grid(&self, place: &dyn Fn(DVec3) -> DVec3, corners: &[DVec3], raster: &mut Raster) {
        let &[a, b, c, d, ..] = corners else { return };
        for i in 0..=GRID {
            let s = f64::from(i) / f64::from(GRID);
            for [from, to] in [[a.lerp(b, s), d.lerp(c, s)], [a.lerp(d, s), b.lerp(c, s)]] {
                raster.line(&self.camera, place(from), place(to), FLOOR.map(|part| 0.86 * part));
            }
        }
    }

    fn draw_body(
        &self,
        drawn: &Drawn,
        place: &dyn Fn(DVec3) -> DVec3,
        q: DQuat,
        colour: Light,
        raster: &mut Raster,
    ) {
        let surface = &drawn.surface;
        for (t, normals) in surface.triangles.iter().zip(&surface.normals) {
            // From the sky and from the sun.
            let lit = normals.map(|normal| {
                let normal = q * normal;
                (0.45 + 0.17 * normal.dot(self.up) + 0.55 * normal.dot(self.sun).max(0.0)) as f32
            });
            let corners = t.map(|v| place(surface.vertices[v as usize]));
            raster.triangle(&self.camera, corners, lit, colour);
        }
        if !drawn.is_round {
            for [a, b] in &surface.edges {
                let ends = [*a, *b].map(|v| place(surface.vertices[v as usize]));
                raster.line(&self.camera, ends[0], ends[1], EDGE);
            }
        }
    }

    /// The triangles pushed along the light onto the floor; a little above it, so that they are seen.
    fn draw_shadow(
        &self,
        drawn: &Drawn,
        place: &dyn Fn(DVec3) -> DVec3,
        point: DVec3,
        normal: DVec3,
        raster: &mut Raster,
    ) {
        let slope = self.sun.dot(normal);
        if slope < 0.1 {
            return;
        }
        let fallen = |p: DVec3| {
            let height = (p - point).dot(normal);
            p - self.sun * (height / slope) + 1e-3 * height.abs().min(1.0) * normal
        };
        for t in &drawn.surface.triangles {
            let corners = t.map(|v| place(drawn.surface.vertices[v as usize]));
            if corners.iter().all(|p| (*p - point).dot(normal) >= -1e-9) {
                raster.triangle(&self.camera, corners.map(fallen), [SHADOW; 3], FLOOR);
            }
        }
    }
}

/// A box around all that moves at any time, what is near by, and the floor below; nothing that has flown away for good makes
/// the rest too small to see.
fn worth_seeing(take: &Take, start: &Extents) -> Aabb {
    let world = take.world();
    let most = DVec3::splat(8.0 * start.size);
    let around = |p: DVec3, r: f64| {
        let p = (p - start.centre).clamp(-most, most) + start.centre;
        Aabb::point(p).grown(r.min(8.0 * start.size))
    };
    let mut seen = Aabb::EMPTY;
    for frame in take.recording().frames() {
        for (key, body) in
            frame.bodies.iter().zip(world.described_bodies()).filter(|(_, body)| body.is_dynamic())
        {
            if key.position().is_finite() {
                seen = seen.join(&around(key.position(), radius(body)));
            }
        }
        for p in frame.particles.iter() {
            seen = seen.join(&around(DVec3::from_array(p.map(f64::from)), 0.0));
        }
    }
    if !(seen.min.is_finite() && seen.max.is_finite()) {
        return Aabb::point(start.centre).grown(start.size);
    }
    let (middle, size) = (0.5 * (seen.min + seen.max), 0.5 * (seen.max - seen.min).length());
    for body in world.described_bodies().iter().filter(|body| !body.is_dynamic()) {
        let (p, r) = (body.start_pose().position, radius(body));
        if r > 0.0 && r < 2.0 * size && p.distance(middle) < 4.0 * size {
            seen = seen.join(&around(p, r));
        }
    }
    // The middle of the start and the foot of it on the planes below.
    seen.join(&Aabb::point(start.centre))
}

/// The target and the distance of the camera, for all corners of a box to be in the picture and in its middle.
///
/// A corner is in the picture if |y| ≤ (distance − depth) tan(half the opening), likewise across. What is near looks large, so the
/// middle of the box is not that of the picture: the eye moves until it is.
fn framed(seen: &Aabb, back: DVec3, up: DVec3, size: [usize; 2]) -> (DVec3, f64) {
    let right = up.cross(back).normalize();
    let top = back.cross(right);
    let short = size[0].min(size[1]) as f64;
    let [wide, high] = size.map(|n| OPENING * n as f64 / short);
    let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
        let pick = |bit: u32, low: f64, high: f64| if i >> bit & 1 == 1 { high } else { low };
        let (a, b) = (seen.min, seen.max);
        DVec3::new(pick(0, a.x, b.x), pick(1, a.y, b.y), pick(2, a.z, b.z))
    });
    let (mut target, mut distance) = (0.5 * (seen.min + seen.max), 0.0);
    for _ in 0..4 {
        distance = corners.iter().fold(0.0, |most: f64, corner| {
            let p = *corner - target;
            let needed = (p.dot(right).abs() / wide).max(p.dot(top).abs() / high);
            most.max(p.dot(back) + MARGIN * needed)
        });
        let middle = |axis: DVec3, opening: f64| {
            let at = corners.map(|corner| {
                let p = corner - target;
                p.dot(axis) / (opening * (distance - p.dot(back)))
            });
            0.5 * (at.into_iter().fold(1.0, f64::min) + at.into_iter().fold(-1.0, f64::max))
                * opening
                * distance
        };
        // A point has no extent to put into the middle.
        let shift = middle(right, wide) * right + middle(top, high) * top;
        if shift.is_finite() {
            target += shift;
        }
    }
    (target, distance)
}
