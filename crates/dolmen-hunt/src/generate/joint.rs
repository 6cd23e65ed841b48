//! Articulations: trees of bodies, each with a joint to an earlier one or to the world, with what acts in the joints.

use dolmen::math::DVec3;

use super::Scales;
use super::body::{clothe, motion};
use super::random::{Random, short};
use super::shape;
use super::stage::{Kind, Stage, Staged};
use super::text::{Table, exact, exact_vector, list, number, vector};

/// The kinds that lock axes, and which of `AXES` they leave free.
const KINDS: [(&str, &[usize]); 11] = [
    ("ball", &[3, 4, 5]),
    ("hinge", &[5]),
    ("hinge", &[5]),
    ("slider", &[2]),
    ("cylindrical", &[2, 5]),
    ("universal", &[3, 4]),
    ("planar", &[0, 1, 5]),
    ("weld", &[]),
    ("screw", &[5]),
    ("point-on-line", &[2, 3, 4, 5]),
    ("point-on-plane", &[0, 1, 3, 4, 5]),
];

const AXES: [&str; 6] = ["x", "y", "z", "turn-x", "turn-y", "turn-z"];

/// Hinges and sliders so far, which couplings may couple.
#[derive(Debug, Default)]
struct Named {
    count: usize,
    hinges: Vec<String>,
    sliders: Vec<String>,
}

/// Adds the bodies of a mechanism to the stage; the text of its joints.
pub(super) fn mechanism(stage: &mut Stage, scales: &Scales, random: &mut Random, most: usize) -> String {
    // Loops of rods or gears leave no room for joints that are off, nor for a drive that nothing can stop.
    let has_loops = random.chance(0.4);
    let named = Named::default();
    let mut maker = Maker { named, prefix: stage.mechanisms, scales, has_loops, text: String::new() };
    stage.mechanisms += 1;
    let root = stage.bodies.len();
    let count = random.count(1, most);
    let support = support(stage, scales, random);
    for k in 0..count {
        let size = short(scales.size(random));
        let parent = match (k, support) {
            (0, support) => support,
            _ if random.chance(0.7) => Some(stage.bodies.len() - 1),
            _ => Some(random.count(root, stage.bodies.len() - 1)),
        };
        let solids = stage.solids();
        let near = parent.or_else(|| (!solids.is_empty()).then(|| random.pick(&solids)));
        let (position, direction) = stage.place(random, size, near);
        let mut body = stage.begin(random, Kind::Dynamic, position, size);
        clothe(&mut body, scales, random, size);
        if random.chance(0.3) {
            body.table.put("velocity", vector(scales.speed * random.vector()));
            body.table.put("spin", vector(scales.speed / size * random.vector()));
        }
        // Where the spheres are nearest to each other, or at the side of the body.
        let at = body.position - size * direction;
        match parent {
            Some(parent) => maker.join(random, &body, Some(&stage.bodies[parent]), at),
            // A mechanism may also hang on nothing.
            None if random.chance(0.85) => maker.join(random, &body, None, at),
            None => {}
        }
        stage.bodies.push(body);
    }
    for _ in 0..random.below(3) {
        maker.close(stage, random, root);
    }
    if has_loops && random.chance(0.7) {
        maker.couple(random);
    }
    maker.text
}

/// What a mechanism hangs on besides the world: sometimes a fixed or driven body.
fn support(stage: &mut Stage, scales: &Scales, random: &mut Random) -> Option<usize> {
    let kind = match random.below(6) {
        0 => Kind::Fixed,
        1 => Kind::Kinematic,
        _ => return None,
    };
    let size = short(scales.size(random));
    let radius = if kind == Kind::Kinematic { 2.5 * size } else { size };
    let near = stage.solids();
    let near = (!near.is_empty()).then(|| random.pick(&near));
    let (position, _) = stage.place(random, radius, near);
    let mut body = stage.begin(random, kind, position, radius);
    let shaped = shape::simple(random, "box", size);
    body.table.put("shape", shaped.text);
    if kind == Kind::Kinematic {
        motion(&mut body, scales, random, size);
    }
    stage.bodies.push(body);
    Some(stage.bodies.len() - 1)
}

