//! Joints, contacts and open joint rows as rows of the sparse problem, in place of W′.
//!
//! Contacts and open rows are given with their motion with the joints in force, so that the rows of joints start at zero: the
//! impulses are those of W′ = W − C A⁻¹ Cᵀ, which is never assembled. A limit is a contact without friction; a bounded row is a
//! disc of given radius with one row.

use super::super::{ConstraintSystem, Loaded, Shift, problem};
use super::{Bound, Extra};
use crate::contact::rest::tolerances::{ENOUGH_RESIDUAL, GOOD_RESIDUAL, MANY_CONTACTS, POOR_RESIDUAL};
use crate::math::DVec3;
use crate::math::Row;
use crate::solve::Outcome;
use crate::solve::choose::ContactSolver;
use crate::solve::sparse::{
    Choice, ContactProblem, ContactRows, JointRow, Mobility, SparseScratch, solve_contacts_to,
};

/// Bodies and joints as the sparse solver takes them.
pub(in super::super) struct ArticulatedProblem {
    bodies: Vec<Mobility>,
    joints: Vec<JointRow>,
    /// The open rows of joints, after the contacts.
    open: Vec<ContactRows>,
    /// The last impulses of the joints.
    reactions: Vec<f64>,
    scratch: Box<SparseScratch>,
}

impl ArticulatedProblem {
    /// The joints and open rows in use; none where the user chose another solver, or joints have couplings, which are not equations
    /// between two bodies.
    pub(in super::super) fn new(constraints: &ConstraintSystem, bodies: &[Loaded]) -> Option<Self> {
        if !matches!(constraints.solver, ContactSolver::Complementarity | ContactSolver::Sparse) {
            return None;
        }
        let mut joints = Vec::new();
        for articulation in constraints.present.iter().map(|k| &constraints.articulations[*k]) {
            if !articulation.system.couplings().is_empty() {
                return None;
            }
            for (_, halves) in articulation.system.line_halves() {
                let mut sides = [(None, DVec3::ZERO, DVec3::ZERO); 2];
                for (side, (slot, linear, angular)) in sides.iter_mut().zip(halves) {
                    *side = (Some(articulation.places[slot]), linear, angular);
                }
                let [(a, linear_a, angular_a), (b, linear_b, angular_b)] = sides;
                let row = Row { linear_a, angular_a, linear_b, angular_b };
                joints.push(JointRow { bodies: [a, b], row, free: 0.0 });
            }
        }
        let reactions = vec![0.0; joints.len()];
        let open = constraints.extra.iter().map(|extra| open_row(extra, bodies)).collect();
        Some(Self { bodies: problem::mobilities(bodies), joints, open, reactions, scratch: Box::default() })
    }

    /// The impulses of these contacts, three of each in `r`, which holds a start; none where they were not found.
    pub(in super::super) fn solve(&mut self, contacts: &[ContactRows], r: &mut [f64]) -> Option<Outcome> {
        self.solve_to((0.0, GOOD_RESIDUAL), Choice::LeastNorm, contacts, r)
    }

    /// The same for a time step, with a weaker tolerance where contacts are many.
    pub(in super::super) fn step(&mut self, contacts: &[ContactRows], r: &mut [f64]) -> Option<Outcome> {
        if contacts.len() <= MANY_CONTACTS {
            return self.solve(contacts, r);
        }
        let mut outcome = self.solve_to((ENOUGH_RESIDUAL, POOR_RESIDUAL), Choice::AsFound, contacts, r)?;
        // Among so many contacts some are redundant.
        outcome.unique = false;
        Some(outcome)
    }

    /// Aims at a residual of `enough`, and accepts one of `allowed`.
    fn solve_to(
        &mut self,
        (enough, allowed): (f64, f64),
        choice: Choice,
        contacts: &[ContactRows],
        r: &mut [f64],
    ) -> Option<Outcome> {
        let mut all = r.to_vec();
        all.extend(&self.reactions);
        let contacts = &[contacts, &self.open].concat()[..];
        let problem = ContactProblem { bodies: &self.bodies, contacts, joints: &self.joints };
        let outcome = solve_contacts_to(enough, &problem, choice, &mut all, &mut self.scratch);
        if outcome.residual.is_nan() || outcome.residual > allowed {
            return None;
        }
        let (own, reactions) = all.split_at(r.len());
        r.copy_from_slice(own);
        self.reactions.copy_from_slice(reactions);
        Some(outcome)
    }

