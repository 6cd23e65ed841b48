//! A gas of hard spheres in a cube: what is measured, and what statistical mechanics says of it.
#![allow(unreachable_pub, reason = "shared by a test and an example")]

use dolmen::math::real;
use dolmen::prelude::*;
use dolmen::record::EventKind;

use crate::clouds::Random;
use crate::common::{ball, elastic, room, world};

/// Diameter of the spheres, m.
const SIGMA: f64 = 1.0;

/// `count` spheres of diameter 1 m that fill a share `eta` of the cube that their centres can reach; all start with a speed
/// of √3 m/s, so that kT/m = 1 and nothing looks like Maxwell's distribution.
pub struct HardGas {
    pub simulation: Simulation,
    ids: Vec<BodyId>,
    /// Mass of a sphere, kg.
    mass: f64,
    /// Side of the cube of the centres, m.
    pub side: f64,
    /// Share of that cube that the spheres fill.
    pub eta: f64,
    /// Impulses of the walls so far, and how many hits, N·s.
    pub wall: (f64, u64),
    /// Impulses between spheres so far, and how many.
    pub pairs: (f64, u64),
}

impl HardGas {
    pub fn new(count: usize, eta: f64, seed: u64) -> Self {
        let n = count as f64;
        let side = SIGMA * real::cbrt(n * std::f64::consts::PI / (6.0 * eta));
        let across = real::cbrt(n).ceil();
        let mut random = Random(seed);
        let mut bodies = room(0.5 * (side + SIGMA));
        for i in 0..count {
            let (i, m) = (i, across as usize);
            let cell = dvec3((i % m) as f64, (i / m % m) as f64, (i / m / m) as f64);
            let at = side * ((cell + 0.5) / across - 0.5);
            let velocity = 3.0_f64.sqrt() * random.on_sphere();
            let sphere = ball(&format!("sphere {i:06}"), 0.5 * SIGMA, at);
            bodies.push(sphere.moving(velocity, DVec3::ZERO));
        }
        let simulation = Simulation::new(world(bodies, DVec3::ZERO, elastic())).expect("a lattice");
        let ids = crate::common::movers(simulation.world());
        let mass = 1.0 / simulation.world().body(ids[0]).inertia().inv_mass;
        Self { simulation, ids, mass, side, eta, wall: (0.0, 0), pairs: (0.0, 0) }
    }

    /// Time in which a sphere meets four others, by Enskog: ν = 4√π σ² ρ g(σ) √(kT/m), g = (1 − η/2)/(1 − η)³.
    pub fn while_four_collisions(&self) -> f64 {
        let density = 6.0 * self.eta / (std::f64::consts::PI * SIGMA * SIGMA * SIGMA);
        let contact = (1.0 - 0.5 * self.eta) / real::powi(1.0 - self.eta, 3);
        4.0 / (4.0 * std::f64::consts::PI.sqrt() * SIGMA * SIGMA * density * contact)
    }

    /// Goes on for a time and adds up the impulses.
    pub fn go_on(&mut self, duration: f64) {
        self.simulation.advance(self.simulation.time() + duration).expect("nothing stops a gas");
        for event in self.simulation.take_events() {
            assert_eq!(event.kind, EventKind::Collision, "{event:?}");
            let is_wall = event.bodies.iter().any(|id| !self.simulation.world().body(*id).is_dynamic());
            let sum = if is_wall { &mut self.wall } else { &mut self.pairs };
            sum.0 += event.impulse.abs();
            sum.1 += 1;
        }
    }

    /// Forgets the impulses so far.
    pub fn forget(&mut self) {
        (self.wall, self.pairs) = ((0.0, 0), (0.0, 0));
    }

    /// ⟨v²⟩, ⟨v⁴⟩/⟨v²⟩², ⟨v⁶⟩/⟨v²⟩³ now.
    pub fn moments(&self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for id in &self.ids {
            let v2 = self.simulation.twist(*id).velocity.length_squared();
            sums[0] += v2;
            sums[1] += v2 * v2;
            sums[2] += v2 * v2 * v2;
        }
        let [m2, m4, m6] = sums.map(|sum| sum / self.ids.len() as f64);
        [m2, m4 / (m2 * m2), m6 / (m2 * m2 * m2)]
    }

