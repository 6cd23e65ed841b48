//! The impact of one instant: its impulses, their energy and their record.

use crate::contact::{CollideSettings, Colliding, Impact, ImpactStatus, Mover, collide};
use crate::drive::exact::detect::motions::OnTracks;
use crate::drive::exact::gather::cluster::{Cluster, Touching};
use crate::drive::exact::impact::Impacts;
use crate::drive::exact::impact::tolerances::{
    LOW_RESTITUTION, MAX_BEFORE_STEP, MAX_CONTACTS, MAX_IN_REGIME, MAX_INELASTIC, SLIP_END_INTERVAL,
    SPEED_ROUNDING,
};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::laws::progress::allow_work_of;
use crate::drive::exact::log::Log;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stage::Stage;
use crate::drive::exact::state::State;
use crate::drive::exact::state::view::View;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::record::{Event, EventKind, Note, Solve, excess_of};
use crate::world::{BodyId, World};

impl Simulation {
    /// Takes one time step over everything that touches the cluster or may within the step.
    pub(crate) fn step_over_events(&mut self, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        self.gather(t, seed, 0.0)?;
        self.step_over_all(t, seed)
    }

    /// Continues after integrator steps failed or became too many. All slips of a face may be about to end together,
    /// faster than the integrator can follow: then they have ended, and the face sticks. Otherwise takes a time step,
    /// as [`Simulation::step_over_events`] does.
    pub(crate) fn step_after_failure(&mut self, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        self.gather(t, seed, 0.0)?;
        self.find_contacts(t, 0.0)?;
        let characteristic_time =
            seed.iter().map(|body| self.state.characteristic_time_of(*body)).fold(f64::INFINITY, f64::min);
        let is_new = self
            .state
            .failed_step
            .is_none_or(|(at, pair)| pair != seed || t > at + SLIP_END_INTERVAL * characteristic_time);
        let contacts = &self.scratch.cluster.contacts;
        if !(is_new && self.view().slips_end(t, contacts)) || self.state.note_overlaps(contacts) {
            return self.step_over_all(t, seed);
        }
        self.state.failed_step = Some((t, seed));
        self.pass_ghost_contacts(t)?;
        self.impacts().collide(t)?;
        self.resume_after_event(t)
    }

    /// Solves the impact of what touches now, then takes one time step over everything that touches the cluster or may
    /// within it.
    pub(crate) fn step_over_all(&mut self, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        self.profile.enter(Stage::TimeStep);
        let h = self.time_step_length(t);
        self.gather(t, seed, h)?;
        self.find_contacts(t, h)?;
        let max_contacts = if self.is_in_stepping_regime() { MAX_IN_REGIME } else { MAX_BEFORE_STEP };
        let is_low_restitution = self
            .scratch
            .cluster
            .contacts
            .iter()
            .all(|touching| touching.surface.restitution <= LOW_RESTITUTION);
        let is_few = self.scratch.cluster.contacts.len()
            <= if is_low_restitution { max_contacts / 2 } else { max_contacts };
        if is_few {
            self.pass_ghost_contacts(t)?;
        }
        self.state.note_overlaps(&self.scratch.cluster.contacts);
        if is_few && !self.is_large_inelastic() {
            self.impacts().collide(t)?;
        }
        let mut ahead = std::mem::take(&mut self.scratch.cluster.ahead);
        self.scratch.cluster.contacts.append(&mut ahead);
        self.scratch.cluster.ahead = ahead;
        self.take_time_step(t, h)
    }

    /// Whether more than a few contacts touch, and neither they nor joint limits of their articulations have
    /// restitution.
    fn is_large_inelastic(&self) -> bool {
        let limited = |k: &usize| {
            let mut articulations =
                self.scratch.island.articulation_index.of_island(&self.state.tracks[*k].island);
            articulations.any(|articulation| {
                !self.scratch.island.constraints.articulations[articulation].rows.is_empty()
            })
        };
        self.scratch.cluster.contacts.len() > MAX_INELASTIC
            && self.scratch.cluster.contacts.iter().all(|touching| touching.surface.restitution == 0.0)
            && !self.scratch.cluster.tracks(&self.state.places).iter().any(limited)
    }

