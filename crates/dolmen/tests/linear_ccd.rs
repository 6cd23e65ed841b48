//! Straight-line continuous collision: hard cases by hand, recorded queries with exact answers, and fractions as referee.

#[path = "linear_ccd/queries.rs"]
mod queries;
#[path = "linear_ccd/referee.rs"]
mod referee;
#[path = "linear_ccd/table.rs"]
mod table;

use dolmen::math::{DVec3, dvec3};
use dolmen::triangle::linear_ccd::{Answer, Moving, edge_edge, vertex_face};
use dolmen::triangle::{Feature, closest_on_segments, closest_on_triangle};
use insta::assert_snapshot;
use proptest::prelude::*;
use queries::{Figures, Query};
use referee::Exact;
use table::CASES;

/// Every case of the table ends as geometry says, at the time and between the features it says.
#[test]
fn hard_cases_end_as_geometry_says() {
    for case in CASES {
        let found = case.query().ask().meeting;
        let times = found.map(|m| m.time);
        match (case.time, times) {
            (None, None) => {}
            (Some(expected), Some([low, high])) => {
                assert!(low <= expected && expected <= high, "{}: {low} … {high}, not {expected}", case.name);
                assert!(high - low <= f64::EPSILON, "{}: {low} … {high} is too wide", case.name);
            }
            _ => panic!("{}: {found:?}, expected {:?}", case.name, case.time),
        }
        if let (Some(features), Some(m)) = (case.features, found) {
            assert_eq!((m.feature_a, m.feature_b), features, "{}", case.name);
        }
        let exact = Exact::new(&case.query()).earliest();
        assert_eq!(exact.is_some(), found.is_some(), "the referee on {}", case.name);
    }
}

/// Each query of the table asked again with its figures' points in another order, or backwards in time, has the same end.
#[test]
fn names_of_points_and_the_direction_of_time_do_not_matter() {
    for case in CASES {
        let query = case.query();
        let [a, b, c, d] = query.points;
        let again = match query.figures {
            Figures::VertexFace => [[a, c, d, b], [a, d, b, c], [a, b, d, c]],
            Figures::EdgeEdge => [[b, a, c, d], [a, b, d, c], [c, d, a, b]],
        };
        let time = |q: &Query| q.ask().meeting.map(|m| m.time);
        for points in again {
            assert_eq!(time(&Query { points, ..query }), time(&query), "{}", case.name);
        }
        let points = query.points.map(|p| Moving { start: p.end, end: p.start });
        let backwards = Query { points, ..query }.ask();
        assert_eq!(backwards.meeting.is_some(), case.time.is_some(), "{} backwards", case.name);
    }
}

/// Recorded queries with exact answers: no meeting missed, none invented. [CASES A35]
#[test]
fn recorded_queries_are_answered_without_error() {
    let Some(folder) = queries::folder() else {
        eprintln!(
            "no recorded queries found (set DOLMEN_DATA to the folder that holds ccd-queries): the table alone was asked"
        );
        return;
    };
    let (mut misses, mut inventions, mut total) = (0, 0, 0);
    for (name, queries) in queries::read_folder(&folder).expect("the recorded queries can be read") {
        for (i, (query, hits)) in queries.iter().enumerate() {
            let found = query.ask().meeting;
            total += 1;
            misses += usize::from(*hits && found.is_none());
            inventions += usize::from(!*hits && found.is_some());
            if *hits != found.is_some() {
                eprintln!(
                    "{name}, query {i}: {found:?}, truth {hits}, referee {:?}",
                    Exact::new(query).earliest()
                );
            }
        }
    }
    assert!(total > 0, "no queries in {}", folder.display());
    assert_eq!((misses, inventions), (0, 0), "false negatives and false positives among {total}");
}

/// The answer of the engine and of the referee: same end, and the times overlap.
fn compare(query: &Query) -> Result<Answer, TestCaseError> {
    let found = query.ask();
    let exact = Exact::new(query).earliest();
    match (found.meeting, exact) {
        (None, None) => {}
        (Some(m), Some([low, high])) => {
            prop_assert!(m.time[0] <= high && low <= m.time[1], "{:?}, but {low} … {high}: {query:?}", m);
            prop_assert!(m.time[1] <= m.time[0].next_up(), "{:?} is too wide: {query:?}", m);
        }
        _ => prop_assert!(false, "{found:?} but {exact:?}: {query:?}"),
    }
    Ok(found)
}

