//! All methods report the same pairs.

use crate::clouds::Random;
use dolmen::broad_phase::{BroadPhase, Bvh, Filter, Groups, Method, Pair, SortAndSweep, choose, overlap};
use dolmen::math::{Aabb, DVec3, dvec3, real};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

fn around(centre: DVec3, half: DVec3) -> Aabb {
    Aabb { min: centre - half, max: centre + half }
}

/// The definition, written down a second time: independent even of the method that is called brute force.
fn definition(boxes: &[Aabb], filter: &Filter) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            let is_common = (0..3).all(|k| {
                let (a, b) = (boxes[i], boxes[j]);
                a.min[k] <= a.max[k]
                    && b.min[k] <= b.max[k]
                    && a.min[k].max(b.min[k]) <= a.max[k].min(b.max[k])
            });
            if is_common && filter.allows(i as u32, j as u32) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Feeds the same sequence of boxes to all methods, each kept from step to step.
fn assert_all_agree(steps: &[Vec<Aabb>], filter: &Filter) {
    let mut methods: Vec<_> = Method::ALL.iter().map(|method| method.start()).collect();
    for (number, boxes) in steps.iter().enumerate() {
        let expected = definition(boxes, filter);
        for method in &mut methods {
            let name = method.method().name();
            let found = method.update(boxes, filter);
            if found != expected {
                let missed: Vec<_> = expected.iter().filter(|p| !found.contains(p)).take(5).collect();
                let invented: Vec<_> = found.iter().filter(|p| !expected.contains(p)).take(5).collect();
                panic!(
                    "{} at step {number} of {} with {} boxes: missed {missed:?}, invented {invented:?}",
                    name,
                    steps.len(),
                    boxes.len()
                );
            }
            assert_eq!(method.pairs(), expected);
            assert_eq!(method.statistics().pairs, expected.len());
        }
    }
}

/// Coordinates and sizes that stress a method: free, on a lattice (they touch exactly), of all sizes, flat, equal,
/// infinite, inverted, NaN, huge, subnormal, zero of both signs.
fn any_box() -> impl Strategy<Value = Aabb> {
    let free = (prop::array::uniform3(-1.0..1.0), prop::array::uniform3(0.0..0.3))
        .prop_map(|(c, h)| around(DVec3::from(c), DVec3::from(h)));
    let lattice = (prop::array::uniform3(-3_i32..3), prop::array::uniform3(0_i32..3)).prop_map(|(c, s)| {
        let min = DVec3::from(c.map(f64::from)) * 0.1;
        Aabb { min, max: (DVec3::from(c.map(f64::from)) + DVec3::from(s.map(f64::from))) * 0.1 }
    });
    let sized = (prop::array::uniform3(-1.0..1.0), -9_i32..=9, -9_i32..=9).prop_map(|(c, at, size)| {
        let scale = |power: i32| format!("1e{power}").parse::<f64>().unwrap();
        around(DVec3::from(c) * scale(at), DVec3::splat(scale(size)))
    });
    let corner =
        prop::sample::select(vec![-INF, INF, 0.0, -0.0, 1.0, f64::NAN, 1e308, -1e308, 1e-310, f64::MAX]);
    let odd = (prop::array::uniform3(corner.clone()), prop::array::uniform3(corner))
        .prop_map(|(min, max)| Aabb { min: DVec3::from(min), max: DVec3::from(max) });
    let plane = (-1.0..1.0, 0..3_usize).prop_map(|(height, axis)| {
        let mut max = DVec3::INFINITY;
        max[axis] = height;
        Aabb { min: DVec3::NEG_INFINITY, max }
    });
    prop_oneof![6 => free, 6 => lattice, 5 => sized, 1 => Just(Aabb::EMPTY), 3 => odd, 1 => plane]
}