    /// Gathers all bodies that touch these two, or may within a time `h`, and reads their states at `t`: x⁻.
    pub(crate) fn gather(&mut self, t: f64, seed: [u32; 2], h: f64) -> Result<(), Stop> {
        let on = OnTracks::new(&self.world, &self.state.tracks, &self.state.places);
        let gathered = self.scratch.cluster.gather(seed, (t, h), &mut self.state.detection, on);
        gathered.map_err(|(bodies, pair)| Stop::unsupported(&self.world, t, bodies, pair))?;
        allow_work_of(&self.world, self.scratch.cluster.bodies.len());
        self.read_cluster(t)
    }

    /// Brings the states of all bodies of the cluster to `t`: x⁻.
    fn read_cluster(&mut self, t: f64) -> Result<(), Stop> {
        // Tracks of several bodies; each is read as a whole.
        let mut read: Vec<usize> = Vec::new();
        for i in 0..self.scratch.cluster.bodies.len() {
            let body = self.scratch.cluster.bodies[i] as usize;
            let Some((place, k)) = self.state.places[body] else { continue };
            let track = &mut self.state.tracks[place];
            if track.is_lone_flight() {
                self.state.states.bodies[body] = track.flight_state(k, t);
                continue;
            }
            if read.contains(&place) {
                continue;
            }
            read.push(place);
            if track.is_flight() || track.is_at_rest() {
                track.read(t, &mut self.state.states);
            } else {
                track
                    .cut(
                        t,
                        &self.world,
                        &mut self.state.states,
                        Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
                    )
                    .map_err(|error| Stop::motion(&self.world, &track.island, t, error))?;
            }
        }
        Ok(())
    }

    /// Finds the contacts of the cluster, and those that may close within a time `h`.
    pub(crate) fn find_contacts(&mut self, t: f64, h: f64) -> Result<(), Stop> {
        let (world, states) = (&self.world, &self.state.states);
        let state = |body: u32| {
            let id = BodyId::from_rank(body as usize);
            if let Some(motion) = world.body(id).prescribed_motion() {
                return (motion.pose(t), motion.twist(t));
            }
            let state = &states.bodies[body as usize];
            (state.pose(), state.twist(world.body(id).inertia()))
        };
        let found = self.scratch.cluster.find_contacts(world, &mut self.state.detection, h, state);
        found.map_err(|(bodies, pair)| Stop::unsupported(&self.world, t, bodies, pair))
    }
}

impl Impacts<'_> {
    /// Finds and applies the impulses, if anything collides.
    pub(crate) fn collide(&mut self, t: f64) -> Result<(), Stop> {
        self.fill_colliding(t);
        if self.project_velocities_onto_joints(t) {
            self.fill_colliding(t);
        }
        let contacts = self.cluster.colliding.iter().zip(&self.cluster.contacts);
        let (view, movers) = (self.view(), &self.cluster.movers);
        let approach: Vec<f64> = contacts.map(|(c, touching)| view.approach(movers, c, touching)).collect();
        self.add_rows(t);
        self.cluster.joint_friction.clear();
        self.cluster.closed.clear();
        // A body at rest on very many contacts approaches at some by rounding. Their impulses would be pure cost in a
        // dense solver.
        let is_large = approach.len() > MAX_CONTACTS;
        let still = |touching: &Touching| if is_large { self.view().zero_speed(t, touching) } else { 0.0 };
        let mut approaching = approach.iter().zip(&self.cluster.contacts);
        if !approaching.any(|(rate, touching)| *rate < -still(touching))
            && !self.cluster.rows.iter().any(|row| row.rate < 0.0)
        {
            return Ok(());
        }
        let ends = self.cluster.close_series(&mut self.state.log, t, &approach);
        self.close_row_series(t);
        self.compute_articulated_delassus(t);
        self.check_rows(t)?;
        let mut impact = std::mem::take(&mut self.cluster.impact_memory);
        let Cluster { movers, colliding, scratch, .. } = &mut *self.cluster;
        let settings = CollideSettings { solver: self.world.contact().solver, ..CollideSettings::default() };
        collide(self.world.contact().law, movers, colliding, settings, scratch, &mut impact);
        self.apply_joint_friction(&mut impact);
        self.cluster.check_impact(self.world, t, &impact)?;
        self.apply_impact(t, &impact);
        self.state.book_collisions(self.world, self.cluster, t, &ends, &impact);
        self.book_rows(t, &impact);
        self.book_joint_friction(t);
        self.cluster.impact_memory = impact;
        Ok(())
    }

    /// x⁻ → x⁺: the impulses of contacts, limits, joint friction and joints.
    fn apply_impact(&mut self, t: f64, impact: &Impact) {
        for (touching, impulse) in self.cluster.contacts.iter().zip(&impact.impulses) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = touching.bodies[side] as usize;
                if self.state.places[body].is_some() {
                    let state = &mut self.state.states.bodies[body];
                    state.momentum += sign * *impulse;
                    state.angular_momentum += sign * touching.arms[side].cross(*impulse);
                }
            }
        }
        self.apply_row_impulses(t, &impact.impulses);
        self.apply_joint_friction_impulses(t);
        self.apply_joint_reactions(t);
    }

    /// Fills the contacts of the cluster as the impact laws take them, with the velocities of the current states.
    fn fill_colliding(&mut self, t: f64) {
        let (world, states) = (self.world, &self.state.states);
        let state = |body: u32| -> (Pose, Twist) {
            let id = BodyId::from_rank(body as usize);
            if let Some(motion) = world.body(id).prescribed_motion() {
                return (motion.pose(t), motion.twist(t));
            }
            let state = &states.bodies[body as usize];
            (state.pose(), state.twist(world.body(id).inertia()))
        };
        self.cluster.as_colliding(world, state);
    }
}

