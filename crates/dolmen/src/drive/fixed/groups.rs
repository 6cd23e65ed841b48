//! All contact rows of a step: coloured, in groups of eight, and the passes over them.
//!
//! Manifolds of one colour share no body that moves, so their order does not matter. The colour of each is the lowest one that is
//! free at both its bodies, in the order of slots: no lane width and no number of threads enters. What stands on fixed bodies is
//! coloured apart and solved last, where it weighs most.

use super::bodies::Bodies;
use super::manifold::Manifold;
use super::number::Real;
use super::pairs::{Contact, Surfaces};
use super::record::Record;
use super::rows::{Group, Softness};
use super::threads;
use super::tolerances::{COLOURS, LANES, MOST, NOBODY, PUSH, SHARE};

/// Groups of manifolds with up to `P` points, by colour.
#[derive(Debug, Clone)]
struct Class<R, const P: usize> {
    groups: Vec<Group<R, P>>,
    /// The entry in each lane of each group, or `NOBODY`.
    members: Vec<[u32; LANES]>,
    /// Where the groups of each colour begin, and one more.
    starts: Vec<usize>,
}

impl<R: Real, const P: usize> Class<R, P> {
    fn new() -> Self {
        Self { groups: Vec::new(), members: Vec::new(), starts: Vec::new() }
    }

    /// Room for so many manifolds of each colour.
    fn lay_out(&mut self, counts: &[u32], spare: u32) {
        self.starts.clear();
        let mut total = 0;
        for count in counts {
            self.starts.push(total);
            total += (*count as usize).div_ceil(LANES);
        }
        self.starts.push(total);
        self.groups.truncate(total);
        self.groups.resize_with(total, || Group::empty(spare));
        self.members.clear();
        self.members.resize(total, [NOBODY; LANES]);
    }

    fn range(&mut self, colour: usize) -> &mut [Group<R, P>] {
        &mut self.groups[self.starts[colour]..self.starts[colour + 1]]
    }

    /// Writes and prepares all groups from the manifolds in their lanes.
    fn fill(
        &mut self,
        entries: &[Entry],
        contacts: &[Contact<R>],
        (bodies, surfaces): (&Bodies<R>, &Surfaces),
        buffers: &mut [()],
    ) {
        let shares = self.groups.chunks_mut(SHARE / LANES).zip(self.members.chunks(SHARE / LANES));
        threads::each(shares, buffers, |(groups, members), ()| {
            for (group, members) in groups.iter_mut().zip(members) {
                (group.has_resistance, group.has_restitution, group.has_fresh) = (false, false, false);
                for (lane, member) in members.iter().enumerate() {
                    if *member == NOBODY {
                        group.vacate(lane, bodies.spare());
                        continue;
                    }
                    let entry = &entries[*member as usize];
                    let contact = &contacts[entry.slot as usize];
                    write(group, lane, (contact, manifold_of(contact, entry.part)), bodies, surfaces);
                }
                group.prepare(&bodies.mobility, &bodies.record);
            }
        });
    }
}

/// Which manifold of which pair, and where it is solved.
#[derive(Debug, Clone, Copy)]
struct Entry {
    slot: u32,
    /// 0 for the first manifold of the pair, else one more than its place among the others.
    part: u32,
    colour: u32,
    class: u8,
    /// Its lane among those of all groups of its class.
    place: u32,
}

/// The rows of a step.
#[derive(Debug, Clone)]
pub(super) struct Groups<R> {
    ones: Class<R, 1>,
    twos: Class<R, 2>,
    fours: Class<R, 4>,
    entries: Vec<Entry>,
    /// Colours taken at each body, against moving and against fixed ones.
    taken: Vec<[u64; 2]>,
    counts: [Vec<u32>; 3],
    /// Colours up to here are against moving bodies.
    moving: usize,
    colours: usize,
}

fn manifold_of<R>(contact: &Contact<R>, part: u32) -> &Manifold<R> {
    if part == 0 { &contact.manifold } else { &contact.more[part as usize - 1] }
}

fn manifold_mut<R>(contact: &mut Contact<R>, part: u32) -> &mut Manifold<R> {
    if part == 0 { &mut contact.manifold } else { &mut contact.more[part as usize - 1] }
}

impl<R: Real> Groups<R> {
    pub(super) fn new() -> Self {
        Self {
            ones: Class::new(),
            twos: Class::new(),
            fours: Class::new(),
            entries: Vec::new(),
            taken: Vec::new(),
            counts: [Vec::new(), Vec::new(), Vec::new()],
            moving: 0,
            colours: 0,
        }
    }

