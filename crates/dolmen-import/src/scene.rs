//! A model as a scene: bodies of links that are fixed to each other, joints of the coordinates between them.

use std::collections::BTreeSet;

use dolmen::mass::{MassError, MassProperties};
use dolmen::math::{DMat3, DQuat, DVec3, Pose, eigen};
use serde_json::{Map, Value, json};

use crate::frame::{compose, inverse};
use crate::groups;
use crate::joint::{Grouped, group};
use crate::model::{Coupled, Dof, DofKind, Geom, Link, Loop, Matter, Model, Motor, Solid, Surface};
use crate::note::Notes;
use crate::{BodyOfLink, CoordinateOfJoint, Options};

/// The mass of a body that has to stand between two joints, by that of the link that hangs on it.
const BETWEEN: f64 = 1e-6;

/// The radius of the ball whose inertia a link without any gets, m.
const POINT_RADIUS: f64 = 1e-3;

/// Density of a link that has shapes and no mass, kg/m³.
const DENSITY: f64 = 1000.0;

/// What is made of a model.
pub(crate) struct Made {
    pub(crate) value: Value,
    pub(crate) bodies: Vec<BodyOfLink>,
    pub(crate) coordinates: Vec<CoordinateOfJoint>,
}

/// A body of the scene: the links that are one.
struct Piece {
    name: String,
    fixed: bool,
    /// Links, and their poses in the frame of the first.
    links: Vec<(usize, Pose)>,
}

/// The scene of a model.
pub(crate) fn make(mut model: Model, options: &Options, notes: &mut Notes) -> Made {
    into_limits(&mut model, options, notes);
    let dropped = without_massless(&mut model, notes);
    let start = model.start();
    let zero = model.zero_poses();
    let mut maker = Maker {
        pieces: Vec::new(),
        piece_of: vec![None; model.links.len()],
        body_names: BTreeSet::new(),
        joint_names: BTreeSet::new(),
        bodies: Vec::new(),
        joints: Vec::new(),
        materials: Vec::new(),
        coordinates: Vec::new(),
        single: Vec::new(),
        options,
    };
    maker.gather(&model, &dropped);
    let relations = groups::of(&model, &maker.contents(), notes);
    for piece in 0..maker.pieces.len() {
        maker.body(&model, piece, &start, relations.get(piece), notes);
    }
    for link in 0..model.links.len() {
        if maker.is_first_of_piece(link) && !model.links[link].dofs.is_empty() {
            maker.joint(&model, link, &start, notes);
        }
    }
    for closure in &model.loops {
        maker.closure(closure, &zero);
    }
    for coupled in &model.couplings {
        maker.coupling(&model, coupled, notes);
    }
    maker.finish(&model)
}

struct Maker<'a> {
    pieces: Vec<Piece>,
    /// Of a link: its piece, and its pose there.
    piece_of: Vec<Option<(usize, Pose)>>,
    body_names: BTreeSet<String>,
    joint_names: BTreeSet<String>,
    bodies: Vec<Value>,
    joints: Vec<Map<String, Value>>,
    materials: Vec<(Surface, String)>,
    coordinates: Vec<CoordinateOfJoint>,
    /// Joints with one coordinate only: (link, place in it), name, whether it turns.
    single: Vec<((usize, usize), String)>,
    options: &'a Options,
}

/// Starts outside limits are moved onto them.
fn into_limits(model: &mut Model, options: &Options, notes: &mut Notes) {
    let holding: Vec<bool> = model.couplings.iter().map(|coupled| mismatch(model, coupled) == 0.0).collect();
    for dof in model.links.iter_mut().flat_map(|link| &mut link.dofs) {
        if !options.limits {
            dof.limits = None;
        }
        if !options.actuators {
            dof.motors.clear();
        }
        let Some([lower, upper]) = dof.limits else { continue };
        if lower > upper {
            let what = format!("the limits of joint {} exclude each other: {lower} and {upper}", dof.name);
            notes.add(&dof.place, what, "it has none");
            dof.limits = None;
        } else if !(lower..=upper).contains(&dof.value) && dof.kind != DofKind::Ball {
            let moved = dof.value.clamp(lower, upper);
            let what = format!("joint {} starts at {}, outside its limits", dof.name, dof.value + dof.offset);
            notes.add(&dof.place, what, &format!("it starts at {}", moved + dof.offset));
            dof.value = moved;
        }
    }
    // Coordinates that follow another one go with it.
    for (coupled, held) in model.couplings.clone().iter().zip(holding) {
        let off = mismatch(model, coupled);
        if held && off != 0.0 {
            model.links[coupled.first.0].dofs[coupled.first.1].value -= off;
        }
    }
}