/// Writes the joints of one mechanism.
pub(super) struct Maker<'s> {
    named: Named,
    prefix: usize,
    scales: &'s Scales,
    /// Whether equations may depend on each other.
    has_loops: bool,
    text: String,
}

impl<'s> Maker<'s> {
    /// Of the next mechanism of a stage.
    pub(super) fn new(stage: &mut Stage, scales: &'s Scales, has_loops: bool) -> Self {
        let prefix = stage.mechanisms;
        stage.mechanisms += 1;
        Self { named: Named::default(), prefix, scales, has_loops, text: String::new() }
    }

    pub(super) fn scales(&self) -> &'s Scales {
        self.scales
    }

    /// The text of all joints.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// A joint of a kind, with one thing acting along one of its axes.
    pub(super) fn join_as(
        &mut self,
        random: &mut Random,
        kind: &str,
        acting: &str,
        ends: (&Staged, Option<&Staged>),
        at: DVec3,
    ) {
        let (a, b) = ends;
        let free: Vec<usize> = match kind {
            "rod" | "rope" => return self.tie(random, kind, a, b, at),
            "six-axis" => {
                let (mut table, _) = self.begin(kind);
                sides(&mut table, random, a, b);
                self.place(&mut table, random, a, b, at);
                let free = random.below(6);
                let locked = (0..6).filter(|k| *k != free && random.chance(0.8)).collect::<Vec<_>>();
                table.put("locked", list(locked.iter().map(|k| format!("\"{}\"", AXES[*k]))));
                self.text += &table.finish();
                (0..6).filter(|k| !locked.contains(k)).collect()
            }
            kind => self.fit(random, kind, a, b, at).to_vec(),
        };
        if free.is_empty() {
            return;
        }
        let axis = random.pick(&free);
        match acting {
            "force" => self.force(random, axis),
            "velocity" => self.velocity(random, axis, false),
            "velocity, bounded" => self.velocity(random, axis, true),
            "position" => self.position(random, axis, Some(false)),
            "position, bounded" => self.position(random, axis, Some(true)),
            "motion" => self.prescribed(random, axis),
            "limit" => self.limit(random, axis),
            "spring" => self.spring(random, axis),
            "friction" => self.friction(random, axis),
            _ => {}
        }
        // Other things act beside, where they can.
        if !matches!(acting, "motion" | "velocity" | "limit") && random.chance(0.3) {
            self.limit(random, axis);
        }
        if acting != "friction" && !matches!(acting, "motion" | "velocity") && random.chance(0.2) {
            self.friction(random, axis);
        }
    }

    fn begin(&mut self, kind: &str) -> (Table, String) {
        let name = format!("j{}{:02}", self.prefix, self.named.count);
        self.named.count += 1;
        let mut table = Table::new("[[joint]]");
        table.text("name", &name).text("kind", kind);
        (table, name)
    }

    /// A joint of any kind between a body and an earlier one, or the world, at a point.
    fn join(&mut self, random: &mut Random, a: &Staged, b: Option<&Staged>, at: DVec3) {
        match random.below(10) {
            0 => return self.tie(random, "rod", a, b, at),
            1 => return self.tie(random, "rope", a, b, at),
            2 => return self.six_axis(random, a, b, at),
            _ => {}
        }
        let (kind, _) = random.pick(&KINDS);
        let free = self.fit(random, kind, a, b, at);
        self.controls(random, free);
    }

    /// A joint of one of `KINDS`; the axes that it leaves free.
    fn fit(
        &mut self,
        random: &mut Random,
        kind: &str,
        a: &Staged,
        b: Option<&Staged>,
        at: DVec3,
    ) -> &'static [usize] {
        let (mut table, name) = self.begin(kind);
        sides(&mut table, random, a, b);
        self.place(&mut table, random, a, b, at);
        if kind == "screw" {
            table.put("pitch", number(random.sign() * self.scales.length * random.between(0.1, 1.0)));
        }
        if matches!(kind, "ball" | "universal" | "point-on-line" | "point-on-plane") && random.chance(0.25) {
            table.put("cone_deg", number(random.between(10.0, 150.0)));
        }
        match kind {
            "hinge" => self.named.hinges.push(name),
            "slider" => self.named.sliders.push(name),
            _ => {}
        }
        self.text += &table.finish();
        KINDS.iter().find(|known| known.0 == kind).map_or(&[], |known| known.1)
    }

    /// The frame of a joint in one of the ways in which it can be given.
    fn place(&self, table: &mut Table, random: &mut Random, a: &Staged, b: Option<&Staged>, at: DVec3) {
        let axis = random.direction();
        // Never parallel to the axis.
        let across = axis.cross(random.direction() + 0.3 * axis.any_orthogonal_vector());
        let across = if across.length() > 0.1 { across } else { axis.any_orthogonal_vector() };
        let local = |body: &Staged, v: DVec3| body.orientation.conjugate() * v;
        let frame = |body: &Staged, at: DVec3| {
            let (axis, across) = (exact_vector(local(body, axis)), exact_vector(local(body, across)));
            let at = exact_vector(local(body, at - body.position));
            format!("{{ at = {at}, axis = {axis}, across = {across} }}")
        };
        // A driven body may be elsewhere at the start than where it is placed.
        let stands = b.is_none_or(|b| b.kind != Kind::Kinematic);
        match random.below(5) {
            0 if stands => {
                // A little off: bodies are put onto their joints at the start.
                let off = if !self.has_loops && random.chance(0.3) {
                    1e-3 * a.radius * random.vector()
                } else {
                    DVec3::ZERO
                };
                table.put("frame_a", frame(a, at + off));
                let on_b = b.map_or_else(
                    || {
                        let (at, axis, across) = (exact_vector(at), exact_vector(axis), exact_vector(across));
                        format!("{{ at = {at}, axis = {axis}, across = {across} }}")
                    },
                    |b| frame(b, at),
                );
                table.put("frame_b", on_b);
            }
            1 => {
                let (at, axis) = (local(a, at - a.position), local(a, axis));
                table.text("frame", "a").put("at", exact_vector(at)).put("axis", exact_vector(axis));
            }
            _ => {
                table.put("at", exact_vector(at)).put("axis", exact_vector(axis));
                if random.chance(0.5) {
                    table.put("across", exact_vector(across));
                }
            }
        }
    }

    fn six_axis(&mut self, random: &mut Random, a: &Staged, b: Option<&Staged>, at: DVec3) {
        let (mut table, _) = self.begin("six-axis");
        sides(&mut table, random, a, b);
        self.place(&mut table, random, a, b, at);
        let always = random.below(6);
        let locked: Vec<bool> = (0..6).map(|k| k == always || random.chance(0.5)).collect();
        let names = (0..6).filter(|k| locked[*k]).map(|k| format!("\"{}\"", AXES[k]));
        table.put("locked", list(names));
        self.text += &table.finish();
        let free: Vec<usize> = (0..6).filter(|k| !locked[*k]).collect();
        self.controls(random, &free);
    }

    /// A rod or rope from a point of a to one of b, or of the world.
    fn tie(&mut self, random: &mut Random, kind: &str, a: &Staged, b: Option<&Staged>, at: DVec3) {
        let (mut table, _) = self.begin(kind);
        sides(&mut table, random, a, b);
        let on_a = if random.chance(0.4) { DVec3::ZERO } else { 0.5 * a.radius * random.vector() };
        let on_a = super::random::rounded(on_a, 3);
        let end_a = a.position + a.orientation * on_a;
        let (on_b, end_b) = if let Some(b) = b {
            let on_b = super::random::rounded(0.5 * b.radius * random.vector(), 3);
            (on_b, b.position + b.orientation * on_b)
        } else {
            let beyond = super::random::rounded(at + (at - a.position) * random.between(0.2, 2.0), 7);
            (beyond, beyond)
        };
        table.put("frame_a", format!("{{ at = {} }}", exact_vector(on_a)));
        table.put("frame_b", format!("{{ at = {} }}", exact_vector(on_b)));
        let distance = end_a.distance(end_b);
        // A driven body may be elsewhere at the start than where it is placed.
        let stands = b.is_none_or(|b| b.kind != Kind::Kinematic);
        if kind == "rope" {
            if stands && random.chance(0.7) {
                table.put("length", exact(short(distance * random.between(1.02, 1.8))));
            }
            table.put("restitution", number(random.pick(&[0.0, 0.3, 1.0])));
        }
        self.text += &table.finish();
        if kind == "rope" && random.chance(0.3) {
            let mut spring = Table::new("[[joint.spring]]");
            spring.text("axis", "distance").put("rest", number(distance));
            spring.put("stiffness", number(self.scales.force() / self.scales.length));
            self.text += &spring.finish();
        }
    }

    /// One more tie between two bodies of the mechanism, or a body and the world.
    fn close(&mut self, stage: &Stage, random: &mut Random, root: usize) {
        let bodies: Vec<usize> =
            (root..stage.bodies.len()).filter(|k| stage.bodies[*k].kind == Kind::Dynamic).collect();
        let (a, b) = (random.pick(&bodies), random.pick(&bodies));
        let is_rod = self.has_loops && a != b && random.chance(0.4);
        let kind = if is_rod { "rod" } else { "rope" };
        let body = &stage.bodies[a];
        let at = body.position + body.radius * random.direction();
        let other = (a != b).then(|| &stage.bodies[b]);
        self.tie(random, kind, body, other, at);
    }

    /// A gear, or rack and pinion, if there is what it couples.
    pub(super) fn couple(&mut self, random: &mut Random) {
        let Named { hinges, sliders, .. } = &self.named;
        let (kind, pair) = match (&hinges[..], &sliders[..]) {
            ([hinge, ..], [.., slider]) => ("rack-and-pinion", [hinge, slider]),
            ([first, .., last], []) => ("gear", [first, last]),
            _ => return,
        };
        let joints = list(pair.map(|name| format!("\"{name}\"")));
        let size = random.sign() * random.between(0.3, 3.0);
        let (mut table, _) = self.begin(kind);
        table.put("joints", joints);
        match kind {
            "gear" => table.put("ratio", number(size)),
            _ => table.put("radius", number(size * self.scales.length)),
        };
        self.text += &table.finish();
    }

    /// Limits, springs, friction and motors of the joint that was written last.
    fn controls(&mut self, random: &mut Random, free: &[usize]) {
        for axis in free {
            if !random.chance(0.6 / (free.len() as f64).sqrt()) {
                continue;
            }
            match random.below(10) {
                // What prescribes the motion is alone.
                0 if !self.has_loops => self.prescribed(random, *axis),
                1 if !self.has_loops => self.velocity(random, *axis, false),
                _ => {
                    if random.chance(0.5) {
                        self.limit(random, *axis);
                    }
                    if random.chance(0.35) {
                        self.friction(random, *axis);
                    }
                    if random.chance(0.2) {
                        self.velocity(random, *axis, true);
                    }
                }
            }
            if random.chance(0.25) {
                self.spring(random, *axis);
            }
            match random.below(8) {
                0 => self.force(random, *axis),
                1 => self.position(random, *axis, None),
                _ => {}
            }
        }
    }

    /// The unit of a coordinate: m, or rad.
    fn unit(&self, axis: usize) -> f64 {
        if axis < 3 { self.scales.length } else { 1.0 }
    }

    /// The unit of what acts along it: N, or N·m.
    fn load(&self, axis: usize) -> f64 {
        if axis < 3 { self.scales.force() } else { self.scales.torque() }
    }

    fn limit(&mut self, random: &mut Random, axis: usize) {
        let unit = self.unit(axis);
        let mut table = Table::new("[[joint.limit]]");
        table.text("axis", AXES[axis]);
        let which = random.below(4);
        // Joints begin at zero: some of them at a stop.
        let bound =
            |random: &mut Random| if random.chance(0.15) { 0.0 } else { unit * random.between(0.05, 1.2) };
        if which != 0 {
            table.put("lower", number(-bound(random)));
        }
        if which != 1 {
            table.put("upper", number(bound(random) + 0.01 * unit));
        }
        if random.chance(0.6) {
            table.put("restitution", number(random.pick(&[0.0, 0.2, 0.5, 0.8, 1.0])));
        }
        self.text += &table.finish();
    }

    fn spring(&mut self, random: &mut Random, axis: usize) {
        let (unit, load) = (self.unit(axis), self.load(axis));
        let mut table = Table::new("[[joint.spring]]");
        table.text("axis", AXES[axis]).put("stiffness", number(load / unit * random.decades(0.1, 30.0)));
        table.put("rest", number(0.5 * unit * random.between(-1.0, 1.0)));
        if random.chance(0.5) {
            table.put("damping", number(load / unit * self.scales.time() * random.unit()));
        }
        self.text += &table.finish();
    }

    fn friction(&mut self, random: &mut Random, axis: usize) {
        let load = self.load(axis);
        let mut table = Table::new("[[joint.friction]]");
        table.text("axis", AXES[axis]);
        let which = random.below(3);
        if which != 0 {
            table.put("constant", number(load * random.decades(0.01, 1.0)));
        }
        if which != 1 {
            table.put("coefficient", number(random.between(0.0, 0.6)));
            if axis >= 3 {
                table.put("arm", number(self.scales.length * random.decades(0.01, 0.2)));
            }
        }
        self.text += &table.finish();
    }

    /// A target in time that begins at zero, of this size.
    fn target(&self, random: &mut Random, size: f64) -> (&'static str, String) {
        let time = self.scales.time();
        let size = size * random.between(-1.0, 1.0);
        match random.below(4) {
            0 => ("target", number(size)),
            1 => ("course", format!("{{ kind = \"ramp\", rate = {} }}", number(size / time))),
            2 => {
                let frequency = number(random.between(0.1, 1.0) / time);
                (
                    "course",
                    format!("{{ kind = \"sine\", amplitude = {}, frequency = {frequency} }}", number(size)),
                )
            }
            _ => {
                let begin = short(time * random.unit());
                let end = number(begin + time * random.between(0.5, 3.0));
                let (to, begin) = (number(size), number(begin));
                (
                    "course",
                    format!("{{ kind = \"move\", from = 0, to = {to}, begin = {begin}, end = {end} }}"),
                )
            }
        }
    }

    fn prescribed(&mut self, random: &mut Random, axis: usize) {
        let unit = self.unit(axis);
        // Whatever it takes: the target begins where the joint is.
        let (key, target) = loop {
            let (key, target) = self.target(random, unit);
            if key == "course" {
                break (key, target);
            }
        };
        let mut table = Table::new("[[joint.motor]]");
        table.text("axis", AXES[axis]).text("kind", "motion").put(key, target);
        self.text += &table.finish();
    }

    fn velocity(&mut self, random: &mut Random, axis: usize, is_bounded: bool) {
        let (key, target) = self.target(random, 2.0 * self.unit(axis) / self.scales.time());
        let mut table = Table::new("[[joint.motor]]");
        table.text("axis", AXES[axis]).text("kind", "velocity").put(key, target);
        if is_bounded {
            table.put("largest", number(self.load(axis) * random.decades(0.05, 5.0)));
        }
        self.text += &table.finish();
    }

    fn force(&mut self, random: &mut Random, axis: usize) {
        let (key, target) = self.target(random, 2.0 * self.load(axis));
        let mut table = Table::new("[[joint.motor]]");
        table.text("axis", AXES[axis]).text("kind", "force").put(key, target);
        self.text += &table.finish();
    }

    fn position(&mut self, random: &mut Random, axis: usize, is_bounded: Option<bool>) {
        let (unit, load) = (self.unit(axis), self.load(axis));
        let (key, target) = self.target(random, unit);
        let mut table = Table::new("[[joint.motor]]");
        table.text("axis", AXES[axis]).text("kind", "position").put(key, target);
        let stiffness = load / unit * random.decades(0.3, 30.0);
        table.put("stiffness", number(stiffness));
        if random.chance(0.7) {
            table.put("damping", number(stiffness * self.scales.time() * random.unit()));
        }
        if is_bounded.unwrap_or_else(|| random.chance(0.6)) {
            table.put("largest", number(load * random.decades(0.05, 5.0)));
        }
        self.text += &table.finish();
    }
}

fn sides(table: &mut Table, random: &mut Random, a: &Staged, b: Option<&Staged>) {
    table.text("a", &a.name);
    if let Some(b) = b {
        table.text("b", &b.name);
    }
    if random.chance(0.2) {
        table.put("collide", "true");
    }
}