fn any_filter(count: u32) -> impl Strategy<Value = Filter> {
    let tags = prop::collection::vec((any::<bool>(), 0_u32..8, 0_u32..8), 0..count as usize);
    let excluded = prop::collection::vec((0..count, 0..count), 0..20);
    (any::<bool>(), tags, excluded).prop_map(|(is_plain, tags, excluded)| {
        let mut filter = Filter::new();
        if is_plain {
            return filter;
        }
        for (index, (immobile, member, with)) in (0..).zip(tags) {
            filter.set_immobile(index, immobile);
            filter.set_groups(index, Groups { member: member | 8, with: with | 16 | (member & 1) << 3 });
        }
        for (i, j) in excluded {
            filter.exclude(i, j);
        }
        filter
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any sequence of any boxes, each step unlike the one before, also in number.
    #[test]
    fn all_methods_agree_on_anything(
        steps in prop::collection::vec(prop::collection::vec(any_box(), 0..60), 1..5),
        filter in any_filter(60),
    ) {
        assert_all_agree(&steps, &filter);
    }

    /// Some boxes are replaced at each step, the others stay as they are: this is what the methods remember.
    #[test]
    fn all_methods_agree_when_some_boxes_change(
        first in prop::collection::vec(any_box(), 1..60),
        changes in prop::collection::vec(prop::collection::vec((0..60_usize, any_box()), 0..4), 1..8),
        filter in any_filter(60),
    ) {
        let mut steps = vec![first];
        for step in changes {
            let mut boxes = steps.last().unwrap().clone();
            for (index, b) in step {
                // A number just past the end is a new box, further past takes the last one away.
                match index.checked_sub(boxes.len()) {
                    None => boxes[index] = b,
                    Some(past) if past % 3 < 2 => boxes.push(b),
                    Some(_) => drop(boxes.pop()),
                }
            }
            steps.push(boxes);
        }
        assert_all_agree(&steps, &filter);
    }
}

/// A scene of `count` boxes at time `t`; the speed is such that a step of 0.01 is coherent and one of 10 is not.
pub(super) fn scene(kind: &str, count: usize, t: f64) -> Vec<Aabb> {
    let mut random = Random(7);
    let mut boxes = Vec::new();
    for number in 0..count {
        let (mut centre, speed) = (random.in_cube(), random.in_cube());
        let mut half = DVec3::splat(0.06);
        match kind {
            "gas" => {}
            "cluster" => centre = 0.2 * centre + f64::from(number as u32 % 5) * DVec3::ONE,
            "sizes" => half *= real::pow(10.0, 18.0 * random.unit() - 9.0),
            "pile" => centre.z *= 0.05,
            "needles" => half = half * DVec3::AXES[number % 3] * 10.0 + 0.01,
            _ => unreachable!("no such scene"),
        }
        // Reflected at the walls of the cube, so that the scene stays what it is.
        let moved = centre + speed * t;
        let folded = moved.map(|x| ((x + 1.0).rem_euclid(4.0) - 2.0).abs() - 1.0);
        boxes.push(around(if kind == "cluster" { moved } else { folded }, half));
    }
    boxes
}

/// Several hundred boxes over many steps, moving little, then jumping, then moving little again: the trees are refitted
/// and rebuilt, the sorted lists followed and sorted anew.
#[test]
fn all_methods_agree_through_coherent_and_incoherent_motion() {
    for kind in ["gas", "cluster", "sizes", "pile", "needles"] {
        let mut steps: Vec<_> = (0..60).map(|step| scene(kind, 300, 0.01 * f64::from(step))).collect();
        steps.extend((0..5).map(|step| scene(kind, 300, 10.0 * f64::from(step))));
        steps.extend((0..10).map(|step| scene(kind, 300, 40.0 + 0.01 * f64::from(step))));
        assert_all_agree(&steps, &Filter::new());
    }
}

/// The set grows box by box, then shrinks, with a floor of infinite extent in it all the time.
#[test]
fn all_methods_agree_while_the_set_grows_and_shrinks() {
    let floor = Aabb { min: DVec3::NEG_INFINITY, max: dvec3(INF, INF, -0.5) };
    let counts = (0..120_usize).chain((0..120).rev().step_by(7)).chain([90, 0, 200, 10, 200]);
    let steps: Vec<_> = counts
        .enumerate()
        .map(|(step, count)| {
            let mut boxes = scene("gas", count, 0.01 * step as f64);
            boxes.insert(0, floor);
            boxes
        })
        .collect();
    let mut filter = Filter::new();
    filter.set_immobile(0, true);
    filter.exclude(0, 5);
    assert_all_agree(&steps, &filter);
}

/// Identical boxes are all pairs; identical points too; boxes that only touch at a corner are pairs.
#[test]
fn coincident_and_touching_boxes_are_pairs() {
    let cube = around(DVec3::ZERO, DVec3::ONE);
    let point = Aabb::point(dvec3(1.0, 1.0, 1.0));
    let beyond = Aabb::point(dvec3(1.0_f64.next_up(), 1.0, 1.0));
    let corner = Aabb { min: DVec3::ONE, max: DVec3::splat(2.0) };
    let mut boxes = vec![cube; 40];
    boxes.extend([point, point, corner, beyond]);
    assert_all_agree(&[boxes.clone(), boxes.clone()], &Filter::new());
    let pairs = definition(&boxes, &Filter::new());
    assert!(pairs.contains(&[0, 40]) && pairs.contains(&[0, 42]) && !pairs.contains(&[0, 43]));
    // 40 cubes, two points and a box at their corner, all of which share that corner; the last point is in the box.
    assert_eq!(pairs.len(), 43 * 42 / 2 + 1);
}

/// What holds nothing overlaps nothing, not even all of space.
#[test]
fn empty_boxes_overlap_nothing() {
    let space = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    let inverted = Aabb { min: DVec3::ONE, max: DVec3::ZERO };
    let undefined = Aabb { min: dvec3(0.0, f64::NAN, 0.0), max: DVec3::ONE };
    for nothing in [Aabb::EMPTY, inverted, undefined] {
        assert!(!overlap(&space, &nothing) && !overlap(&nothing, &nothing), "{nothing:?}");
    }
    let boxes = [Aabb::EMPTY, space, inverted, undefined, Aabb::point(DVec3::ZERO)];
    assert_all_agree(&[boxes.to_vec(), boxes.to_vec()], &Filter::new());
}

/// A filter may change between updates, and what was remembered does not show.
#[test]
fn a_changed_filter_is_obeyed_at_once() {
    let boxes = scene("gas", 200, 0.0);
    let mut methods: Vec<_> = Method::ALL.iter().map(|method| method.start()).collect();
    let mut filter = Filter::new();
    for step in 0..4 {
        let expected = definition(&boxes, &filter);
        for method in &mut methods {
            let name = method.method().name();
            assert_eq!(method.update(&boxes, &filter), expected, "{name} at {step}");
        }
        let [i, j] = expected[expected.len() / 2];
        filter.exclude(j, i);
        filter.set_immobile(step, true);
        filter.set_groups(10 + step, Groups::NONE);
    }
}

/// Boxes in coherent motion cost n + c [NOTES II]: no restart, and exchanges in proportion to how far things moved.
#[test]
fn sort_and_sweep_follows_coherent_motion_by_few_exchanges() {
    let count = 1000_u32;
    let mut sweep = SortAndSweep::new();
    sweep.update(&scene("gas", count as usize, 0.0), &Filter::new());
    assert!(sweep.statistics().restarted);
    sweep.update(&scene("gas", count as usize, 0.0), &Filter::new());
    assert_eq!((sweep.statistics().exchanges, sweep.statistics().tests), (0, 0), "nothing moved");

    let mut exchanges = Vec::new();
    for step in [1e-4, 2e-4] {
        let mut sweep = SortAndSweep::new();
        sweep.update(&scene("gas", count as usize, 0.0), &Filter::new());
        sweep.update(&scene("gas", count as usize, step), &Filter::new());
        assert!(!sweep.statistics().restarted);
        exchanges.push(sweep.statistics().exchanges as f64);
    }
    // Ends of n boxes on a segment of length 2 with relative speeds of mean 2/3: per axis (2n)²/2 · (2/3) Δt / 2
    // exchanges, and 4 of them are between four ends of the same two boxes. A count of N has a spread of √N;
    // four times that, in groups of up to four.
    let expected = 3.0 * 2.0 * f64::from(count * count) * (2.0 / 3.0) * 1e-4 / 2.0;
    for (found, expected) in exchanges.iter().zip([expected, 2.0 * expected]) {
        assert!((found - expected).abs() < 8.0 * expected.sqrt(), "{found} exchanges, {expected} expected");
    }
}

/// The visitors find what brute force finds; the nearest hit is found when the visitor shortens the ray.
#[test]
fn rays_and_boxes_visit_what_they_meet() {
    let mut random = Random(3);
    let mut bvh = Bvh::new();
    let mut boxes = scene("sizes", 200, 0.0);
    bvh.update(&boxes, &Filter::new());
    boxes.extend(scene("gas", 10, 0.0));
    boxes.push(Aabb { min: DVec3::NEG_INFINITY, max: dvec3(INF, INF, -0.9) });
    boxes[3] = Aabb::EMPTY;
    bvh.update(&boxes, &Filter::new());

    for number in 0..300 {
        let (origin, mut direction) = (2.0 * random.in_cube(), random.in_cube());
        if number % 3 == 0 {
            direction[number / 3 % 3] = 0.0;
        }
        // Entry and exit by slabs, and a margin that classifies those too close to call.
        let reach = |b: &Aabb, margin: f64| {
            let mut span = [0.0_f64, 2.0];
            for k in 0..3 {
                let (least, most) = (b.min[k] - margin, b.max[k] + margin);
                if direction[k] == 0.0 {
                    if !(least <= origin[k] && origin[k] <= most) {
                        return None;
                    }
                    continue;
                }
                let [near, far] = [least, most].map(|side| (side - origin[k]) / direction[k]);
                span = [span[0].max(near.min(far)), span[1].min(near.max(far))];
            }
            (overlap(b, b) && span[0] <= span[1]).then_some(span[0])
        };
        let mut seen = Vec::new();
        bvh.visit_ray(origin, direction, 2.0, |i| {
            seen.push(i);
            2.0
        });
        seen.sort_unstable();
        for (i, b) in (0..).zip(&boxes) {
            let is_seen = seen.binary_search(&i).is_ok();
            assert!(
                is_seen || reach(b, -1e-12).is_none(),
                "ray {number} misses box {i}: {origin} {direction} {b:?}"
            );
            assert!(!is_seen || reach(b, 1e-12).is_some(), "ray {number} invents box {i}");
        }

        let mut nearest = 2.0_f64;
        bvh.visit_ray(origin, direction, 2.0, |i| {
            nearest = nearest.min(reach(&boxes[i as usize], 0.0).unwrap_or(INF));
            nearest
        });
        let expected = boxes.iter().filter_map(|b| reach(b, 0.0)).fold(2.0, f64::min);
        assert_eq!(nearest, expected, "ray {number}");

        let probe = around(origin, direction.abs());
        let mut found = Vec::new();
        bvh.visit_box(&probe, |i| found.push(i));
        found.sort_unstable();
        let expected: Vec<u32> =
            (0..).zip(&boxes).filter(|(_, b)| overlap(b, &probe)).map(|(i, _)| i).collect();
        assert_eq!(found, expected, "probe {number}");
    }
}

/// The choice is one of the methods for anything, and brute force for a handful.
#[test]
fn the_choice_is_brute_force_for_a_handful() {
    assert_eq!(choose(&scene("gas", 10, 0.0)), Method::BruteForce);
    assert_eq!(choose(&vec![Aabb::EMPTY; 100_000]), Method::BruteForce);
    assert_ne!(choose(&scene("gas", 1000, 0.0)), Method::BruteForce);
}
