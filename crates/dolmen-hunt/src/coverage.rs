//! What was met: how often each pair of mechanisms was active together in runs that ended.
//!
//! Counted from the tables of a run together with its scene: a pair of shapes counts where an event or a force joins the two,
//! a joint with a contact where one of its bodies takes part in an event of that kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::judge::Run;
use crate::judge::read::{list_of, number_of, tables_of, text_of};
use crate::judge::scene::{Body, Kind, Scene};
use toml::Table as Toml;

/// Shapes that can touch.
pub const SHAPES: [&str; 10] =
    ["sphere", "box", "capsule", "cylinder", "cone", "disc", "ellipsoid", "hull", "mesh", "compound"];

/// What a shape can touch besides another shape.
pub const PLANES: [&str; 4] = ["front plane", "two-sided plane", "circle", "square"];

/// Kinds of joints.
pub const JOINTS: [&str; 15] = [
    "ball",
    "hinge",
    "slider",
    "cylindrical",
    "universal",
    "planar",
    "weld",
    "screw",
    "rod",
    "rope",
    "point-on-line",
    "point-on-plane",
    "six-axis",
    "gear",
    "rack-and-pinion",
];

/// Motors, and what else acts along the axis of a joint.
pub const MOTORS: [&str; 9] = [
    "force",
    "velocity",
    "velocity, bounded",
    "position",
    "position, bounded",
    "motion",
    "limit",
    "spring",
    "friction",
];

/// Ways in which kinematic bodies move.
pub const MOTIONS: [&str; 4] = ["constant", "uniform", "oscillate", "path"];

/// What contacts do.
pub const CONTACTS: [&str; 4] = ["impact", "stick", "slide", "time step"];

/// Regimes of an island.
pub const REGIMES: [&str; 4] = ["flight", "smooth", "stepping", "rest"];

/// What may be active in a regime.
pub const MECHANISMS: [&str; 8] =
    ["contact", "friction", "rolling resistance", "joint", "limit", "motor", "rope", "kinematic"];

/// A cell must be met once in so many scenes.
const SCENES_PER_SHAPES: usize = 500;
const SCENES_PER_JOINT: usize = 400;
const SCENES_PER_KINEMATIC: usize = 400;
const SCENES_PER_REGIME: usize = 200;

/// So many cells that were not met are named where the hunt was too short for a minimum.
const NAMED: usize = 8;

/// The tables of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grid {
    /// Shape and support.
    Shapes,
    /// Joint and contact.
    Joints,
    /// Motor and contact.
    Motors,
    /// Motion of a kinematic body, and contact.
    Kinematic,
    /// Regime and mechanism.
    Regimes,
}

impl Grid {
    const ALL: [Self; 5] = [Self::Shapes, Self::Joints, Self::Motors, Self::Kinematic, Self::Regimes];

    fn title(self) -> &'static str {
        match self {
            Self::Shapes => "shape × support",
            Self::Joints => "joint × contact",
            Self::Motors => "motor × contact",
            Self::Kinematic => "kinematic × contact",
            Self::Regimes => "regime × mechanism",
        }
    }

    /// One scene in so many must meet each cell.
    fn scenes_per_cell(self) -> usize {
        match self {
            Self::Shapes => SCENES_PER_SHAPES,
            Self::Joints | Self::Motors => SCENES_PER_JOINT,
            Self::Kinematic => SCENES_PER_KINEMATIC,
            Self::Regimes => SCENES_PER_REGIME,
        }
    }

    /// All cells that can be met.
    fn cells(self) -> Vec<(&'static str, &'static str)> {
        let product = |rows: &[&'static str], columns: &[&'static str]| {
            rows.iter().flat_map(|row| columns.iter().map(|column| (*row, *column))).collect::<Vec<_>>()
        };
        match self {
            Self::Shapes => {
                let mut cells = product(&SHAPES, &PLANES);
                for (k, shape) in SHAPES.into_iter().enumerate() {
                    cells.extend(SHAPES[k..].iter().map(|other| (shape, *other)));
                }
                cells
            }
            Self::Joints => product(&JOINTS, &CONTACTS),
            Self::Motors => product(&MOTORS, &CONTACTS),
            Self::Kinematic => product(&MOTIONS, &CONTACTS),
            // Flight is what nothing touches or holds.
            Self::Regimes => {
                let mut cells = product(&REGIMES[1..], &MECHANISMS);
                cells.push(("flight", "kinematic"));
                cells
            }
        }
    }
}