    /// What the moments are for velocities uniform on the sphere of given energy in D = 3N dimensions, and the standard
    /// deviations of one sample of N spheres.
    ///
    /// v²/Σv² is Beta(3/2, (D−3)/2): R₄ = 5/3·D/(D+2), R₆ = 35/9·D²/((D+2)(D+4)). For a normal distribution E v²ᵏ =
    /// (2k+1)!!; with Σv² fixed, Var v⁴ = 720 − 60²/6 = 120 and Var v⁶ = 124110 − 630²/6 = 57960.
    pub fn expected_moments(&self) -> [(f64, f64); 2] {
        let n = self.ids.len() as f64;
        let d = 3.0 * n;
        [
            (5.0 / 3.0 * d / (d + 2.0), (120.0 / n).sqrt() / 9.0),
            (35.0 / 9.0 * d * d / ((d + 2.0) * (d + 4.0)), (57960.0 / n).sqrt() / 27.0),
        ]
    }

    /// P V/(N kT) from the impulses on the walls over `duration`, and its statistical error.
    ///
    /// P = Σj/(6 l² t), V = l³, N kT = m Σv²/3. Hits are a Poisson process whose impulses 2mv have ⟨v²⟩/⟨v⟩² = 4/π: the
    /// relative error of their sum is √(4/(π n)).
    pub fn compressibility(&self, duration: f64) -> (f64, f64) {
        let energy = self.mass * self.moments()[0] * self.ids.len() as f64;
        let value = self.wall.0 * self.side / (6.0 * duration) / (energy / 3.0);
        (value, value * (4.0 / (std::f64::consts::PI * self.wall.1 as f64)).sqrt())
    }

    /// The same by theory: Carnahan and Starling's equation in the bulk, and the surface tension of a hard wall by
    /// scaled-particle theory [Henderson, Plischke 1987], which a cube of a thousand spheres feels.
    ///
    /// In units of kT and σ, with centres in a cube of side l: Ω = −P V + γ A, γ = −(9/2π) η²(1+η)/(1−η)³. Hence N = ρV − A
    /// dγ/dμ with dμ/dη = χ/η, χ = dP/dρ, and the pressure on the walls is −dΩ/dV = P − 4γ/l. Edges: the part of the
    /// second virial coefficient of a cube that is of second and third order in 1/l. [line picking in a cube]
    pub fn expected_compressibility(&self) -> f64 {
        let pi = std::f64::consts::PI;
        let (n, l) = (self.ids.len() as f64, self.side / SIGMA);
        let tension = |eta: f64| -4.5 / pi * eta * eta * (1.0 + eta) / real::powi(1.0 - eta, 3);
        let mut eta = self.eta;
        for _ in 0..50 {
            let h = 1e-5;
            let slope = (tension(eta + h) - tension(eta - h)) / (2.0 * h);
            let chi = (1.0 + 4.0 * eta + 4.0 * eta * eta - 4.0 * real::powi(eta, 3) + real::powi(eta, 4))
                / real::powi(1.0 - eta, 4);
            let adsorbed = -slope * eta / chi;
            eta = pi / 6.0 * (n - 6.0 * l * l * adsorbed) / (l * l * l);
        }
        let bulk = 6.0 * eta / pi * (1.0 + eta + eta * eta - real::powi(eta, 3)) / real::powi(1.0 - eta, 3);
        let pressure = bulk - 4.0 * tension(eta) / l;
        let edges = 4.0 * self.eta * (2.0 / (pi * l * l) - 0.25 / (pi * l * l * l));
        pressure * l * l * l / n + edges
    }

    /// Σ m r·v now, J·s.
    pub fn virial(&self) -> f64 {
        let one = |id: &BodyId| self.simulation.pose(*id).position.dot(self.simulation.twist(*id).velocity);
        self.mass * self.ids.iter().map(one).sum::<f64>()
    }

    /// What Σ m r·v must have grown by over `duration`: 2K t + σ Σj of pairs − l/2 Σj of walls. Exact, no statistics.
    pub fn expected_virial_growth(&self, duration: f64) -> f64 {
        let energy = self.mass * self.moments()[0] * self.ids.len() as f64;
        energy * duration + SIGMA * self.pairs.0 - 0.5 * self.side * self.wall.0
    }
}