fn figures() -> impl Strategy<Value = Figures> {
    prop_oneof![Just(Figures::VertexFace), Just(Figures::EdgeEdge)]
}

fn points(coordinate: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = [Moving; 4]> {
    let place = prop::array::uniform3(coordinate).prop_map(DVec3::from_array);
    prop::array::uniform8(place).prop_map(|p| [0, 1, 2, 3].map(|i| Moving { start: p[i], end: p[i + 4] }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// On a grid of 3³ points nearly every motion is degenerate somewhere: coplanar, parallel, collapsing, touching.
    #[test]
    fn degenerate_motions_are_decided_as_in_fractions(
        figures in figures(),
        points in points((-1..=1).prop_map(f64::from)),
    ) {
        compare(&Query { figures, points })?;
    }

    /// In a plane throughout, tilted or not.
    #[test]
    fn motions_in_a_plane_are_decided_as_in_fractions(
        figures in figures(),
        mut points in points((-2..=2).prop_map(f64::from)),
        tilted: bool,
    ) {
        for p in &mut points {
            (p.start.z, p.end.z) = if tilted { (p.start.x, p.end.x) } else { (0.0, 0.0) };
        }
        compare(&Query { figures, points })?;
    }

    /// Grazing by one unit in the last place, either way.
    #[test]
    fn near_misses_are_decided_as_in_fractions(
        figures in figures(),
        points in points((-2..=2).prop_map(|x| f64::from(x) + 0.5)),
        which in 0_usize..4,
        axis in 0_usize..3,
        up: bool,
    ) {
        let mut points = points;
        let x = &mut points[which].end[axis];
        *x = if up { x.next_up() } else { x.next_down() };
        compare(&Query { figures, points })?;
    }

    /// Meetings made to be at a given time and place.
    #[test]
    fn meetings_made_on_purpose_are_found(
        figures in figures(),
        points in points(-1.0..1.0_f64),
        time in 0_u32..=8,
        u in 0_u32..=8,
        v in 0_u32..=8,
    ) {
        let (points, t) = aimed(figures, points, f64::from(time) / 8.0, [u, v].map(|x| f64::from(x) / 8.0));
        let query = Query { figures, points };
        let found = compare(&query)?;
        prop_assert!(found.meeting.is_some_and(|m| m.time[0] <= t), "{found:?}, aimed at {t}: {query:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    /// Random motions against many instants: apart until the meeting, together at it, and apart for good without one.
    #[test]
    fn random_motions_agree_with_dense_sampling(figures in figures(), points in points(-1.0..1.0_f64)) {
        const INSTANTS: u32 = 256;
        let query = Query { figures, points };
        let found = query.ask();
        let end = found.meeting.map_or(2.0, |m| m.time[0]);
        if let Some(m) = found.meeting {
            // The time is right to 1e-16, speeds are below 4, and the closest points are rounded to 1e-15; edges at an
            // angle θ are together in a point known to 1e-16/θ.
            let together = distance(&query, m.time[0]);
            prop_assert!(together < 1e-12, "{together:e} apart at {:?}: {query:?}", m.time);
        }
        let mut before = None;
        for i in 0..=INSTANTS {
            let t = f64::from(i) / f64::from(INSTANTS);
            if t >= end {
                break;
            }
            let apart = distance(&query, t);
            prop_assert!(apart > 0.0, "together at {t} before {end}: {query:?}");
            // Passing through between two instants: the volume changes its sign and the foot is well inside at both.
            let now = passage(&query, t);
            if let (Some(x), Some(y)) = (before, now) {
                prop_assert!((x > 0.0) == (y > 0.0), "passed through before {t}, found {end}: {query:?}");
            }
            before = now;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    /// Any finite numbers, however far apart in size: an answer, and times within the step.
    #[test]
    fn wild_numbers_are_answered(figures in figures(), points in points(any::<f64>().prop_map(|x| if x.is_finite() { x } else { 0.0 }))) {
        let found = Query { figures, points }.ask();
        if let Some(m) = found.meeting {
            prop_assert!(0.0 <= m.time[0] && m.time[0] <= m.time[1] && m.time[1] <= 1.0, "{m:?}");
        }
    }
}

/// The points moved so that figures meet at time t, at the given weights, exactly: all numbers are short fractions.
fn aimed(figures: Figures, points: [Moving; 4], t: f64, [u, v]: [f64; 2]) -> ([Moving; 4], f64) {
    // Halves of the step are short, so that everything below is without rounding.
    let t = if t == 0.0 { 1.0 } else { [0.5, 1.0][usize::from(t > 0.5)] };
    let grid = |p: DVec3| (p * 16.0).round() / 16.0;
    let mut points = points.map(|p| Moving { start: grid(p.start), end: grid(p.end) });
    let at = points.map(|p| p.start + (p.end - p.start) * t);
    let (u, v) = if figures == Figures::VertexFace && u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    let miss = match figures {
        Figures::VertexFace => at[1] + (at[2] - at[1]) * u + (at[3] - at[1]) * v - at[0],
        Figures::EdgeEdge => at[2] + (at[3] - at[2]) * v - (at[0] + (at[1] - at[0]) * u),
    };
    let first = if figures == Figures::VertexFace { 1 } else { 2 };
    for p in &mut points[..first] {
        p.end += miss / t;
    }
    (points, t)
}

fn distance(query: &Query, t: f64) -> f64 {
    let [a, b, c, d] = query.points.map(|p| p.at(t));
    match query.figures {
        Figures::VertexFace => closest_on_triangle(a, [b, c, d]).0.distance(a),
        Figures::EdgeEdge => closest_on_segments([a, b], [c, d]).distance,
    }
}

/// The volume of the four points if they are well over each other's inside, in the direction of the normal.
fn passage(query: &Query, t: f64) -> Option<f64> {
    let [a, b, c, d] = query.points.map(|p| p.at(t));
    let (inside, volume) = match query.figures {
        Figures::VertexFace => {
            let foot = closest_on_triangle(a, [b, c, d]);
            (foot.1 == Feature::Face, (c - b).cross(d - b).dot(a - b))
        }
        Figures::EdgeEdge => {
            let m = closest_on_segments([a, b], [c, d]);
            (
                m.feature_a == Feature::Edge(0) && m.feature_b == Feature::Edge(0),
                (b - a).cross(d - c).dot(c - a),
            )
        }
    };
    // Moves by less than 2/256 · 4 in an instant: no foot further than this from the border leaves in between, and no
    // normal turns over while the volume stays large.
    let turned = volume.abs() > 1e-3;
    (inside && turned && interior(query, t)).then_some(volume)
}

/// Whether the feet are further from all borders than the points move between two instants.
fn interior(query: &Query, t: f64) -> bool {
    const STEP: f64 = 0.1;
    let [a, b, c, d] = query.points.map(|p| p.at(t));
    match query.figures {
        Figures::VertexFace => {
            let foot = closest_on_triangle(a, [b, c, d]).0;
            [(b, c), (c, d), (d, b)]
                .iter()
                .all(|(p, q)| closest_on_segments([*p, *q], [foot, foot]).distance > STEP)
        }
        Figures::EdgeEdge => {
            let m = closest_on_segments([a, b], [c, d]);
            [a, b].iter().all(|p| p.distance(m.point_a) > STEP)
                && [c, d].iter().all(|p| p.distance(m.point_b) > STEP)
        }
    }
}

/// NaN and infinity are refused in words.
#[test]
fn motions_that_are_no_numbers_are_refused() {
    let still = |p: DVec3| Moving { start: p, end: p };
    let face = [still(DVec3::X), still(DVec3::Y), still(DVec3::Z)];
    let bad = Moving { start: DVec3::ZERO, end: dvec3(f64::NAN, 0.0, 0.0) };
    assert_snapshot!(vertex_face(bad, face).unwrap_err(), @"point 0 goes from [0, 0, 0] to [NaN, 0, 0]; all coordinates must be finite numbers of metres: correct the motion");
    let bad = still(DVec3::INFINITY);
    assert_snapshot!(edge_edge([face[0], face[1]], [face[2], bad]).unwrap_err(), @"point 3 goes from [inf, inf, inf] to [inf, inf, inf]; all coordinates must be finite numbers of metres: correct the motion");
}