/// In how many scenes each cell was met.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    scenes: usize,
    met: BTreeMap<(Grid, &'static str, &'static str), usize>,
}

impl Coverage {
    /// Counts what one run met.
    pub fn add(&mut self, scene: &Scene, run: &Run) {
        self.scenes += 1;
        for cell in cells(scene, run) {
            *self.met.entry(cell).or_default() += 1;
        }
    }

    /// In how many scenes a cell was met.
    pub fn count(&self, grid: Grid, row: &str, column: &str) -> usize {
        let found = self.met.iter().find(|((g, r, c), _)| *g == grid && *r == row && *c == column);
        found.map_or(0, |(_, count)| *count)
    }

    /// Cells of a grid that were met in fewer scenes than the minimum, which is stated with them.
    pub fn missing(&self, grid: Grid) -> (usize, Vec<(&'static str, &'static str, usize)>) {
        let least = self.scenes / grid.scenes_per_cell();
        let count = |(row, column)| (row, column, self.count(grid, row, column));
        (least, grid.cells().into_iter().map(count).filter(|(_, _, met)| *met < least).collect())
    }
}

impl Coverage {
    /// Whether every cell was met in as many scenes as the minimum of its grid.
    pub fn holds(&self) -> bool {
        Grid::ALL.into_iter().all(|grid| self.missing(grid).1.is_empty())
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "coverage, scenes in which a cell was met:")?;
        for grid in Grid::ALL {
            let cells = grid.cells();
            let counts: Vec<usize> =
                cells.iter().map(|(row, column)| self.count(grid, row, column)).collect();
            let met = counts.iter().filter(|count| **count > 0).count();
            let (least, missing) = self.missing(grid);
            let fewest = counts.iter().min().copied().unwrap_or(0);
            writeln!(
                f,
                "  {:<20} {met} of {} cells met, fewest {fewest}; at least {least} each (one in {} scenes)",
                grid.title(),
                cells.len(),
                grid.scenes_per_cell()
            )?;
            let never = cells.iter().zip(&counts).filter(|(_, count)| **count == 0);
            for ((row, column), _) in never.take(if least == 0 { NAMED } else { 0 }) {
                writeln!(f, "    not met: {row} × {column}")?;
            }
            for (row, column, met) in missing {
                writeln!(f, "    below the minimum: {row} × {column} ({met})")?;
            }
        }
        Ok(())
    }
}

/// How the tables call what a contact does.
fn contact(kind: &str) -> Option<&'static str> {
    match kind {
        "collision" | "settled" => Some("impact"),
        "rest" | "stick" | "roll" | "rolled" | "spin" | "spun" => Some("stick"),
        "slide" => Some("slide"),
        "time-step" | "aggregated" => Some("time step"),
        _ => None,
    }
}

/// The entry of a list of names that are known.
fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().find(|known| **known == name).copied()
}

fn support(body: &Body) -> Option<&'static str> {
    let solid = body.solid.as_ref()?;
    let Some(plane) = &solid.plane else { return known(&SHAPES, &solid.kind) };
    Some(match &plane.piece {
        None if plane.is_two_sided => "two-sided plane",
        None => "front plane",
        Some(piece) if matches!(piece.convex, crate::judge::solid::Convex::Points(_)) => "square",
        Some(_) => "circle",
    })
}