    /// Adds the joint reactions to velocities.
    pub(in super::super) fn add_reactions(&self, shifts: &mut [Shift]) {
        for (joint, reaction) in self.joints.iter().zip(&self.reactions) {
            let Row { linear_a, angular_a, linear_b, angular_b } = joint.row;
            for (body, linear, angular) in
                [(joint.bodies[0], linear_a, angular_a), (joint.bodies[1], linear_b, angular_b)]
            {
                let Some(body) = body else { continue };
                shifts[body].linear += *reaction * self.bodies[body].inv_mass * linear;
                shifts[body].angular += *reaction * (self.bodies[body].inv_inertia * angular);
            }
        }
    }
}

/// An open row in the place of a contact: a limit presses along the normal, a bounded row is the first tangent of a disc whose radius
/// is the bound.
fn open_row(extra: &Extra, bodies: &[Loaded]) -> ContactRows {
    let none = Row::default();
    let place = |body: usize| (bodies[body].inv_mass > 0.0).then_some(body);
    let places = extra.bodies.map(|body| body.and_then(place));
    match extra.bound {
        Bound::AtLeast => ContactRows {
            bodies: places,
            rows: [extra.row, none, none],
            free: [extra.free, 0.0, 0.0],
            friction: 0.0,
            own: 0.0,
        },
        Bound::Within(limit) => {
            let own = extra.mobility(bodies);
            let rows = [none, extra.row, none];
            ContactRows { bodies: places, rows, free: [-own * limit, extra.free, 0.0], friction: 1.0, own }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::super::super::{Articulation, ContactConstraint, Frame, Mode};
    use super::*;
    use crate::articulation::JointSystem;
    use crate::articulation::factor::Pivoting;
    use crate::body::Kinematics;
    use crate::joint::{Joint, JointKind, Placement, Side, Turns};
    use crate::mass::MassProperties;
    use crate::math::least_norm::LeastNorm;
    use crate::math::{DMat3, DQuat, Pose, Twist, dvec3};
    use crate::narrow_phase::{ContactFunction, NormalRule};
    use crate::solve::Square;
    use crate::world::{Body, World, WorldBuilder};

    /// The tolerance of the comparison: the solver stops at 1e-9, and W′ is a difference that costs a digit.
    const NEAR: f64 = 1e-8;

    struct Random(Pcg64Mcg);

    impl Random {
        /// In [−1, 1).
        fn number(&mut self) -> f64 {
            (self.0.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn below(&mut self, n: usize) -> usize {
            (self.0.next_u64() % n as u64) as usize
        }

        fn vector(&mut self) -> DVec3 {
            dvec3(self.number(), self.number(), self.number())
        }

        fn rotation(&mut self) -> DQuat {
            let q = DQuat::from_xyzw(self.number(), self.number(), self.number(), 1.5 + self.number());
            q.normalize()
        }
    }

    /// Bodies on random joints, with contacts among them and with a fixed body, which is the last.
    struct Mechanism {
        constraints: ConstraintSystem,
        bodies: Vec<Loaded>,
        contacts: Vec<ContactConstraint>,
    }

    /// The joint graph of a mechanism.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Graph {
        /// From each body to one before it, or to the world.
        Tree,
        /// Three more rods, between any two bodies.
        Loops,
        /// Every joint twice, the second elsewhere along its axis: most rows depend on others.
        Doubled,
        /// A straight row of rods between two fixed points: a row depends on the others, and none resists a transverse
        /// motion.
        Taut,
    }

    fn joint(
        random: &mut Random,
        (k, graph): (usize, Graph),
        sides: [Side; 2],
        at: [DVec3; 2],
    ) -> Vec<Joint> {
        let name = |more: &str| format!("j{k:02}{more}");
        if graph == Graph::Taut {
            let kind = JointKind::Rod { length: Some(at[0].distance(at[1])) };
            let frames = sides.map(|side| match side {
                Side::World => crate::joint::Frame::at(at[1]),
                Side::Body(_) | Side::Added(_) => crate::joint::Frame::at(DVec3::ZERO),
            });
            return vec![
                Joint::new(name(""), kind, sides[0], sides[1]).placed(Placement::Each(frames[0], frames[1])),
            ];
        }
        let kinds =
            [JointKind::Ball, JointKind::Hinge, JointKind::Slider, JointKind::Universal, JointKind::Weld];
        // Two of the last kind would leave nothing to move.
        let kind = kinds[random.below(if graph == Graph::Doubled { 3 } else { kinds.len() })].clone();
        let (point, axis) = (0.5 * (at[0] + at[1]), random.vector().normalize());
        let new_tracks = |more: &str, along: f64| {
            Joint::new(name(more), kind.clone(), sides[0], sides[1]).at(point + along * axis, axis)
        };
        if graph == Graph::Doubled {
            vec![new_tracks("", 0.0), new_tracks("b", 0.3)]
        } else {
            vec![new_tracks("", 0.0)]
        }
    }

    /// So many bodies in random poses, with joints that fit them there.
    fn world(random: &mut Random, count: usize, graph: Graph) -> World {
        let unit = MassProperties::new(1.0, DVec3::ZERO, DMat3::IDENTITY).expect("a mass");
        let mut builder = WorldBuilder::new();
        let mut places = Vec::new();
        for k in 0..count {
            let at = if graph == Graph::Taut { dvec3(k as f64, 0.0, 0.0) } else { 2.0 * random.vector() };
            places.push(at);
            builder
                .body(Body::dynamic(&unit).named(format!("b{k:02}")).centred_at(at, random.rotation()))
                .expect("a body");
        }
        let mut world = builder.build().expect("a world");
        let more = match graph {
            Graph::Loops => 3,
            Graph::Taut => 1,
            Graph::Tree | Graph::Doubled => 0,
        };
        for k in 0..count + more {
            let is_end = graph == Graph::Taut && k == count;
            let own = if is_end { count - 1 } else { k % count };
            let other = match graph {
                Graph::Taut if is_end => None,
                Graph::Taut => own.checked_sub(1),
                _ if k == 0 => None,
                _ => Some(random.below(if k < count { k } else { count })).filter(|other| *other != own),
            };
            let side = |k: usize| Side::Body(world.find_body(&format!("b{k:02}")).expect("a body"));
            let sides = [side(own), other.map_or(Side::World, side)];
            let pin = dvec3(if is_end { count as f64 } else { -1.0 }, 0.0, 0.0);
            let at = [places[own], other.map_or(pin, |k| places[k])];
            // Rods close the loops.
            let kind = if k < count { graph } else { Graph::Taut };
            for joint in joint(random, (k, kind), sides, at) {
                world.add_joint(joint).expect("a joint");
            }
        }
        world
    }

    impl Mechanism {
        fn new(random: &mut Random, (count, touching): (usize, usize), graph: Graph, friction: f64) -> Self {
            let world = world(random, count, graph);
            let still = |pose| Kinematics {
                pose,
                twist: Twist { velocity: DVec3::ZERO, spin: DVec3::ZERO },
                acceleration: DVec3::ZERO,
                spin_rate: DVec3::ZERO,
            };
            let mut bodies = Vec::new();
            for id in world.body_ids() {
                let turned = DMat3::from_quat(random.rotation());
                let moments = dvec3(1.5 + random.number(), 1.5 + random.number(), 1.5 + random.number());
                bodies.push(Loaded {
                    inv_mass: 1.5 + random.number(),
                    inv_inertia: turned * DMat3::from_diagonal(moments) * turned.transpose(),
                    kinematics: still(world.body(id).start_pose()),
                });
            }
            let here = Pose { position: DVec3::ZERO, orientation: DQuat::IDENTITY };
            bodies.push(Loaded { inv_mass: 0.0, inv_inertia: DMat3::ZERO, kinematics: still(here) });
            let mut system = JointSystem::whole(&world);
            let turns = vec![Turns::default(); world.joints().len()];
            system.evaluate(&world, |id| bodies[id.index()].kinematics, 0.0, &turns);
            system.factor(|id| bodies[id.index()].mobility(), Pivoting::FORCES);
            let mut articulations = Articulation::new(&world, system);
            articulations.places = articulations.system.bodies().iter().map(|id| id.index()).collect();
            let mut constraints = ConstraintSystem::with_joints(vec![articulations]);
            constraints.present = vec![0];
            let contacts = (0..touching).map(|k| constraint(random, &bodies, k, friction)).collect();
            Self { constraints, bodies, contacts }
        }

        /// The contacts as the solver takes them, for a motion of the bodies that satisfies the joints.
        fn rows(&mut self, random: &mut Random) -> Vec<ContactRows> {
            let mut motions: Vec<Shift> = self
                .bodies
                .iter()
                .map(|body| {
                    let moves = if body.inv_mass > 0.0 { 1.0 } else { 0.0 };
                    Shift { linear: moves * random.vector(), angular: moves * random.vector() }
                })
                .collect();
            let (bodies, articulations) = (&self.bodies, &mut self.constraints.articulations[0]);
            // Twice: the first is right to eleven digits of its input.
            (0..2).for_each(|_| articulations.respond(|place| bodies[place].mobility(), &mut motions));
            let frames: Vec<Frame> = self.contacts.iter().map(|c| Frame::new(bodies, c)).collect();
            let mut rows = problem::rows(bodies, &self.contacts, &frames, &vec![false; frames.len()]);
            for row in &mut rows {
                row.free = [0, 1, 2].map(|c| rate(row.bodies, &row.rows[c], &motions));
            }
            rows
        }

        /// Rows of the joints, 6 numbers for each body.
        fn joint_rows(&self) -> Vec<Vec<f64>> {
            let articulations = &self.constraints.articulations[0];
            let dense = |halves: &mut dyn Iterator<Item = (usize, DVec3, DVec3)>| {
                let mut row = vec![0.0; 6 * self.bodies.len()];
                for (slot, linear, angular) in halves {
                    add(&mut row, articulations.places[slot], (linear, angular));
                }
                row
            };
            articulations.system.line_halves().map(|(_, mut halves)| dense(&mut halves)).collect()
        }

        /// M⁻¹ x.
        fn response(&self, x: &[f64]) -> Vec<f64> {
            let mut out = vec![0.0; x.len()];
            for (k, body) in self.bodies.iter().enumerate() {
                let part = |at: usize| DVec3::from_slice(&x[6 * k + at..]);
                add(&mut out, k, (body.inv_mass * part(0), body.inv_inertia * part(3)));
            }
            out
        }

        /// x ↦ M⁻¹ (x − Jᵀ A⁺ J M⁻¹ x) by dense solutions of least norm: the response with the joints in force.
        fn articulated_response(&self, joints: &[Vec<f64>], factors: &mut LeastNorm, x: &[f64]) -> Vec<f64> {
            let free = self.response(x);
            let b: Vec<f64> = joints.iter().map(|row| dot(row, &free)).collect();
            let mut forces = vec![0.0; b.len()];
            factors.solve(&b, &mut forces);
            let mut left = x.to_vec();
            for (row, force) in joints.iter().zip(&forces) {
                left.iter_mut().zip(row).for_each(|(left, part)| *left -= force * part);
            }
            self.response(&left)
        }
    }

    fn constraint(random: &mut Random, bodies: &[Loaded], k: usize, friction: f64) -> ContactConstraint {
        let fixed = bodies.len() - 1;
        let a = k % fixed;
        let b = Some(random.below(fixed)).filter(|b| *b != a && !k.is_multiple_of(3)).unwrap_or(fixed);
        let (pose_a, pose_b) = (bodies[a].kinematics.pose, bodies[b].kinematics.pose);
        let point = pose_a.position + 0.5 * random.vector();
        let normal = random.vector().normalize();
        let function = ContactFunction {
            point_a: pose_a.orientation.inverse() * (point - pose_a.position),
            point_b: pose_b.orientation.inverse() * (point - pose_b.position),
            normal: NormalRule::OfB(pose_b.orientation.inverse() * normal),
        };
        ContactConstraint {
            bodies: [a, b],
            function,
            static_friction: friction,
            kinetic_friction: friction,
            mode: Mode::Stick,
            still: 0.0,
            rolling: None,
        }
    }

    fn add(row: &mut [f64], body: usize, (linear, angular): (DVec3, DVec3)) {
        let parts = linear.to_array().into_iter().chain(angular.to_array());
        row[6 * body..].iter_mut().zip(parts).for_each(|(value, part)| *value += part);
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn length(x: f64, y: f64) -> f64 {
        (x * x + y * y).sqrt()
    }

    fn halves(row: &Row) -> [(DVec3, DVec3); 2] {
        [(row.linear_a, row.angular_a), (row.linear_b, row.angular_b)]
    }

    fn rate(bodies: [Option<usize>; 2], row: &Row, motions: &[Shift]) -> f64 {
        let of = |(body, (linear, angular)): (Option<usize>, (DVec3, DVec3))| {
            body.map_or(0.0, |k| linear.dot(motions[k].linear) + angular.dot(motions[k].angular))
        };
        bodies.into_iter().zip(halves(row)).map(of).sum()
    }

    /// Solves by the sparse problem, and measures the violation of the laws with a dense W′: Signorini's, uₙ ≥ 0, pₙ ≥
    /// 0, uₙ pₙ = 0, and Coulomb's, |pₜ| ≤ μ pₙ, pₜ·uₜ = −μ pₙ |uₜ|; by the largest impulse and the largest rate
    /// without impulses.
    fn compare(random: &mut Random, size: (usize, usize), graph: Graph, friction: f64) -> f64 {
        let mut mechanism = Mechanism::new(random, size, graph, friction);
        let rows = mechanism.rows(random);
        let n = rows.len();
        let mut problem =
            ArticulatedProblem::new(&mechanism.constraints, &mechanism.bodies).expect("plain joints");
        let mut r = vec![0.0; 3 * n];
        let outcome = problem.solve(&rows, &mut r);
        assert!(outcome.is_some(), "{graph:?}, μ = {friction}: not found");

        let joints = mechanism.joint_rows();
        let yielded: Vec<Vec<f64>> = joints.iter().map(|row| mechanism.response(row)).collect();
        let mut factors = LeastNorm::default();
        factors.factor(joints.len(), |i, j| dot(&joints[i], &yielded[j]));
        let contact = |i: usize| {
            let mut row = vec![0.0; 6 * mechanism.bodies.len()];
            for (body, half) in rows[i / 3].bodies.into_iter().zip(halves(&rows[i / 3].rows[i % 3])) {
                if let Some(body) = body {
                    add(&mut row, body, half);
                }
            }
            row
        };
        let contacts: Vec<Vec<f64>> = (0..3 * n).map(contact).collect();
        let reactions: Vec<Vec<f64>> =
            contacts.iter().map(|row| mechanism.articulated_response(&joints, &mut factors, row)).collect();
        // Symmetrised: rounding must not make it unsymmetric.
        let w = Square::from_fn(3 * n, |i, j| {
            0.5 * (dot(&contacts[i], &reactions[j]) + dot(&contacts[j], &reactions[i]))
        });
        let q: Vec<f64> = rows.iter().flat_map(|row| row.free).collect();
        // With the joint reactions the rates of joints stay zero, and those of contacts are what W′ gives.
        let mut motions = vec![Shift::default(); mechanism.bodies.len()];
        for (i, impulse) in r.iter().enumerate() {
            let pushed = mechanism.response(&contacts[i]);
            for (k, motion) in motions.iter_mut().enumerate() {
                motion.linear += *impulse * DVec3::from_slice(&pushed[6 * k..]);
                motion.angular += *impulse * DVec3::from_slice(&pushed[6 * k + 3..]);
            }
        }
        problem.add_reactions(&mut motions);
        let scale = q.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        for joint in &problem.joints {
            let left = rate(joint.bodies, &joint.row, &motions);
            assert!(left.abs() < NEAR * scale, "{graph:?}, μ = {friction}: a joint is violated by {left:e}");
        }
        for i in 0..3 * n {
            let got = rate(rows[i / 3].bodies, &rows[i / 3].rows[i % 3], &motions);
            let wanted = w.dot(i, &r);
            assert!((got - wanted).abs() < NEAR * scale, "{graph:?}, μ = {friction}: {got} for {wanted}");
        }
        let largest = r.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
        let mut worst = 0.0_f64;
        for i in 0..n {
            let u = [0, 1, 2].map(|c| q[3 * i + c] + w.dot(3 * i + c, &r));
            let p = &r[3 * i..3 * i + 3];
            let (slip, tangential) = (length(u[1], u[2]), length(p[1], p[2]));
            let cone = (-p[0]).max(tangential - friction * p[0]) / largest;
            let power = p[1] * u[1] + p[2] * u[2] + friction * p[0] * slip;
            let powers = (p[0] * u[0]).abs().max(power.abs()) / (largest * scale);
            worst = worst.max(-u[0] / scale).max(cone).max(powers);
        }
        worst
    }

    const GRAPHS: [Graph; 4] = [Graph::Tree, Graph::Loops, Graph::Doubled, Graph::Taut];

    /// Without friction the impulses are those with the joints eliminated, on trees, loops, redundant joints and a taut
    /// row of rods; the joint reactions satisfy the joints, and agree with W′.
    #[test]
    fn joints_beside_contacts_act_as_when_they_are_eliminated() {
        let mut random = Random(Pcg64Mcg::seed_from_u64(61));
        for graph in GRAPHS {
            for round in 0..6 {
                let missed = compare(&mut random, (4 + round, 17 + 3 * round), graph, 0.0);
                assert!(missed < NEAR, "{graph:?} {round}: missed by {missed:e}");
            }
        }
    }

    /// With friction several motions may be solutions: the impulses satisfy Coulomb's law with the joints eliminated.
    #[test]
    fn friction_beside_joints_keeps_coulombs_law() {
        let mut random = Random(Pcg64Mcg::seed_from_u64(62));
        for graph in GRAPHS {
            for round in 0..6 {
                let missed = compare(&mut random, (4 + round, 17 + 3 * round), graph, 0.4);
                assert!(missed < NEAR, "{graph:?} {round}: missed by {missed:e}");
            }
        }
    }
}
