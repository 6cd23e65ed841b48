//! Which bodies collide: masks of shapes, pairs and exclusions as groups of bodies.

use std::collections::BTreeSet;

use crate::model::{Geom, Model};
use crate::note::{Notes, Place};

/// Scenes have 32 groups, one of them without a name.
const MOST: usize = 31;

/// A body of the scene.
pub(crate) struct Content {
    pub(crate) links: Vec<usize>,
    pub(crate) fixed: bool,
}

/// What a body says about its collisions; nothing for a body that collides with all others.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Membership {
    pub(crate) group: Option<String>,
    pub(crate) collides_with: Option<Vec<String>>,
}

/// A class of bodies: with which bodies they collide, where that matters.
struct Class {
    row: Vec<Option<bool>>,
    members: Vec<usize>,
}

/// The groups of every body.
pub(crate) fn of(model: &Model, bodies: &[Content], notes: &mut Notes) -> Vec<Membership> {
    let relation = relation(model, bodies, notes);
    let mut classes: Vec<Class> = Vec::new();
    for body in 0..bodies.len() {
        let row = &relation[body];
        let found = classes.iter_mut().find(|class| {
            let inside =
                |member: &usize| row[*member].is_none_or(|own| class.row[*member].is_none_or(|of| of == own));
            class.row.iter().zip(row).all(|(of, own)| of.is_none() || own.is_none() || of == own)
                && class.members.iter().all(inside)
        });
        match found {
            Some(class) => {
                for (of, own) in class.row.iter_mut().zip(row) {
                    *of = of.or(*own);
                }
                class.members.push(body);
            }
            None => classes.push(Class { row: row.clone(), members: vec![body] }),
        }
    }
    let mut result = vec![Membership::default(); bodies.len()];
    let all_collide = relation.iter().flatten().all(|entry| *entry != Some(false));
    if all_collide {
        return result;
    }
    if classes.len() > MOST {
        let place = Place::file(&model.title);
        let what = format!("masks and exclusions make {} kinds of bodies; a scene has {MOST}", classes.len());
        notes.add(&place, what, "all bodies collide with each other");
        return result;
    }
    let name = |class: usize| format!("group {}", class + 1);
    for (k, class) in classes.iter().enumerate() {
        let collides = |other: &Class| {
            let of = |a: &Class, b: &Class| b.members.iter().find_map(|member| a.row[*member]);
            of(class, other).or_else(|| of(other, class)).unwrap_or(true)
        };
        let with: Vec<String> = (0..classes.len()).filter(|j| collides(&classes[*j])).map(name).collect();
        for member in &class.members {
            result[*member] = Membership { group: Some(name(k)), collides_with: Some(with.clone()) };
        }
    }
    result
}

fn meets(a: &Geom, b: &Geom) -> bool {
    a.masks[0] & b.masks[1] != 0 || b.masks[0] & a.masks[1] != 0
}

/// Of every pair of bodies whether they collide; none where the question does not come up.
fn relation(model: &Model, bodies: &[Content], notes: &mut Notes) -> Vec<Vec<Option<bool>>> {
    let geoms: Vec<Vec<(usize, &Geom)>> = bodies
        .iter()
        .map(|body| {
            let of = |link: usize| model.links[link].geoms.iter().map(move |geom| (link, geom));
            body.links.iter().copied().flat_map(of).filter(|(_, geom)| geom.masks != [0, 0]).collect()
        })
        .collect();
    let sorted = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
    let set = |list: &[[usize; 2]]| list.iter().map(|pair| sorted(*pair)).collect::<BTreeSet<_>>();
    let (included, excluded) = (set(&model.included), set(&model.excluded));
    let mut relation = vec![vec![None; bodies.len()]; bodies.len()];
    for i in 0..bodies.len() {
        for j in 0..i {
            if (bodies[i].fixed && bodies[j].fixed) || geoms[i].is_empty() || geoms[j].is_empty() {
                continue;
            }
            let (mut some, mut all) = (false, true);
            for (link_a, a) in &geoms[i] {
                for (link_b, b) in &geoms[j] {
                    let collides = included.contains(&sorted([*link_a, *link_b]))
                        || (meets(a, b) && !excluded.contains(&sorted([*link_a, *link_b])));
                    some |= collides;
                    all &= collides;
                }
            }
            if some && !all {
                let what = "of two bodies some shapes collide and some do not";
                notes.add(&geoms[i][0].1.place, what, "all shapes of the two collide");
            }
            relation[i][j] = Some(some);
            relation[j][i] = Some(some);
        }
    }
    relation
}