/// By how much a coupling is off at the start.
fn mismatch(model: &Model, coupled: &Coupled) -> f64 {
    let value = |(link, place): (usize, usize)| model.links[link].dofs[place].value;
    value(coupled.first)
        - coupled.second.map_or(0.0, |second| coupled.factor * value(second))
        - coupled.constant
}

/// Links without mass that only hand joints on are taken out of the tree: their coordinates go to the link that hangs on
/// them. Those that are left get a mass. Returns which links are gone.
fn without_massless(model: &mut Model, notes: &mut Notes) -> Vec<bool> {
    let count = model.links.len();
    let mut gone = vec![false; count];
    let is_static = statics(model);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, link) in model.links.iter().enumerate() {
        if let Some(parent) = link.parent {
            children[parent].push(index);
        }
    }
    // Of each link with all that is fixed to it; children come after their parents.
    let mut masses: Vec<f64> = model.links.iter().map(|link| link.matter.map_or(0.0, |m| m.mass)).collect();
    for link in (0..count).rev() {
        let moves = !is_static[link] && (model.links[link].free || !model.links[link].dofs.is_empty());
        if let (false, Some(parent)) = (moves, model.links[link].parent) {
            masses[parent] += masses[link];
        }
        if !moves || masses[link] > 0.0 {
            continue;
        }
        let (name, place) = (model.links[link].name.clone(), model.links[link].place.clone());
        let touches = model.links[link].geoms.iter().any(|geom| geom.masks != [0, 0]);
        let in_loop = model.loops.iter().any(|closure| closure.links.contains(&Some(link)));
        match children[link][..] {
            [] if !touches && !in_loop => {
                gone[link] = true;
                let what = format!("link {name} has no mass and nothing hangs on it");
                notes.add(&place, what, "it and its joint are left out");
                model.couplings.retain(|c| c.first.0 != link && c.second.is_none_or(|(l, _)| l != link));
                if let Some(parent) = model.links[link].parent {
                    children[parent].retain(|child| *child != link);
                }
            }
            [child] if !touches && !in_loop && !model.links[link].free && !model.links[child].free => {
                hand_on(model, link, child);
                gone[link] = true;
                if let Some(parent) = model.links[link].parent {
                    let own = children[parent].iter_mut().find(|other| **other == link);
                    if let Some(other) = own {
                        *other = child;
                    }
                }
            }
            _ => {
                let below: f64 = children[link].iter().map(|child| masses[*child]).sum();
                let matter = stand_in(&model.links[link], below);
                let what = format!("link {name} has no mass, and can move");
                notes.add(&place, what, &format!("it has {:e} kg", matter.mass));
                model.links[link].matter = Some(matter);
                masses[link] = matter.mass;
            }
        }
    }
    gone
}

/// T = L·J·C·K with the pose L and the coordinates J of the link, C and K of its child, is (L C)·(C⁻¹ J C)·K.
fn hand_on(model: &mut Model, link: usize, child: usize) {
    let (parent, outer, dofs) = {
        let link = &mut model.links[link];
        (link.parent, link.pose, std::mem::take(&mut link.dofs))
    };
    let count = dofs.len();
    let inner = &mut model.links[child];
    let back = inverse(&inner.pose);
    let moved = dofs.into_iter().map(|dof| Dof {
        axis: back.direction(dof.axis),
        anchor: back.point(dof.anchor),
        turned: (back.orientation * dof.turned * back.orientation.conjugate()).normalize(),
        ..dof
    });
    inner.dofs.splice(0..0, moved);
    inner.pose = compose(&outer, &inner.pose);
    inner.parent = parent;
    for coupled in &mut model.couplings {
        for place in std::iter::once(&mut coupled.first).chain(coupled.second.as_mut()) {
            if place.0 == child {
                place.1 += count;
            } else if place.0 == link {
                place.0 = child;
            }
        }
    }
}

/// Mass for a link without any: that of its shapes, or a trifle of what hangs on it.
fn stand_in(link: &Link, below: f64) -> Matter {
    let solid = |geom: &Geom| geom.solid.matter(DENSITY).map(|matter| moved(&matter, &geom.pose));
    let shapes: Vec<Matter> = link.geoms.iter().filter_map(solid).collect();
    if let Some(matter) = sum(&shapes) {
        return matter;
    }
    let mass = if below > 0.0 { BETWEEN * below } else { BETWEEN };
    let reach = link.geoms.iter().map(|geom| geom.pose.position.length()).fold(POINT_RADIUS, f64::max);
    Matter {
        mass,
        centre: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::splat(0.4 * mass * reach * reach)),
    }
}