    /// Slots of the pairs with rows, in their order; a pair with several manifolds comes once for each.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().map(|entry| entry.slot)
    }

    /// Manifolds of this step.
    pub(super) fn manifolds(&self) -> usize {
        self.entries.len()
    }

    /// Colours, groups and rows for all manifolds that have points.
    pub(super) fn build(
        &mut self,
        contacts: &[Contact<R>],
        bodies: &Bodies<R>,
        surfaces: &Surfaces,
        threads: usize,
    ) {
        self.colour(contacts, bodies.constant.len());
        let spare = bodies.spare();
        self.ones.lay_out(&self.counts[0], spare);
        self.twos.lay_out(&self.counts[1], spare);
        self.fours.lay_out(&self.counts[2], spare);
        for counts in &mut self.counts {
            counts.fill(0);
        }
        for (i, entry) in self.entries.iter_mut().enumerate() {
            let (class, colour) = (usize::from(entry.class), entry.colour as usize);
            let (starts, members) = match class {
                0 => (&self.ones.starts, &mut self.ones.members),
                1 => (&self.twos.starts, &mut self.twos.members),
                _ => (&self.fours.starts, &mut self.fours.members),
            };
            let place = starts[colour] * LANES + self.counts[class][colour] as usize;
            self.counts[class][colour] += 1;
            members[place / LANES][place % LANES] = i as u32;
            entry.place = place as u32;
        }
        let mut buffers = vec![(); threads];
        self.ones.fill(&self.entries, contacts, (bodies, surfaces), &mut buffers);
        self.twos.fill(&self.entries, contacts, (bodies, surfaces), &mut buffers);
        self.fours.fill(&self.entries, contacts, (bodies, surfaces), &mut buffers);
    }

    fn colour(&mut self, contacts: &[Contact<R>], bodies: usize) {
        self.entries.clear();
        self.taken.clear();
        self.taken.resize(bodies, [0; 2]);
        let mut alone = 0;
        // Of each class: 64 colours against moving bodies, 64 against fixed ones, then one for each manifold that found none.
        for counts in &mut self.counts {
            counts.clear();
            counts.resize(2 * COLOURS, 0);
        }
        for (slot, contact) in contacts.iter().enumerate() {
            if contact.a == NOBODY || contact.is_idle || contact.manifold.count == 0 {
                continue;
            }
            for part in 0..=contact.more.len() as u32 {
                let manifold = manifold_of(contact, part);
                let class = match manifold.count {
                    0 => continue,
                    1 => 0,
                    2 => 1,
                    _ => 2,
                };
                let kind = usize::from(!contact.moves_b);
                let mut taken = self.taken[contact.a as usize][kind];
                if contact.moves_b {
                    taken |= self.taken[contact.b as usize][kind];
                }
                let free = taken.trailing_ones() as usize;
                let colour = if free < COLOURS {
                    self.taken[contact.a as usize][kind] |= 1 << free;
                    if contact.moves_b {
                        self.taken[contact.b as usize][kind] |= 1 << free;
                    }
                    kind * COLOURS + free
                } else {
                    alone += 1;
                    for counts in &mut self.counts {
                        counts.push(0);
                    }
                    2 * COLOURS + alone - 1
                };
                self.counts[class as usize][colour] += 1;
                self.entries.push(Entry { slot: slot as u32, part, colour: colour as u32, class, place: 0 });
            }
        }
        self.moving = COLOURS;
        self.colours = 2 * COLOURS + alone;
    }

    /// Applies a pass to all groups, colour by colour: `moves_b` as they stand against moving bodies or fixed ones.
    fn pass(
        &mut self,
        mut one: impl FnMut(&mut Group<R, 1>, bool),
        mut two: impl FnMut(&mut Group<R, 2>, bool),
        mut four: impl FnMut(&mut Group<R, 4>, bool),
    ) {
        for colour in 0..self.colours {
            // Those that found no colour may be of either kind: a fixed body takes no impulse by its zero inverse mass.
            let moves_b = colour < self.moving || colour >= 2 * COLOURS;
            self.ones.range(colour).iter_mut().for_each(|group| one(group, moves_b));
            self.twos.range(colour).iter_mut().for_each(|group| two(group, moves_b));
            self.fours.range(colour).iter_mut().for_each(|group| four(group, moves_b));
        }
    }

    pub(super) fn warm_start(&mut self, records: &mut [Record<R>]) {
        let records = std::cell::RefCell::new(records);
        self.pass(
            |group, moves| group.warm_start(&mut records.borrow_mut(), moves),
            |group, moves| group.warm_start(&mut records.borrow_mut(), moves),
            |group, moves| group.warm_start(&mut records.borrow_mut(), moves),
        );
    }

    /// One pass: with springs (against moving and against fixed bodies), or without.
    pub(super) fn solve(&mut self, records: &mut [Record<R>], soft: Option<&[Softness<R>; 2]>, inv_h: R) {
        let records = std::cell::RefCell::new(records);
        let softness = |moves: bool| soft.map(|soft| &soft[usize::from(!moves)]);
        self.pass(
            |group, moves| group.solve(&mut records.borrow_mut(), softness(moves), inv_h, moves),
            |group, moves| group.solve(&mut records.borrow_mut(), softness(moves), inv_h, moves),
            |group, moves| group.solve(&mut records.borrow_mut(), softness(moves), inv_h, moves),
        );
    }

    pub(super) fn restitute(&mut self, records: &mut [Record<R>], threshold: R) {
        let records = std::cell::RefCell::new(records);
        self.pass(
            |group, moves| group.restitute(&mut records.borrow_mut(), threshold, moves),
            |group, moves| group.restitute(&mut records.borrow_mut(), threshold, moves),
            |group, moves| group.restitute(&mut records.borrow_mut(), threshold, moves),
        );
    }

    /// Puts the impulses back into the manifolds.
    pub(super) fn store(&self, contacts: &mut [Contact<R>], threads: usize) {
        let mut buffers = vec![(); threads];
        let Self { ones, twos, fours, entries, .. } = self;
        threads::each(contacts.chunks_mut(SHARE).enumerate(), &mut buffers, |(share, contacts), ()| {
            let first = (share * SHARE) as u32;
            // Entries are in the order of slots.
            let from = entries.partition_point(|entry| entry.slot < first);
            for entry in entries[from..].iter().take_while(|entry| entry.slot < first + SHARE as u32) {
                let manifold = manifold_mut(&mut contacts[(entry.slot - first) as usize], entry.part);
                let (group, lane) = (entry.place as usize / LANES, entry.place as usize % LANES);
                match entry.class {
                    0 => read(&ones.groups[group], lane, manifold),
                    1 => read(&twos.groups[group], lane, manifold),
                    _ => read(&fours.groups[group], lane, manifold),
                }
            }
        });
    }
}