/// All cells that a run met.
fn cells(scene: &Scene, run: &Run) -> BTreeSet<(Grid, &'static str, &'static str)> {
    let mut met = BTreeSet::new();
    // What each body took part in.
    let mut taken: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
    let mut touching: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (table, column) in [(&run.events, "kind"), (&run.forces, "mode")] {
        for row in table.places() {
            let (a, b) = (table.text(row, "body_a"), table.text(row, "body_b"));
            let Some(contact) = contact(table.text(row, column)) else { continue };
            taken.entry(a).or_default().insert(contact);
            taken.entry(b).or_default().insert(contact);
            touching.insert((a, b));
        }
    }
    for (a, b) in touching {
        let [Some(a), Some(b)] = [a, b].map(|name| scene.body(name).and_then(support)) else { continue };
        let place = |name: &str| SHAPES.iter().position(|shape| *shape == name).unwrap_or(SHAPES.len());
        met.insert(if place(a) <= place(b) { (Grid::Shapes, a, b) } else { (Grid::Shapes, b, a) });
    }
    let none = BTreeSet::new();
    let of = |name: Option<&str>| name.and_then(|name| taken.get(name)).unwrap_or(&none);
    let mut mechanisms: BTreeSet<&'static str> = BTreeSet::new();
    for joint in scene.joints() {
        let ends = ends(scene, joint);
        let contacts: BTreeSet<&'static str> =
            ends.iter().flat_map(|name| of(Some(name)).iter().copied()).collect();
        let Some(kind) = text_of(joint, "kind").and_then(|kind| known(&JOINTS, kind)) else { continue };
        mechanisms.insert(if kind == "rope" { "rope" } else { "joint" });
        let acting = acting(joint);
        mechanisms.extend(acting.iter().filter_map(|what| match *what {
            "limit" => Some("limit"),
            "spring" | "friction" => None,
            _ => Some("motor"),
        }));
        for contact in contacts {
            met.insert((Grid::Joints, kind, contact));
            met.extend(acting.iter().map(|what| (Grid::Motors, *what, contact)));
        }
    }
    for body in scene.bodies.iter().filter(|body| body.kind == Kind::Kinematic) {
        mechanisms.insert("kinematic");
        if let Some(motion) = body.motion.as_deref().and_then(|motion| known(&MOTIONS, motion)) {
            met.extend(of(Some(&body.name)).iter().map(|contact| (Grid::Kinematic, motion, *contact)));
        }
    }
    let contacts: BTreeSet<&'static str> = taken.values().flatten().copied().collect();
    if !contacts.is_empty() {
        mechanisms.insert("contact");
    }
    let uses = |keys: &[&str]| {
        let tables = scene.section("contact").into_iter().chain(tables_of(&scene.table, "material"));
        tables.flat_map(|table| keys.iter().map(move |key| number_of(table, key))).flatten().any(|x| x > 0.0)
    };
    if uses(&["friction", "static_friction"]) && !contacts.is_empty() {
        mechanisms.insert("friction");
    }
    if uses(&["rolling_resistance", "spinning_resistance"]) && !contacts.is_empty() {
        mechanisms.insert("rolling resistance");
    }
    let mut regimes = BTreeSet::new();
    if contacts.contains("time step") {
        regimes.insert("stepping");
    }
    if contacts.contains("stick") || contacts.contains("slide") || mechanisms.contains("joint") {
        regimes.insert("smooth");
    }
    if contacts.is_empty() && scene.joints().next().is_none() {
        regimes.insert("flight");
    }
    if is_at_rest(scene, run) {
        regimes.insert("rest");
    }
    for regime in regimes {
        met.extend(mechanisms.iter().map(|mechanism| (Grid::Regimes, regime, *mechanism)));
    }
    met
}