/// Which links are fixed to the world.
fn statics(model: &Model) -> Vec<bool> {
    let mut is_static = Vec::with_capacity(model.links.len());
    for link in &model.links {
        let held = link.dofs.is_empty() && !link.free;
        is_static.push(held && link.parent.is_none_or(|parent: usize| is_static[parent]));
    }
    is_static
}

impl Maker<'_> {
    fn gather(&mut self, model: &Model, gone: &[bool]) {
        let is_static = statics(model);
        for (index, link) in model.links.iter().enumerate() {
            if gone[index] {
                continue;
            }
            let joined = link.dofs.is_empty() && !link.free && !is_static[index];
            if let (true, Some((piece, pose))) =
                (joined, link.parent.and_then(|parent| self.piece_of[parent]))
            {
                let pose = compose(&pose, &link.pose);
                self.pieces[piece].links.push((index, pose));
                self.piece_of[index] = Some((piece, pose));
                continue;
            }
            let name = unique(&link.name, &mut self.body_names);
            self.piece_of[index] = Some((self.pieces.len(), Pose::IDENTITY));
            self.pieces.push(Piece { name, fixed: is_static[index], links: vec![(index, Pose::IDENTITY)] });
        }
    }

    fn contents(&self) -> Vec<groups::Content> {
        let content = |piece: &Piece| groups::Content {
            links: piece.links.iter().map(|(link, _)| *link).collect(),
            fixed: piece.fixed,
        };
        self.pieces.iter().map(content).collect()
    }

    fn is_first_of_piece(&self, link: usize) -> bool {
        self.piece_of[link].is_some_and(|(piece, _)| self.pieces[piece].links[0].0 == link)
    }

    fn body(
        &mut self,
        model: &Model,
        index: usize,
        start: &[(Pose, [DVec3; 2])],
        relation: Option<&groups::Membership>,
        notes: &mut Notes,
    ) {
        let piece = &self.pieces[index];
        let first = piece.links[0].0;
        let (pose, [velocity, spin]) = start[first];
        let (name, fixed) = (piece.name.clone(), piece.fixed);
        let mut geoms = Vec::new();
        for (link, place) in &piece.links {
            for geom in model.links[*link].geoms.iter().filter(|geom| geom.masks != [0, 0]) {
                geoms.push(Geom { pose: compose(place, &geom.pose), ..geom.clone() });
            }
        }
        let (planes, solids): (Vec<Geom>, Vec<Geom>) =
            geoms.into_iter().partition(|geom| matches!(geom.solid, Solid::Plane));
        if !fixed {
            for plane in &planes {
                notes.add(&plane.place, format!("a plane on {name}, which moves"), "it is left out");
            }
        }

        let matter = (!fixed).then(|| sum_of(model, &piece.links)).flatten();
        let mut body = Map::new();
        body.insert("name".into(), json!(name));
        if fixed {
            body.insert("kind".into(), json!("fixed"));
        }
        self.clothe(&mut body, model, &solids, relation, notes);
        if fixed {
            put_pose(&mut body, &pose);
        } else {
            let place = &model.links[first].place;
            let matter = matter.unwrap_or_else(|| stand_in(&model.links[first], 0.0));
            let matter = possible(matter, &name, place, notes);
            body.insert("mass".into(), json!(matter.mass));
            body.insert("inertia".into(), inertia_value(matter.inertia));
            body.insert("centre_of_mass".into(), json!(matter.centre.to_array()));
            put_pose(&mut body, &pose);
            let at_centre = velocity + spin.cross(pose.point(matter.centre));
            if at_centre != DVec3::ZERO {
                body.insert("velocity".into(), json!(at_centre.to_array()));
            }
            if spin != DVec3::ZERO {
                body.insert("spin".into(), json!(spin.to_array()));
            }
        }
        // A fixed link that nothing can touch is no part of the world: joints on it are on the world.
        if !fixed || !solids.is_empty() {
            self.bodies.push(Value::Object(body));
        }
        if fixed {
            for plane in planes {
                let wanted = plane.name.clone().unwrap_or_else(|| format!("{name} plane"));
                let mut body = Map::new();
                body.insert("name".into(), json!(unique(&wanted, &mut self.body_names)));
                body.insert("kind".into(), json!("fixed"));
                body.insert(
                    "shape".into(),
                    json!({ "kind": "plane", "normal": [0, 0, 1], "sides": "front" }),
                );
                self.surface(&mut body, model, std::slice::from_ref(&plane), relation, notes);
                put_pose(&mut body, &compose(&pose, &plane.pose));
                self.bodies.push(Value::Object(body));
            }
        }
    }

    /// Shape, material and groups.
    fn clothe(
        &mut self,
        body: &mut Map<String, Value>,
        model: &Model,
        solids: &[Geom],
        relation: Option<&groups::Membership>,
        notes: &mut Notes,
    ) {
        if solids.is_empty() {
            return;
        }
        let shape = match solids {
            [only] if only.pose == Pose::IDENTITY => shape_value(&only.solid, &Pose::IDENTITY),
            [Geom { solid: solid @ (Solid::Hull { .. } | Solid::Mesh { .. }), pose, .. }] => {
                shape_value(solid, pose)
            }
            several => {
                json!({ "kind": "compound", "parts": several.iter().map(part_value).collect::<Vec<_>>() })
            }
        };
        body.insert("shape".into(), shape);
        self.surface(body, model, solids, relation, notes);
    }

    fn surface(
        &mut self,
        body: &mut Map<String, Value>,
        model: &Model,
        solids: &[Geom],
        relation: Option<&groups::Membership>,
        notes: &mut Notes,
    ) {
        let mut surface = solids[0].surface;
        for other in &solids[1..] {
            if other.surface != surface {
                let what = "the surfaces of one body differ";
                notes.add(
                    &other.place,
                    what,
                    "all of the body has the largest friction, resistance and restitution",
                );
                surface = Surface {
                    friction: surface.friction.zip(other.surface.friction).map(|(a, b)| a.max(b)),
                    spinning: surface.spinning.max(other.surface.spinning),
                    rolling: surface.rolling.max(other.surface.rolling),
                    restitution: surface.restitution.max(other.surface.restitution),
                };
            }
        }
        if surface != model.surface && surface != Surface::default() {
            let known = self.materials.iter().position(|(other, _)| *other == surface);
            let index = known.unwrap_or_else(|| {
                self.materials.push((surface, format!("surface {}", self.materials.len() + 1)));
                self.materials.len() - 1
            });
            body.insert("material".into(), json!(self.materials[index].1));
        }
        if let Some(relation) = relation {
            if let Some(group) = &relation.group {
                body.insert("groups".into(), json!([group]));
            }
            if let Some(others) = &relation.collides_with {
                body.insert("collides_with".into(), json!(others));
            }
        }
    }

    /// The joint between a link and its parent; bodies in between where one joint cannot say it.
    fn joint(&mut self, model: &Model, link: usize, start: &[(Pose, [DVec3; 2])], notes: &mut Notes) {
        let this = &model.links[link];
        let (piece, _) = self.piece_of[link].unwrap_or((0, Pose::IDENTITY));
        let own_name = self.pieces[piece].name.clone();
        // Side b: a body and the pose of the link at zero in it, or the world.
        let (mut parent_name, mut at_zero) =
            match this.parent.and_then(|parent| self.piece_of[parent].map(|p| (parent, p))) {
                Some((_, (piece, pose))) if !self.pieces[piece].fixed => {
                    (Some(self.pieces[piece].name.clone()), compose(&pose, &this.pose))
                }
                Some((parent, (piece, _))) => {
                    let touched =
                        self.bodies.iter().any(|body| body["name"] == json!(self.pieces[piece].name));
                    let world = compose(&start[parent].0, &this.pose);
                    if model.first_links_meet_world || !touched {
                        (None, world)
                    } else {
                        // In the frame of the fixed body, which stands where its first link does.
                        let first = self.pieces[piece].links[0].0;
                        let pose = compose(&inverse(&start[first].0), &world);
                        (Some(self.pieces[piece].name.clone()), pose)
                    }
                }
                None => (None, this.pose),
            };

        let mut from = 0;
        while from < this.dofs.len() {
            let left = this.dofs.len() - from;
            let (count, grouped) = (1..=left)
                .rev()
                .find_map(|count| group(&this.dofs[from..from + count]).map(|grouped| (count, grouped)))
                .unwrap_or_else(|| (left, weld()));
            let is_last = from + count == this.dofs.len();
            let child_name = if is_last {
                own_name.clone()
            } else {
                self.between(model, link, from + count, start, notes)
            };
            self.one_joint(
                this,
                (link, from, count),
                &grouped,
                [&child_name, parent_name.as_deref().unwrap_or("")],
                &at_zero,
                notes,
            );
            parent_name = Some(child_name);
            at_zero = Pose::IDENTITY;
            from += count;
        }
    }

    /// A light body behind the first `count` coordinates of a link.
    fn between(
        &mut self,
        model: &Model,
        link: usize,
        count: usize,
        start: &[(Pose, [DVec3; 2])],
        notes: &mut Notes,
    ) -> String {
        let this = &model.links[link];
        let parent = this.parent.map_or(Pose::IDENTITY, |parent| start[parent].0);
        let mut pose = compose(&parent, &this.pose);
        for dof in &this.dofs[..count] {
            pose = compose(&pose, &dof.displacement());
        }
        let matter = this.matter.unwrap_or_else(|| stand_in(this, 0.0));
        let name =
            unique(&format!("{} behind {}", this.name, this.dofs[count - 1].name), &mut self.body_names);
        let (moments, _) = eigen::symmetric(matter.inertia);
        let moment = (BETWEEN * moments.z).max(BETWEEN * matter.mass * POINT_RADIUS * POINT_RADIUS);
        let what = format!("the joints of {} are no single joint of a scene", this.name);
        notes.add(&this.place, what, &format!("a body of {BETWEEN:e} of its mass stands between them"));
        let mut body = Map::new();
        body.insert("name".into(), json!(name));
        body.insert("mass".into(), json!(BETWEEN * matter.mass));
        body.insert("inertia".into(), json!([moment, moment, moment]));
        put_pose(&mut body, &pose);
        self.bodies.push(Value::Object(body));
        name
    }

    #[expect(clippy::too_many_arguments, reason = "one joint of several, with its two sides")]
    fn one_joint(
        &mut self,
        link: &Link,
        (index, from, count): (usize, usize, usize),
        grouped: &Grouped,
        [a, b]: [&str; 2],
        at_zero: &Pose,
        notes: &mut Notes,
    ) {
        let dofs = &link.dofs[from..from + count];
        if grouped.off > 0.0 {
            let what = format!("the axes of {} do not quite meet at right angles", link.name);
            notes.add(&link.place, what, &format!("they are moved by {:.1e}", grouped.off));
        }
        let wanted: Vec<&str> = dofs.iter().map(|dof| dof.name.as_str()).collect();
        let name = unique(&wanted.join(" + "), &mut self.joint_names);
        let mut joint = Map::new();
        joint.insert("name".into(), json!(name));
        joint.insert("kind".into(), json!(grouped.kind));
        joint.insert("a".into(), json!(a));
        if !b.is_empty() {
            joint.insert("b".into(), json!(b));
        }
        joint.insert("frame_a".into(), frame_value(grouped.point, grouped.z, grouped.x));
        let [point, z, x] =
            [at_zero.point(grouped.point), at_zero.direction(grouped.z), at_zero.direction(grouped.x)];
        joint.insert("frame_b".into(), frame_value(point, z, x));
        if let Some(pitch) = grouped.pitch {
            joint.insert("pitch".into(), json!(pitch));
        }
        if let Some(locked) = &grouped.locked {
            joint.insert("locked".into(), json!(locked));
        }
        let single = matches!(grouped.kind, "hinge" | "slider" | "screw");
        let mut lists: [Vec<Value>; 4] = Default::default();
        for (k, dof) in dofs.iter().enumerate() {
            let axis = grouped.axes.get(k).copied().flatten();
            self.coordinates.push(CoordinateOfJoint {
                joint: dof.name.clone(),
                in_scene: name.clone(),
                axis: axis.map(|(axis, _)| axis.to_owned()),
                sign: axis.map_or(1.0, |(_, sign)| sign),
                offset: dof.offset,
                start: dof.value,
            });
            let Some((axis, sign)) = axis else {
                refuse_on_ball(dof, notes);
                continue;
            };
            if matches!(grouped.kind, "hinge" | "slider") {
                self.single.push(((index, from + k), name.clone()));
            }
            act(dof, (!single).then_some(axis), sign, &mut lists);
        }
        for (key, list) in ["limit", "spring", "motor", "friction"].into_iter().zip(lists) {
            if !list.is_empty() {
                joint.insert(key.into(), Value::Array(list));
            }
        }
        self.joints.push(joint);
    }

    fn closure(&mut self, closure: &Loop, zero: &[Pose]) {
        let side = |k: usize| {
            let link = closure.links[k]?;
            let (piece, pose) = self.piece_of[link]?;
            let piece = &self.pieces[piece];
            (!piece.fixed).then(|| (piece.name.clone(), compose(&pose, &closure.poses[k])))
        };
        let world = |k: usize| match closure.links[k] {
            Some(link) => compose(&zero[link], &closure.poses[k]),
            None => closure.poses[k],
        };
        let (a, b) = match (side(0), side(1)) {
            (Some(a), b) => (a, b.unwrap_or_else(|| (String::new(), world(1)))),
            (None, Some(b)) => (b, (String::new(), world(0))),
            (None, None) => return,
        };
        if a.0 == b.0 {
            return;
        }
        let mut joint = Map::new();
        joint.insert("name".into(), json!(unique(&closure.name, &mut self.joint_names)));
        joint.insert("kind".into(), json!(closure.kind));
        joint.insert("a".into(), json!(a.0));
        if !b.0.is_empty() {
            joint.insert("b".into(), json!(b.0));
        }
        for (key, pose) in [("frame_a", a.1), ("frame_b", b.1)] {
            let [z, x] = [pose.direction(DVec3::Z), pose.direction(DVec3::X)];
            joint.insert(key.into(), frame_value(pose.position, z, x));
        }
        if let Some(locked) = &closure.locked {
            joint.insert("locked".into(), json!(locked));
        }
        self.joints.push(joint);
    }

    fn coupling(&mut self, model: &Model, coupled: &Coupled, notes: &mut Notes) {
        let find = |place: (usize, usize)| {
            self.single.iter().find(|(p, _)| *p == place).map(|(_, name)| name.clone())
        };
        let Some(first) = find(coupled.first) else {
            let what = format!("{} couples a joint that has several coordinates, or none", coupled.name);
            notes.add(&coupled.place, what, "the coordinates move without each other");
            return;
        };
        let Some(second) = coupled.second.filter(|_| coupled.factor != 0.0) else {
            // Equal bounds lock the coordinate.
            let joint = self.joints.iter_mut().find(|joint| joint["name"] == json!(first));
            if let Some(joint) = joint {
                let bound = json!({ "lower": coupled.constant, "upper": coupled.constant });
                joint.insert("limit".into(), json!([bound]));
            }
            return;
        };
        let Some(second_name) = find(second) else {
            let what = format!("{} couples a joint that has several coordinates, or none", coupled.name);
            notes.add(&coupled.place, what, "the coordinates move without each other");
            return;
        };
        let off = mismatch(model, coupled);
        if off.abs() > 1e-12 {
            let what = format!("{} does not hold at the start, by {off:.3e}", coupled.name);
            notes.add(&coupled.place, what, "the coordinates keep this difference");
        }
        self.joints.push(
            json!({
                "name": unique(&coupled.name, &mut self.joint_names),
                "kind": "gear",
                "joints": [second_name, first],
                "ratio": coupled.factor,
            })
            .as_object()
            .cloned()
            .unwrap_or_default(),
        );
    }

    fn finish(self, model: &Model) -> Made {
        let mut bodies = Vec::new();
        for (index, link) in model.links.iter().enumerate() {
            let entry = self.piece_of[index].map(|(piece, pose)| (self.pieces[piece].name.clone(), pose));
            let (body, pose) = entry.map_or((None, Pose::IDENTITY), |(name, pose)| (Some(name), pose));
            let fixed = self.piece_of[index].is_some_and(|(piece, _)| self.pieces[piece].fixed);
            let q = pose.orientation;
            bodies.push(BodyOfLink {
                link: link.name.clone(),
                body,
                fixed,
                position: pose.position.to_array(),
                quaternion: [q.w, q.x, q.y, q.z],
            });
        }
        let mut scene = Map::new();
        scene.insert("format".into(), json!(1));
        scene.insert("title".into(), json!(model.title));
        scene.insert("about".into(), json!(model.source));
        scene.insert("gravity".into(), json!(model.gravity.to_array()));
        scene.insert("run".into(), json!({ "duration": 5.0, "samples": 501 }));
        let mut contact = Map::new();
        if !(self.options.contacts && model.contacts) {
            contact.insert("enabled".into(), json!(false));
        }
        put_surface(&mut contact, &model.surface);
        contact.insert("combine_friction".into(), json!(model.combine_friction));
        contact.insert("overlaps".into(), json!("report"));
        scene.insert("contact".into(), Value::Object(contact));
        let materials = self.materials.iter().map(|(surface, name)| {
            let mut material = Map::new();
            material.insert("name".into(), json!(name));
            put_surface(&mut material, surface);
            Value::Object(material)
        });
        let materials: Vec<Value> = materials.collect();
        if !materials.is_empty() {
            scene.insert("material".into(), Value::Array(materials));
        }
        if !self.bodies.is_empty() {
            scene.insert("body".into(), Value::Array(self.bodies));
        }
        if !self.joints.is_empty() {
            scene.insert("joint".into(), Value::Array(self.joints.into_iter().map(Value::Object).collect()));
        }
        Made { value: Value::Object(scene), bodies, coordinates: self.coordinates }
    }
}