fn write<R: Real, const P: usize>(
    group: &mut Group<R, P>,
    lane: usize,
    (contact, manifold): (&Contact<R>, &Manifold<R>),
    bodies: &Bodies<R>,
    surfaces: &Surfaces,
) {
    let zero = R::of(0.0);
    group.a[lane] = contact.a;
    group.b[lane] = contact.b;
    group.count[lane] = manifold.count;
    let n = manifold.normal;
    for (e, x) in [n.x, n.y, n.z].into_iter().enumerate() {
        group.normal[e][lane] = x;
    }
    for i in 0..P {
        let is_there = i < usize::from(manifold.count) && i < MOST;
        for s in 0..2 {
            let arm = manifold.arms[s][i];
            for (e, x) in [arm.x, arm.y, arm.z].into_iter().enumerate() {
                group.arms[s][i][e][lane] = if is_there { x } else { zero };
            }
        }
        group.separation[i][lane] = if is_there { manifold.separation[i] } else { zero };
        group.lambda[i][lane] = if is_there { manifold.lambda[i] } else { zero };
    }
    let size = bodies.constant[contact.a as usize].size.min(bodies.constant[contact.b as usize].size);
    group.push[lane] = R::of(PUSH * size);
    let material = &surfaces.materials[contact.surface as usize];
    // Infinite friction times no force must be no friction.
    let friction = |mu: f64| R::of(mu.min(1e6));
    group.static_friction[lane] = friction(material.static_friction);
    group.kinetic_friction[lane] = friction(material.kinetic_friction);
    let (t, r) = (manifold.sideways, manifold.rolling);
    for (e, x) in [t.x, t.y, t.z].into_iter().enumerate() {
        group.lambda_t[e][lane] = x;
    }
    for (e, x) in [r.x, r.y, r.z].into_iter().enumerate() {
        group.lambda_r[e][lane] = x;
    }
    group.lambda_w[lane] = manifold.about;
    group.rolling[lane] = R::of(material.rolling_resistance);
    group.spinning[lane] = R::of(material.spinning_resistance);
    group.restitution[lane] = R::of(material.restitution);
    group.has_resistance |= material.rolling_resistance > 0.0 || material.spinning_resistance > 0.0;
    group.has_restitution |= material.restitution > 0.0;
    group.has_fresh |= !manifold.presses();
}

fn read<R: Real, const P: usize>(group: &Group<R, P>, lane: usize, manifold: &mut Manifold<R>) {
    for i in 0..P.min(usize::from(manifold.count)) {
        manifold.lambda[i] = group.lambda[i][lane];
    }
    manifold.struck = group.struck(lane);
    manifold.sideways = group.sideways(lane);
    manifold.about = group.lambda_w[lane];
    let r = &group.lambda_r;
    manifold.rolling = super::number::v3(r[0][lane], r[1][lane], r[2][lane]);
}