impl View<'_> {
    /// Whether more of these contacts collide at once than the impact laws take. A time step over all of them, without
    /// restitution, replaces the impact.
    pub(crate) fn exceeds_impact_laws(&self, t: f64, contacts: &[Touching]) -> bool {
        let approaches = |touching: &Touching| {
            let velocity = self.state.relative_velocity_plus(self.world, t, touching);
            touching.contact.normal.dot(velocity) < -self.zero_speed(t, touching)
        };
        contacts.len() > MAX_CONTACTS && contacts.iter().any(approaches)
    }

    /// The normal velocity of a contact before the impact; zero where it is rounding.
    fn approach(&self, movers: &[Mover], c: &Colliding, touching: &Touching) -> f64 {
        let [a, b] = c.bodies.map(|i| &movers[i]);
        let (v_a, v_b) = (a.velocity + a.spin.cross(c.arms[0]), b.velocity + b.spin.cross(c.arms[1]));
        let radius =
            |body: u32| self.state.detection.collider(body).map_or(f64::INFINITY, |collider| collider.radius);
        let size = radius(touching.bodies[0]).min(radius(touching.bodies[1]));
        let fall = (self.world.gravity().length() * size).sqrt();
        let fall = if fall.is_finite() { fall } else { 0.0 };
        let scale = v_a.length() + v_b.length() + a.velocity.length() + b.velocity.length() + fall;
        let rate = c.normal.dot(v_a - v_b);
        if rate.abs() > SPEED_ROUNDING * scale { rate } else { 0.0 }
    }
}

impl Cluster {
    /// Checks that impulses were found.
    fn check_impact(&self, world: &World, t: f64, impact: &Impact) -> Result<(), Stop> {
        let bodies = || {
            let first = self.contacts.first().map(|touching| touching.bodies);
            let of_first = first.unwrap_or([self.bodies.first().copied().unwrap_or_default(); 2]);
            of_first.map(|body| world.body_name(BodyId::from_rank(body as usize)))
        };
        match impact.status {
            ImpactStatus::Jammed => {
                let impulse =
                    impact.impulses.iter().fold(0.0_f64, |most, impulse| most.max(impulse.length()));
                let reason = Reason::Jammed { bodies: bodies(), impulse, force: f64::INFINITY };
                Err(Stop { t, reason })
            }
            ImpactStatus::NotFinite => {
                let what = format!("the impulse between {}", bodies().join(" and "));
                Err(Stop { t, reason: Reason::NotFinite { what } })
            }
            ImpactStatus::Solved | ImpactStatus::Closed | ImpactStatus::Approximate => Ok(()),
        }
    }

