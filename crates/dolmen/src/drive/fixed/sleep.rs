//! Bodies at rest that are left alone until something comes: whole islands of bodies that press on each other.
//!
//! A body is calm as long as its surface has moved by less than a small share of its size for a while. An island falls asleep when all its
//! bodies are calm: they stop, their contacts keep their impulses, and nothing of them is looked at. It wakes as a whole when a body that is
//! awake is about to touch one of it. For others a sleeping body has infinite mass.

use serde::{Deserialize, Serialize};

use super::bodies::Bodies;
use super::number::{Real, V3};
use super::tolerances::{AWAKE, CALM, CALM_TIME};
use crate::joint::FittedJoint;
use crate::world::World;

/// Who sleeps, and who is calm since when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Sleep {
    /// Of each body: the island that it sleeps with, by one of its bodies, or `AWAKE`.
    island: Vec<u32>,
    /// What each body had travelled when it was last found to move, m, and when, s.
    mark: Vec<(f64, f64)>,
    /// Bodies that can fall asleep: those that only contacts and gravity act on.
    may: Vec<bool>,
}

impl Sleep {
    pub(super) fn new(world: &World) -> Self {
        // Forces of other kinds may change with time, and joints are solved as a whole.
        let is_plain = world.forces().is_empty();
        let mut may: Vec<bool> = world.bodies().iter().map(|body| is_plain && body.is_dynamic()).collect();
        for id in world.joints().iter().flat_map(FittedJoint::bodies).flatten() {
            may[id.index()] = false;
        }
        let count = may.len();
        Self { island: vec![AWAKE; count], mark: vec![(0.0, 0.0); count], may }
    }

    /// Whether these belong to as many bodies.
    pub(super) fn is_of(&self, bodies: usize) -> bool {
        [self.island.len(), self.mark.len(), self.may.len()] == [bodies; 3]
    }

    pub(super) fn is_asleep(&self, i: usize) -> bool {
        self.island.get(i).is_some_and(|island| *island != AWAKE)
    }

    /// The island that sleeps with a body.
    pub(super) fn island(&self, i: u32) -> Option<u32> {
        self.island.get(i as usize).copied().filter(|island| *island != AWAKE)
    }

    /// How many bodies sleep.
    pub(super) fn asleep(&self) -> usize {
        self.island.iter().filter(|island| **island != AWAKE).count()
    }

    /// Wakes islands at time t; the bodies of them.
    pub(super) fn wake<R: Real>(
        &mut self,
        bodies: &mut Bodies<R>,
        islands: impl Fn(u32) -> bool,
        t: f64,
    ) -> Vec<u32> {
        let mut woken = Vec::new();
        for i in 0..self.island.len() {
            if self.island[i] != AWAKE && islands(self.island[i]) {
                self.island[i] = AWAKE;
                self.mark[i] = (bodies.travel[i], t);
                bodies.set_mobility(i);
                woken.push(i as u32);
            }
        }
        woken
    }

    /// Lets islands of calm bodies fall asleep at time t, of the bodies that are awake and the pairs that press; the energy that is lost
    /// with their last motion, J, or none if nothing changed.
    pub(super) fn settle<R: Real>(
        &mut self,
        bodies: &mut Bodies<R>,
        awake: &[u32],
        pressing: impl Iterator<Item = [u32; 2]>,
        t: f64,
    ) -> Option<f64> {
        let mut is_calm = false;
        for i in awake.iter().map(|i| *i as usize).filter(|i| self.may[*i]) {
            let (travelled, since) = self.mark[i];
            if bodies.travel[i] - travelled > CALM * bodies.constant[i].size {
                self.mark[i] = (bodies.travel[i], t);
            } else {
                is_calm |= t - since >= CALM_TIME;
            }
        }
        if !is_calm {
            return None;
        }
        let mut islands = Islands::new(self.island.len());
        for i in 0..self.island.len() {
            if let Some(island) = self.island(i as u32) {
                islands.unite(i, island as usize);
            }
        }
        for i in awake.iter().map(|i| *i as usize) {
            if !self.may[i] || t - self.mark[i].1 < CALM_TIME {
                islands.keep_awake(i);
            }
        }
        for [a, b] in pressing {
            let (a, b) = (a as usize, b as usize);
            match (bodies.constant[a].is_dynamic, bodies.constant[b].is_dynamic) {
                (true, true) => islands.unite(a, b),
                // What moves by itself carries others along.
                (true, false) if !bodies.constant[b].is_still => islands.keep_awake(a),
                (false, true) if !bodies.constant[a].is_still => islands.keep_awake(b),
                _ => {}
            }
        }
        let mut lost = 0.0;
        let mut has_changed = false;
        for i in awake.iter().map(|i| *i as usize) {
            if islands.calm_root(i).is_some() {
                lost += bodies.kinetic(i);
                bodies.record[i].set_twist(V3::zero(), V3::zero());
                bodies.mobility[i] = Default::default();
                // Its island is named below, together with what slept already.
                self.island[i] = i as u32;
                has_changed = true;
            }
        }
        for i in 0..self.island.len() {
            if self.island[i] != AWAKE
                && let Some(root) = islands.calm_root(i)
            {
                self.island[i] = root as u32;
            }
        }
        has_changed.then_some(lost)
    }
}

/// Sets of bodies that press on each other.
struct Islands {
    parent: Vec<u32>,
    stays_awake: Vec<bool>,
}

impl Islands {
    fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), stays_awake: vec![false; count] }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    fn keep_awake(&mut self, i: usize) {
        let root = self.root(i);
        self.stays_awake[root] = true;
    }

    /// The lower root stays: no order of the pairs changes it.
    fn unite(&mut self, i: usize, j: usize) {
        let (i, j) = (self.root(i), self.root(j));
        let (low, high) = (i.min(j), i.max(j));
        self.parent[high] = low as u32;
        self.stays_awake[low] |= self.stays_awake[high];
    }

    fn calm_root(&mut self, i: usize) -> Option<usize> {
        let root = self.root(i);
        (!self.stays_awake[root]).then_some(root)
    }
}