/// Names of the bodies that a joint or a coupling joins.
fn ends<'s>(scene: &'s Scene, joint: &'s Toml) -> Vec<&'s str> {
    let own =
        |joint: &'s Toml| ["a", "b"].into_iter().filter_map(|key| text_of(joint, key)).collect::<Vec<_>>();
    let coupled = list_of(joint, "joints").iter().filter_map(toml::Value::as_str);
    let of = |name: &str| scene.joints().find(|joint| text_of(joint, "name") == Some(name)).map(own);
    own(joint).into_iter().chain(coupled.filter_map(of).flatten()).collect()
}

/// What acts along the axes of a joint.
fn acting(joint: &Toml) -> BTreeSet<&'static str> {
    let mut acting: BTreeSet<&'static str> =
        ["limit", "spring", "friction"].into_iter().filter(|key| !list_of(joint, key).is_empty()).collect();
    acting.extend(tables_of(joint, "motor").filter_map(|motor| {
        let is_bounded = motor.contains_key("largest");
        Some(match (text_of(motor, "kind")?, is_bounded) {
            ("force", _) => "force",
            ("motion", _) => "motion",
            ("velocity", false) => "velocity",
            ("velocity", true) => "velocity, bounded",
            ("position", false) => "position",
            ("position", true) => "position, bounded",
            _ => return None,
        })
    }));
    acting
}

/// Whether a body that touches something stands still at the last sample.
fn is_at_rest(scene: &Scene, run: &Run) -> bool {
    let Some(last) = run.states.places().next_back() else { return false };
    let t = run.states.number(last, "t");
    let touches = |name: &str| {
        run.forces.places().any(|row| {
            run.forces.number(row, "t") == t
                && ["body_a", "body_b"].iter().any(|key| run.forces.text(row, key) == name)
        })
    };
    run.states.places().rev().take_while(|row| run.states.number(*row, "t") == t).any(|row| {
        let name = run.states.text(row, "body");
        let is_still =
            ["vx", "vy", "vz", "wx", "wy", "wz"].iter().all(|key| run.states.number(row, key) == 0.0);
        is_still && scene.body(name).is_some_and(|body| body.kind == Kind::Dynamic) && touches(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::table::Table;

    /// A ball on a hinge with a motor slides on a plane, and a kinematic box is touched.
    #[test]
    fn cells_are_counted_from_what_happened() {
        let scene = Scene::read(
            "[contact]\nfriction = 0.5\n[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 1 }\nmass = 1\n\
             [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }\n\
             [[body]]\nname = \"ram\"\nkind = \"kinematic\"\nshape = { kind = \"box\", size = [1, 1, 1] }\nmotion = { kind = \"uniform\" }\n\
             [[joint]]\nname = \"j\"\nkind = \"hinge\"\na = \"ball\"\n[[joint.motor]]\nkind = \"velocity\"\nlargest = 2\n",
        )
        .expect("TOML");
        let events = "t,kind,body_a,body_b\n0.1,slide,ball,floor\n0.2,collision,ball,ram\n";
        let run = Run { events: Table::parse(events).expect("a table"), ..Run::default() };
        let mut coverage = Coverage::default();
        for _ in 0..400 {
            coverage.add(&scene, &run);
        }
        assert_eq!(coverage.count(Grid::Shapes, "sphere", "front plane"), 400);
        assert_eq!(coverage.count(Grid::Shapes, "sphere", "box"), 400);
        assert_eq!(coverage.count(Grid::Joints, "hinge", "slide"), 400);
        assert_eq!(coverage.count(Grid::Motors, "velocity, bounded", "impact"), 400);
        assert_eq!(coverage.count(Grid::Kinematic, "uniform", "impact"), 400);
        assert_eq!(coverage.count(Grid::Kinematic, "uniform", "slide"), 0);
        assert_eq!(coverage.count(Grid::Regimes, "smooth", "motor"), 400);
        assert!(!coverage.holds());
        let (least, missing) = coverage.missing(Grid::Kinematic);
        assert_eq!(least, 1);
        assert!(
            missing.contains(&("path", "impact", 0))
                && !missing.iter().any(|cell| cell.0 == "uniform" && cell.1 == "impact")
        );
    }
}
