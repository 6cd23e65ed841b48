//! The motions that bodies are on.

use crate::drive::exact::detect::detection::Motions;
use crate::drive::exact::island::track::{BodyMotion, Track};
use crate::motion::Prescribed;
use crate::world::{BodyId, World};

/// Where on the tracks a body is: which track, and its place there.
pub(crate) type Place = Option<(usize, usize)>;

/// All motions of a simulation, borrowed from it.
#[derive(Clone, Copy)]
pub(crate) struct OnTracks<'a> {
    world: &'a World,
    tracks: &'a [Track],
    place: &'a [Place],
}

impl<'a> OnTracks<'a> {
    pub(crate) fn new(world: &'a World, tracks: &'a [Track], place: &'a [Place]) -> Self {
        Self { world, tracks, place }
    }

    /// Of the world, m/s².
    pub(crate) fn gravity(&self) -> f64 {
        self.world.gravity().length()
    }

    /// Whether a body never moves.
    fn is_fixed(&self, body: u32) -> bool {
        let motion = self.world.body(BodyId::from_rank(body as usize)).prescribed_motion();
        matches!(motion, Some(Prescribed::Still(_)))
    }

    /// The track of this body, if it has contacts that carry force.
    pub(crate) fn active_track(&self, body: u32) -> Option<usize> {
        self.place[body as usize].map(|(track, _)| track).filter(|track| self.tracks[*track].active.is_some())
    }

    /// All bodies of the island of this one, if it has contacts that carry force.
    pub(crate) fn active_with(&self, body: u32) -> impl Iterator<Item = u32> + use<'a> {
        let active = self.active_track(body).map(|track| &self.tracks[track]);
        active.into_iter().flat_map(|track| track.island.bodies.iter().map(|id| id.index() as u32))
    }
}

impl Motions for OnTracks<'_> {
    fn motion(&self, body: u32) -> (BodyMotion<'_>, f64) {
        let Some((track, k)) = self.place[body as usize] else {
            let motion = self.world.body(BodyId::from_rank(body as usize)).prescribed_motion();
            let motion = motion.expect("a body that is not prescribed is on a track");
            return (BodyMotion::Prescribed(motion), f64::INFINITY);
        };
        let track = &self.tracks[track];
        let motion = track.motion(k).expect("a body is covered after its track has made a span");
        (motion, track.clock())
    }

    fn step_together(&self, bodies: [u32; 2]) -> bool {
        let track = |body: u32| self.place[body as usize].map(|(track, _)| track);
        let is_stepped = |track: usize| self.tracks[track].is_time_step();
        match bodies.map(track) {
            [Some(a), Some(b)] => a == b && is_stepped(a),
            [Some(a), None] => is_stepped(a) && self.is_fixed(bodies[1]),
            [None, Some(b)] => is_stepped(b) && self.is_fixed(bodies[0]),
            [None, None] => false,
        }
    }

    fn stand_still(&self, bodies: [u32; 2]) -> bool {
        let stands = |body: u32| match self.place[body as usize] {
            Some((track, _)) => self.tracks[track].is_at_rest(),
            None => self.is_fixed(body),
        };
        bodies.into_iter().all(stands)
    }
}
