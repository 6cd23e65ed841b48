//! The tree whose boxes change one at a time, against all boxes.

use dolmen::broad_phase::{DynamicTree, Leaf};
use dolmen::math::{Aabb, DVec3, real};

use crate::clouds::Random;

/// A box somewhere within `reach` of `centre`, of any size down to a point.
fn random_box(random: &mut Random, centre: DVec3, reach: f64) -> Aabb {
    let middle = centre + reach * random.in_cube();
    let size = reach * real::exp(-8.0 * random.unit());
    let half = if random.unit() < 0.1 { DVec3::ZERO } else { size * (0.5 * random.in_cube() + 0.5) };
    Aabb { min: middle - half, max: middle + half }
}

fn gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max_element()
}

/// Every box that meets another is found, and beyond these only such as are closer than single precision resolves; through
/// insertions, removals and replacements near and far, enough of them for the tree to be built anew several times.
#[test]
fn the_tree_finds_what_all_boxes_say() {
    for (seed, centre, reach) in [
        (1, DVec3::ZERO, 1.0),
        (2, DVec3::splat(1e6), 1e-2),
        (3, DVec3::ZERO, 1e140),
        (4, DVec3::new(-3.0, 2.0, 0.0), 1e-30),
    ] {
        let mut random = Random(seed);
        let mut tree = DynamicTree::new();
        let mut boxes: Vec<Option<(Leaf, Aabb)>> = vec![None; 300];
        let (mut found, mut open) = (Vec::new(), Vec::new());
        let (mut found_beside, mut both) = (Vec::new(), [Vec::new(), Vec::new()]);
        for step in 0..6000 {
            let tag = (random.unit() * boxes.len() as f64) as usize;
            let bounds = random_box(&mut random, centre, reach);
            boxes[tag] = match boxes[tag] {
                Some((leaf, _)) if random.unit() < 0.1 => {
                    tree.remove(leaf);
                    None
                }
                Some((leaf, old)) => {
                    let nudge = 0.02 * reach * random.in_cube();
                    let near = Aabb { min: old.min + nudge, max: old.max + nudge };
                    let bounds = if random.unit() < 0.8 { near } else { bounds };
                    tree.replace(leaf, bounds);
                    assert_eq!(tree.bounds(leaf), bounds);
                    Some((leaf, bounds))
                }
                None => Some((tree.insert(bounds, tag as u32), bounds)),
            };
            let asked = boxes[tag].map_or(bounds, |(_, bounds)| bounds);
            tree.meet(&asked, &mut found, &mut open);
            assert!(found.is_sorted(), "step {step}: {found:?}");
            let beside = boxes[(tag + 1) % boxes.len()].map_or(bounds, |(_, bounds)| bounds);
            tree.meet(&beside, &mut found_beside, &mut open);
            let [found_a, found_b] = &mut both;
            tree.meet_both([&asked, &beside], [found_a, found_b], &mut open);
            assert!(
                both[0] == found && both[1] == found_beside,
                "seed {seed}, step {step}: {both:?} of two at once"
            );
            // Offsets from the first box are below 4·reach and rounded once on either side.
            let resolution = 16.0 * reach * f64::from(f32::EPSILON);
            for (tag, other) in boxes.iter().enumerate() {
                let listed = found.binary_search(&(tag as u32)).is_ok();
                let gap = other.map(|(_, other)| gap(&asked, &other));
                let possible = gap.is_some_and(|gap| gap <= resolution || reach > 1e30);
                let required = gap.is_some_and(|gap| gap <= 0.0);
                assert!(listed || !required, "seed {seed}, step {step}: box {tag} at {gap:?} m is missing");
                assert!(possible || !listed, "seed {seed}, step {step}: box {tag} at {gap:?} m is too much");
            }
        }
        // Where all boxes are in one place as far as numbers resolve, no order of them is better than a chain.
        assert!(reach < 1e-20 || tree.height() < 64, "seed {seed}: {} levels over 300 boxes", tree.height());
    }
}

/// Boxes all in one place, and a single one, and none.
#[test]
fn the_tree_takes_boxes_in_one_place() {
    let mut tree = DynamicTree::new();
    let point = Aabb::point(DVec3::ONE);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    tree.meet(&point, &mut found, &mut open);
    assert!(found.is_empty() && tree.height() == 0);
    for tag in 0..100 {
        let leaf = tree.insert(point, tag);
        tree.replace(leaf, point);
        tree.meet(&point, &mut found, &mut open);
        assert_eq!(found, (0..=tag).collect::<Vec<u32>>());
        let (mut found_a, mut found_b) = (vec![7], vec![7]);
        let beside = Aabb::point(DVec3::ZERO);
        tree.meet_both([&point, &beside], [&mut found_a, &mut found_b], &mut open);
        assert!(found_a == found && found_b.is_empty(), "{found_a:?} and {found_b:?}");
    }
}