fn weld() -> Grouped {
    Grouped {
        kind: "weld",
        locked: None,
        point: DVec3::ZERO,
        x: DVec3::X,
        z: DVec3::Z,
        axes: Vec::new(),
        pitch: None,
        off: 0.0,
    }
}

fn put_surface(table: &mut Map<String, Value>, surface: &Surface) {
    if let Some(friction) = surface.friction {
        table.insert("friction".into(), json!(friction));
    }
    for (key, value) in [
        ("restitution", surface.restitution),
        ("rolling_resistance", surface.rolling),
        ("spinning_resistance", surface.spinning),
    ] {
        if value != 0.0 {
            table.insert(key.into(), json!(value));
        }
    }
}

/// Limits, springs, motors and friction of one coordinate; `sign` is that of ours against the file's.
fn act(dof: &Dof, axis: Option<&str>, sign: f64, lists: &mut [Vec<Value>; 4]) {
    let entry = |pairs: &[(&str, Value)]| {
        let mut map = Map::new();
        if let Some(axis) = axis {
            map.insert("axis".into(), json!(axis));
        }
        map.extend(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        Value::Object(map)
    };
    if let Some([lower, upper]) = dof.limits {
        let [lower, upper] = if sign > 0.0 { [lower, upper] } else { [-upper, -lower] };
        let bounds = [("lower", lower), ("upper", upper)].into_iter().filter(|(_, value)| value.is_finite());
        let bounds: Vec<(&str, Value)> = bounds.map(|(key, value)| (key, json!(value))).collect();
        if !bounds.is_empty() {
            lists[0].push(entry(&bounds));
        }
    }
    if dof.stiffness != 0.0 || dof.damping != 0.0 {
        lists[1].push(entry(&[
            ("stiffness", json!(dof.stiffness)),
            ("rest", json!(sign * dof.rest)),
            ("damping", json!(dof.damping)),
        ]));
    }
    for motor in &dof.motors {
        lists[2].extend(motor_values(motor, sign).iter().map(|pairs| entry(pairs)));
    }
    if dof.friction != 0.0 {
        lists[3].push(entry(&[("constant", json!(dof.friction))]));
    }
}

fn motor_values(motor: &Motor, sign: f64) -> Vec<Vec<(&'static str, Value)>> {
    let mut motors = Vec::new();
    let servo = motor.stiffness != 0.0 || motor.damping != 0.0;
    if servo {
        let mut entry = vec![("kind", json!("position"))];
        // A constant force goes into the target, where there is a spring that can take it.
        let target =
            if motor.stiffness > 0.0 { motor.target + motor.force / motor.stiffness } else { motor.target };
        if motor.rate == 0.0 {
            entry.push(("target", json!(sign * target)));
        } else {
            entry.push((
                "course",
                json!({ "kind": "ramp", "start": sign * target, "rate": sign * motor.rate }),
            ));
        }
        if let Some(largest) = motor.largest {
            entry.push(("largest", json!(largest)));
        }
        entry.push(("stiffness", json!(motor.stiffness)));
        entry.push(("damping", json!(motor.damping)));
        motors.push(entry);
    }
    if !servo || (motor.force != 0.0 && motor.stiffness <= 0.0) {
        motors.push(vec![("kind", json!("force")), ("target", json!(sign * motor.force))]);
    }
    motors
}

fn refuse_on_ball(dof: &Dof, notes: &mut Notes) {
    let said = [
        ("limits", dof.limits.is_some()),
        ("stiffness", dof.stiffness != 0.0),
        ("damping", dof.damping != 0.0),
        ("friction", dof.friction != 0.0),
        ("an actuator", !dof.motors.is_empty()),
    ];
    for (what, _) in said.iter().filter(|(_, said)| *said) {
        notes.add(&dof.place, format!("{what} of a ball joint"), "it turns without");
    }
}

/// Mass properties that a body can have, the nearest to what was given.
fn possible(matter: Matter, name: &str, place: &crate::note::Place, notes: &mut Notes) -> Matter {
    let symmetric = (matter.inertia + matter.inertia.transpose()) * 0.5;
    let matter = Matter { inertia: symmetric, ..matter };
    let is_finite = matter.inertia.is_finite() && matter.centre.is_finite();
    let Err(error) = MassProperties::new(matter.mass, matter.centre, matter.inertia) else { return matter };
    let given = if is_finite { matter.inertia } else { DMat3::ZERO };
    let centre = if matter.centre.is_finite() { matter.centre } else { DVec3::ZERO };
    let mass = if matter.mass > 0.0 && matter.mass.is_finite() { matter.mass } else { BETWEEN };
    let (moments, axes) = eigen::symmetric(given);
    let least = (1e-6 * moments.z).max(0.4 * mass * POINT_RADIUS * POINT_RADIUS);
    let [x, y] = [moments.x.max(least), moments.y.max(least)];
    let z = moments.z.max(y).min(x + y);
    let inertia = axes * DMat3::from_diagonal(DVec3::new(x, y, z)) * axes.transpose();
    let inertia = (inertia + inertia.transpose()) * 0.5;
    let why = match error {
        MassError::Triangle { .. } => "no matter has the moments of inertia",
        _ => "no body has the mass or the moments of inertia",
    };
    let what = format!("{why} of {name}: {:e}, {:e}, {:e} kg·m²", moments.x, moments.y, moments.z);
    notes.add(place, what, &format!("they are taken as {x:e}, {y:e}, {z:e}"));
    Matter { mass, centre, inertia }
}

/// The mass properties of all links of a body, in the frame of the first.
fn sum_of(model: &Model, links: &[(usize, Pose)]) -> Option<Matter> {
    let parts: Vec<Matter> = links
        .iter()
        .filter_map(|(link, pose)| model.links[*link].matter.map(|matter| moved(&matter, pose)))
        .filter(|matter| matter.mass > 0.0)
        .collect();
    sum(&parts)
}

/// Several as one, in their common frame; none if there is no mass.
pub(crate) fn sum(parts: &[Matter]) -> Option<Matter> {
    if let [only] = parts {
        return Some(*only);
    }
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    if mass <= 0.0 || !mass.is_finite() {
        return None;
    }
    let centre = parts.iter().fold(DVec3::ZERO, |sum, part| sum + part.centre * (part.mass / mass));
    let inertia = parts.iter().fold(DMat3::ZERO, |sum, part| {
        let d = part.centre - centre;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        sum + part.inertia + (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * part.mass
    });
    Some(Matter { mass, centre, inertia })
}

/// The same matter where its frame has this pose.
pub(crate) fn moved(matter: &Matter, pose: &Pose) -> Matter {
    let r = DMat3::from_quat(pose.orientation);
    Matter {
        mass: matter.mass,
        centre: pose.point(matter.centre),
        inertia: r * matter.inertia * r.transpose(),
    }
}

fn inertia_value(inertia: DMat3) -> Value {
    if inertia == DMat3::from_diagonal(inertia.diagonal()) {
        return json!(inertia.diagonal().to_array());
    }
    // Symmetric: rows are columns.
    json!([inertia.x_axis.to_array(), inertia.y_axis.to_array(), inertia.z_axis.to_array()])
}

fn quaternion_value(q: DQuat) -> Value {
    json!({ "quaternion": [q.w, q.x, q.y, q.z] })
}

fn put_pose(table: &mut Map<String, Value>, pose: &Pose) {
    if pose.position != DVec3::ZERO {
        table.insert("position".into(), json!(pose.position.to_array()));
    }
    if pose.orientation != DQuat::IDENTITY {
        table.insert("orientation".into(), quaternion_value(pose.orientation));
    }
}

fn frame_value(point: DVec3, z: DVec3, x: DVec3) -> Value {
    json!({ "at": point.to_array(), "axis": z.to_array(), "across": x.to_array() })
}

fn part_value(geom: &Geom) -> Value {
    let mut part = Map::new();
    part.insert("shape".into(), shape_value(&geom.solid, &Pose::IDENTITY));
    put_pose(&mut part, &geom.pose);
    Value::Object(part)
}

fn shape_value(solid: &Solid, pose: &Pose) -> Value {
    let points = |points: &[DVec3]| points.iter().map(|p| pose.point(*p).to_array()).collect::<Vec<_>>();
    match solid {
        Solid::Sphere { radius } => json!({ "kind": "sphere", "radius": radius }),
        Solid::Box { size } => json!({ "kind": "box", "size": size.to_array() }),
        Solid::Capsule { radius, length } => json!({ "kind": "capsule", "radius": radius, "length": length }),
        Solid::Cylinder { radius, length } => {
            json!({ "kind": "cylinder", "radius": radius, "length": length })
        }
        Solid::Cone { radius, height } => json!({ "kind": "cone", "radius": radius, "height": height }),
        Solid::Ellipsoid { size } => json!({ "kind": "ellipsoid", "size": size.to_array() }),
        Solid::Hull { points: list } => json!({ "kind": "hull", "points": points(list) }),
        Solid::Mesh { vertices, triangles } => {
            json!({ "kind": "mesh", "vertices": points(vertices), "triangles": triangles })
        }
        Solid::Plane => json!({ "kind": "plane", "normal": [0, 0, 1] }),
    }
}

/// A name as scenes allow it, that no other has.
pub(crate) fn unique(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let replaced: String = wanted
        .chars()
        .map(|c| if c.is_control() || "/\\[]{}\",;".contains(c) { '.' } else { c })
        .take(80)
        .collect();
    let trimmed = replaced.trim().trim_start_matches('#').trim();
    let base = if trimmed.is_empty() { "part" } else { trimmed };
    let mut name = base.to_owned();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{base} {number}");
        number += 1;
    }
    name
}