    /// Sets restitution to zero for pairs whose remaining bounces stay below the contact tolerance; returns when each
    /// of these series ends. [SYSTEM, trap 4]
    fn close_series(&mut self, log: &mut Log, t: f64, approach: &[f64]) -> Vec<Option<f64>> {
        let mut ends = vec![None; approach.len()];
        let mut k = 0;
        while k < approach.len() {
            let pair = self.contacts[k].bodies;
            let same = self.contacts[k..].iter().take_while(|touching| touching.bodies == pair).count();
            let of_pair = k..k + same;
            k += same;
            let fastest = of_pair.clone().map(|i| -approach[i]).fold(0.0, f64::max);
            let touching = &self.contacts[of_pair.start];
            // An elastic, smooth pair has no series of its own. With friction ε = 1 returns only the work of the normal: a body
            // on a joint slides while it bounces, and what friction takes makes a series.
            let surface = &touching.surface;
            if fastest == 0.0 || (surface.restitution >= 1.0 && surface.kinetic_friction == 0.0) {
                continue;
            }
            let tolerance = touching.tolerance;
            if let Some(rest) = log.bounce(pair, t, fastest, tolerance) {
                self.closed.push(pair);
                for i in of_pair {
                    self.colliding[i].restitution = 0.0;
                    ends[i] = Some(t + rest);
                }
            }
        }
        ends
    }

    fn relative_velocity_minus(&self, c: &Colliding) -> DVec3 {
        let [a, b] = c.bodies.map(|i| &self.movers[i]);
        (a.velocity + a.spin.cross(c.arms[0])) - (b.velocity + b.spin.cross(c.arms[1]))
    }
}

impl State {
    /// Records the depth of all overlaps of these contacts; returns whether one exceeds the contact tolerance.
    pub(crate) fn note_overlaps(&mut self, contacts: &[Touching]) -> bool {
        for touching in contacts {
            self.log.note_overlap(touching.bodies, touching.contact.separation, touching.tolerance);
        }
        contacts.iter().any(|touching| touching.contact.separation < -touching.tolerance)
    }

    /// Books the work and losses of the impulses, and logs them. x⁺ is in the states.
    fn book_collisions(
        &mut self,
        world: &World,
        cluster: &Cluster,
        t: f64,
        ends: &[Option<f64>],
        impact: &Impact,
    ) {
        let (note, excess) = (Note::of(impact), excess_of(impact.solver_note));
        let (rounds, restitution) = (impact.rounds, impact.restitution);
        self.log.instants += 1;
        self.log.work += impact.work;
        self.log.losses.collisions += impact.lost_normal;
        self.log.losses.friction += impact.lost_friction;
        self.log.largest_residual = self.log.largest_residual.max(impact.residual);
        let size = |k: &usize| impact.impulses[*k].length();
        let largest = (0..cluster.contacts.len()).max_by(|i, j| size(i).total_cmp(&size(j)));
        let bodies = largest.map(|k| cluster.contacts[k].bodies);
        self.log.accept((t, Solve::Impact), bodies, impact.residual);
        let mut closed = 0.0;
        for k in 0..cluster.contacts.len() {
            let (c, impulse) = (cluster.colliding[k], impact.impulses[k]);
            if impulse == DVec3::ZERO {
                continue;
            }
            self.log.collisions += 1;
            let touching = cluster.contacts[k];
            let minus = cluster.relative_velocity_minus(&c);
            let plus = self.relative_velocity_plus(world, t, &touching);
            let normal = impulse.dot(c.normal);
            let friction = impulse - normal * c.normal;
            let mean = 0.5 * (minus + plus);
            let lost_normal = -normal * mean.dot(c.normal);
            let place = touching.place().with_normal(c.normal);
            let event = Event {
                approach: minus.dot(c.normal),
                separation: plus.dot(c.normal),
                impulse: normal,
                friction,
                lost: lost_normal - friction.dot(mean),
                law: world.contact().law,
                restitution,
                rounds,
                note: note.with_features(place.features),
                excess,
                ..Event::new(t, self.log.instants, EventKind::Collision, place)
            };
            match ends[k] {
                None => self.log.add(event),
                Some(end) => {
                    closed += lost_normal;
                    self.log.announce(Event { t: end, kind: EventKind::Settled, ..event });
                }
            }
        }
        // One contact may give what others take in the same impact: then its series was not what took the energy.
        let closed = closed.max(0.0);
        self.log.losses.collisions -= closed;
        self.log.losses.closing += closed;
    }
}
