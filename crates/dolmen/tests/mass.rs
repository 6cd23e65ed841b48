//! Mass properties against closed forms, published numbers, finer and finer meshes, and themselves.

use dolmen::mass::{self, Density, MassError, MassProperties};
use dolmen::math::real::{PI, TAU, powi, sin_cos};
use dolmen::math::{DMat3, DQuat, DVec3, Pose, dvec3};
use dolmen::shape::{Hull, Mesh, Part, Shape};
use insta::assert_snapshot;
use proptest::prelude::*;

/// The largest difference of two tensors, relative to the largest entry of the second.
fn tensor_error(a: DMat3, b: DMat3) -> f64 {
    let largest = |m: DMat3| m.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    largest(a - b) / largest(b)
}

/// The largest of the relative errors of mass, centre (relative to the radius of gyration) and inertia.
fn error(a: &MassProperties, b: &MassProperties) -> f64 {
    let size = (b.inertia().diagonal().element_sum() / b.mass()).sqrt();
    let mass = (a.mass() / b.mass() - 1.0).abs();
    mass.max((a.centre() - b.centre()).length() / size).max(tensor_error(a.inertia(), b.inertia()))
}

fn diagonal(x: f64, y: f64, z: f64) -> DMat3 {
    DMat3::from_diagonal(dvec3(x, y, z))
}

fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Shape {
    let vertices: Vec<DVec3> = vertices.iter().map(|v| DVec3::from(*v)).collect();
    Mesh::new(&vertices, triangles).expect("a closed mesh").into()
}

fn hull(points: &[[f64; 3]]) -> Shape {
    let points: Vec<DVec3> = points.iter().map(|v| DVec3::from(*v)).collect();
    Hull::new(&points).expect("a hull with an inside").into()
}

/// A prism over a polygon in the plane (x, y), counterclockwise and with a hole if `inner` is given, cut into the
/// triangles `cap`, whose indices run over the outer and then over the inner loop.
fn prism(outer: &[[f64; 2]], inner: &[[f64; 2]], extra: &[[f64; 2]], cap: &[[u32; 3]], z: [f64; 2]) -> Shape {
    let flat: Vec<[f64; 2]> = outer.iter().chain(inner).chain(extra).copied().collect();
    let n = flat.len() as u32;
    let vertices: Vec<[f64; 3]> = z.iter().flat_map(|z| flat.iter().map(move |p| [p[0], p[1], *z])).collect();
    let mut triangles: Vec<[u32; 3]> = cap.iter().map(|t| t.map(|v| v + n)).collect();
    triangles.extend(cap.iter().map(|t| [t[0], t[2], t[1]]));
    let mut wall = |start: u32, count: u32, outwards: bool| {
        for k in 0..count {
            let (a, b) = (start + k, start + (k + 1) % count);
            let (a, b) = if outwards { (a, b) } else { (b, a) };
            triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
        }
    };
    wall(0, outer.len() as u32, true);
    wall(outer.len() as u32, inner.len() as u32, false);
    mesh(&vertices, &triangles)
}

/// The surface that a profile (ρ, z), from ρ = 0 at the bottom to ρ = 0 at the top, sweeps about z, in n sectors.
fn revolved(profile: &[[f64; 2]], n: u32) -> Shape {
    let rings = &profile[1..profile.len() - 1];
    let mut vertices = vec![[0.0, 0.0, profile[0][1]], [0.0, 0.0, profile[profile.len() - 1][1]]];
    for [rho, z] in rings {
        for k in 0..n {
            let (sin, cos) = sin_cos(TAU * f64::from(k) / f64::from(n));
            vertices.push([rho * cos, rho * sin, *z]);
        }
    }
    let at = |ring: u32, k: u32| 2 + ring * n + k % n;
    let last = rings.len() as u32 - 1;
    let mut triangles = Vec::new();
    for k in 0..n {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        triangles.push([1, at(last, k), at(last, k + 1)]);
        for r in 0..last {
            triangles.push([at(r, k), at(r, k + 1), at(r + 1, k + 1)]);
            triangles.push([at(r, k), at(r + 1, k + 1), at(r + 1, k)]);
        }
    }
    mesh(&vertices, &triangles)
}

/// Half a circle of radius `r`, from bottom to top, the upper and the lower half moved apart by 2h.
fn half_circle(r: f64, h: f64, n: u32) -> Vec<[f64; 2]> {
    let arc = |from: u32, to: u32, z: f64| {
        (from..=to).map(move |k| {
            let (sin, cos) = sin_cos(PI * f64::from(k) / f64::from(n));
            [if k == 0 || k == n { 0.0 } else { r * sin }, z - r * cos]
        })
    };
    if h == 0.0 { arc(0, n, 0.0).collect() } else { arc(0, n / 2, -h).chain(arc(n / 2, n, h)).collect() }
}

fn solids() -> Vec<(&'static str, Shape)> {
    vec![
        ("sphere", Shape::sphere(0.7).unwrap()),
        ("cuboid", Shape::cuboid(dvec3(0.3, 0.5, 0.8)).unwrap()),
        ("capsule", Shape::capsule(0.4, 0.9).unwrap()),
        ("cylinder", Shape::cylinder(0.6, 0.35).unwrap()),
        ("cone", Shape::cone(0.5, 1.3).unwrap()),
        ("ellipsoid", Shape::ellipsoid(dvec3(0.4, 0.6, 1.1)).unwrap()),
        ("hull", hull(&[[0., 0., 0.], [1., 0., 0.2], [0., 1.5, 0.], [0.3, 0.2, 1.], [1., 1., 0.7]])),
        ("mesh", l_shape()),
    ]
}

/// Corners of three cubes of side 2 in an L.
fn l_shape() -> Shape {
    let outline = [[-1., -1.], [1., -1.], [1., -3.], [3., -3.], [3., -1.], [3., 1.], [1., 1.], [-1., 1.]];
    let cap = [[0, 1, 6], [0, 6, 7], [1, 4, 5], [1, 5, 6], [1, 2, 3], [1, 3, 4]];
    prism(&outline, &[], &[], &cap, [-1.0, 1.0])
}

/// Numbers as a file with six decimals has them.
fn six_decimals(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

/// A torus about z, 20 by 10 faces, with vertices of six decimals.
fn torus() -> Shape {
    let mut vertices = Vec::new();
    for i in 0..20 {
        let (sin_a, cos_a) = sin_cos(TAU * f64::from(i) / 20.0);
        for j in 0..10 {
            let (sin_b, cos_b) = sin_cos(TAU * f64::from(j) / 10.0);
            let rho = 0.4 + 0.1 * cos_b;
            vertices.push([rho * cos_a, rho * sin_a, 0.1 * sin_b].map(six_decimals));
        }
    }
    let at = |i: u32, j: u32| (i % 20) * 10 + j % 10;
    let mut triangles = Vec::new();
    for i in 0..20 {
        for j in 0..10 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh(&vertices, &triangles)
}

/// A gear about z: twelve teeth on a disc of radius 0.9 with a bore of radius 0.2, thickness 0.4.
///
/// A tooth spans 15° at the root, rises straight to 1.0 and narrows to 11.21° at 1.1, where it is flat.
fn gear() -> Shape {
    let polar = |r: f64, degrees: f64| {
        let (sin, cos) = sin_cos(degrees * PI / 180.0);
        [r * cos, r * sin].map(six_decimals)
    };
    // Half the angle of the tip: the flank from (7.5°, 1.0) leans inwards.
    let tip = 5.60487;
    let (mut outer, mut middles) = (Vec::new(), Vec::new());
    for tooth in 0..12 {
        let at = 30.0 * f64::from(tooth);
        outer.extend([
            polar(0.9, at),
            polar(0.9, at + 7.5),
            polar(1.0, at + 7.5),
            polar(1.1, at + 15.0 - tip),
        ]);
        outer.extend([
            polar(1.1, at + 15.0),
            polar(1.1, at + 15.0 + tip),
            polar(1.0, at + 22.5),
            polar(0.9, at + 22.5),
        ]);
        middles.push(polar(0.9, at + 15.0));
    }
    let inner: Vec<_> = (0..32).map(|k| polar(0.2, 11.25 * f64::from(k))).collect();
    let (bore, middle) = (96, 96 + 32);

    let mut cap = Vec::new();
    let mut root = Vec::new();
    for tooth in 0..12 {
        let (o, m) = (8 * tooth, middle + tooth);
        cap.extend([1, 2, 3, 4, 5, 6].map(|k| [m, o + k + 1, o + k].map(|v| v)).map(|[a, b, c]| [a, c, b]));
        root.extend([o, o + 1, m, o + 7]);
    }
    // Between the 48 points of the root circle and the 32 of the bore: three steps there for two here.
    for k in 0..16 {
        let r = |i: u32| root[((3 * k + i) % 48) as usize];
        let b = |i: u32| bore + (2 * k + i) % 32;
        cap.extend([
            [b(0), r(0), r(1)],
            [b(0), r(1), b(1)],
            [b(1), r(1), r(2)],
            [b(1), r(2), b(2)],
            [b(2), r(2), r(3)],
        ]);
    }
    prism(&outer, &inner, &middles, &cap, [-0.2, 0.2])
}

/// Volume, centre, diagonal of the tensor and the entry xy, as published for these meshes at density 1.
#[test]
fn meshes_have_their_published_properties() {
    let c = 0.5;
    let cube = hull(&[
        [-c, -c, -c],
        [c, -c, -c],
        [-c, c, -c],
        [c, c, -c],
        [-c, -c, c],
        [c, -c, c],
        [-c, c, c],
        [c, c, c],
    ]);
    let spike = hull(&[[c, 0., -c], [c, 0., c], [-c, 0., c], [-c, 0., -c], [0., 3., 0.]]);
    let wedge = hull(&[[-c, 0., 1.], [0., 3., 1.], [-c, 0., -1.], [0., 3., -1.], [c, 0., 1.], [c, 0., -1.]]);
    let q = 0.75;
    let cliff = hull(&[
        [-q, -c, q],
        [-c, c, c],
        [-q, -c, -q],
        [-c, c, -c],
        [q, -c, q],
        [c, c, c],
        [q, -c, -q],
        [c, c, -c],
    ]);
    let corner = mesh(
        &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]],
        &[[0, 2, 1], [0, 3, 2], [1, 2, 3], [0, 1, 3]],
    );
    let zero = DVec3::ZERO;
    let i_cliff = dvec3(0.346271929825, 0.439583333333, 0.346271929825);
    let i_l = dvec3(37.3333333333, 37.3333333333, 58.6666666667);
    let i_torus = dvec3(0.00613854045766, 0.00613852906739, 0.0119369256716);
    let i_gear = dvec3(0.337443706306, 0.337443706151, 0.642903253889);
    // Eleven digits are published. The published torus and gear were rounded to six decimals, some of them the wrong way:
    // 1e-6 on a tube of radius 0.1. And the axis of the gear is y there, z here.
    let (digits, decimals) = (1e-11, 1e-5);
    let rows = [
        ("cube", cube, 1.0, zero, DVec3::splat(1.0 / 6.0), 0.0, digits),
        ("spike", spike, 1.0, dvec3(0.0, 0.75, 0.0), dvec3(0.3875, 0.1, 0.3875), 0.0, digits),
        ("wedge", wedge, 3.0, dvec3(0.0, 1.0, 0.0), dvec3(2.5, 1.125, 1.625), 0.0, digits),
        ("cliff", cliff, 1.58333333333, dvec3(0.0, -0.06578947368, 0.0), i_cliff, 0.0, digits),
        ("tet-corner", corner, 1.0 / 6.0, DVec3::splat(0.25), DVec3::splat(0.0125), 1.0 / 480.0, digits),
        ("L", l_shape(), 24.0, dvec3(4.0 / 3.0, -2.0 / 3.0, 0.0), i_l, 10.6666666667, digits),
        ("torus", torus(), 0.072654230277, zero, i_torus, 0.0, decimals),
        ("gear", gear(), 1.19940594629, zero, i_gear, 0.0, decimals),
    ];
    for (name, shape, volume, centre, moments, xy, tolerance) in rows {
        let p = mass::of_shape(&shape, 1.0).unwrap();
        let i = p.inertia();
        println!(
            "{name}: V {:e}, c {:e}, I {:e}, xy {:e}",
            (p.mass() - volume).abs() / volume,
            (p.centre() - centre).length(),
            (i.diagonal() - moments).abs().max_element() / moments.max_element(),
            (i.y_axis.x - xy).abs(),
        );
        assert!((p.mass() - volume).abs() <= tolerance * volume, "{name}: {} for {volume}", p.mass());
        assert!((p.centre() - centre).length() <= tolerance, "{name}: {} for {centre}", p.centre());
        let off = (i.diagonal() - moments).abs().max_element() / moments.max_element();
        assert!(off <= tolerance, "{name}: {} for {moments}", i.diagonal());
        assert!(
            (i.y_axis.x - xy).abs() <= tolerance * moments.max_element(),
            "{name}: xy {} for {xy}",
            i.y_axis.x
        );
    }
}

/// A cube of side 1 less a hole 0.8 × 0.8 × 0.9 from the top, at density 2: as a mesh, and as five boxes.
#[test]
fn a_cup_is_a_mesh_or_five_boxes() {
    let (o, i) = (0.5, 0.4);
    let square = |s: f64, z: f64| [[-s, -s, z], [s, -s, z], [s, s, z], [-s, s, z]];
    // Bottom, outer rim, inner rim, inner bottom.
    let vertices: Vec<_> =
        [square(o, 0.0), square(o, 1.0), square(i, 1.0), square(i, 0.1)].into_iter().flatten().collect();
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]];
    for k in 0..4 {
        let n = (k + 1) % 4;
        for level in [0, 4, 8] {
            triangles
                .extend([[level + k, level + n, level + n + 4], [level + k, level + n + 4, level + k + 4]]);
        }
    }
    let cup = mesh(&vertices, &triangles);

    let part = |half: DVec3, at: DVec3| Part {
        shape: Shape::cuboid(half).unwrap(),
        pose: Pose { position: at, orientation: DQuat::IDENTITY },
    };
    let mut parts = vec![part(dvec3(0.5, 0.5, 0.05), dvec3(0.0, 0.0, 0.05))];
    for s in [-1.0, 1.0] {
        parts.push(part(dvec3(0.05, 0.5, 0.45), dvec3(0.45 * s, 0.0, 0.55)));
        parts.push(part(dvec3(0.4, 0.05, 0.45), dvec3(0.0, 0.45 * s, 0.55)));
    }
    let boxes = Shape::compound(parts).unwrap();

    let published = MassProperties::new(
        0.848,
        dvec3(0.0, 0.0, 0.432075471698),
        diagonal(0.187340880503, 0.187340880503, 0.210453333333),
    )
    .unwrap();
    for shape in [cup, boxes] {
        let p = mass::of_shape(&shape, 2.0).unwrap();
        assert!(error(&p, &published) < 1e-11, "{p:?}");
    }
}

/// A body with n faces around.
type Triangulated<'a> = &'a dyn Fn(u32) -> Shape;

/// Inscribed polyhedra miss a round body by O(h²): halving the faces divides the error by four.
#[test]
fn meshes_converge_to_the_closed_forms_with_order_two() {
    let scaled = |n: u32, half: DVec3| {
        let Shape::Mesh(unit) = revolved(&half_circle(1.0, 0.0, n), 2 * n) else { unreachable!() };
        let vertices: Vec<DVec3> = unit.vertices().iter().map(|v| *v * half).collect();
        Shape::from(Mesh::new(&vertices, unit.triangles()).unwrap())
    };
    let half = dvec3(0.4, 0.6, 1.1);
    let cylinder = |n| revolved(&[[0., -0.35], [0.6, -0.35], [0.6, 0.35], [0., 0.35]], n);
    let cases: [(&str, Shape, Triangulated); 5] = [
        ("sphere", Shape::sphere(0.7).unwrap(), &|n| scaled(n, DVec3::splat(0.7))),
        ("ellipsoid", Shape::ellipsoid(half).unwrap(), &|n| scaled(n, half)),
        ("capsule", Shape::capsule(0.4, 0.9).unwrap(), &|n| revolved(&half_circle(0.4, 0.9, n), 2 * n)),
        ("cylinder", Shape::cylinder(0.6, 0.35).unwrap(), &cylinder),
        ("cone", Shape::cone(0.5, 1.3).unwrap(), &|n| revolved(&[[0., 0.], [0.5, 0.], [0., 1.3]], n)),
    ];
    for (name, shape, triangulated) in cases {
        let exact = mass::of_shape(&shape, 3.0).unwrap();
        let off = |n| error(&mass::of_shape(&triangulated(n), 3.0).unwrap(), &exact);
        let (coarse, fine) = (off(24), off(48));
        println!("{name}: {coarse:e} {fine:e} ratio {}", coarse / fine);
        // The next term is smaller by h² ≈ 0.02.
        assert!((coarse / fine - 4.0).abs() < 0.1, "{name}: {coarse} then {fine}");
    }
}

/// A disc is what a cylinder tends to when its length goes to zero at a fixed mass: the moments differ by m h²/3.
#[test]
fn a_disc_is_a_very_short_cylinder() {
    let disc = mass::of_shape(&Shape::disc(0.7).unwrap(), 2.0).unwrap();
    let cylinder = mass::of_shape(&Shape::cylinder(0.7, 1e-9).unwrap(), 1e9).unwrap();
    assert!(error(&disc, &cylinder) < 1e-15, "{disc:?} {cylinder:?}");
    let i = disc.inertia();
    assert!((i.x_axis.x + i.y_axis.y - i.z_axis.z).abs() < 1e-15 * i.z_axis.z, "perpendicular axes: {i}");
}

/// Quadrature of the density 1 is the closed form to the tolerance, for every shape and for a turned compound of all.
#[test]
fn quadrature_of_a_constant_density_is_the_closed_form() {
    let mut shapes = solids();
    let turn = |k: f64| DQuat::from_scaled_axis(dvec3(0.3 * k, 1.0 - k, 0.7));
    let parts = shapes.iter().enumerate().map(|(k, (_, shape))| Part {
        shape: shape.clone(),
        pose: Pose { position: dvec3(k as f64, -2.0, 0.5 * k as f64), orientation: turn(k as f64) },
    });
    let all = Shape::compound(parts.collect()).unwrap();
    shapes.extend([("compound", all), ("disc", Shape::disc(0.7).unwrap()), ("torus", torus())]);
    for (name, shape) in shapes {
        let exact = mass::of_shape(&shape, 2.0).unwrap();
        let quadrature = mass::with_density(&shape, &|_| 2.0, 1e-11).unwrap();
        let off = error(&quadrature, &exact);
        println!("{name}: {off:e}");
        // The bound is on second moments relative to m L², which is up to twenty times the inertia.
        assert!(off < 2e-10, "{name}: {off:e}");
    }
}

/// ∫ xᵃ yᵇ zᶜ over the corner tetrahedron is a! b! c! / (a + b + c + 3)!.
#[test]
fn a_quadratic_density_is_exact_on_polyhedra() {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let monomial =
        |[a, b, c]: [u32; 3]| factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
    // ρ = 1 + x + 2y + x² + y z
    let terms = [([0, 0, 0], 1.0), ([1, 0, 0], 1.0), ([0, 1, 0], 2.0), ([2, 0, 0], 1.0), ([0, 1, 1], 1.0)];
    let moment = |e: [u32; 3]| -> f64 {
        terms.iter().map(|(t, k)| k * monomial([t[0] + e[0], t[1] + e[1], t[2] + e[2]])).sum()
    };
    let density = Density::Polynomial {
        constant: 1.0,
        gradient: dvec3(1.0, 2.0, 0.0),
        hessian: DMat3::from_cols(dvec3(2.0, 0.0, 0.0), dvec3(0.0, 0.0, 1.0), dvec3(0.0, 1.0, 0.0)),
    };
    let corner = hull(&[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]);
    let p = mass::of_density(&corner, &density).unwrap();

    let m = moment([0, 0, 0]);
    let centre = dvec3(moment([1, 0, 0]), moment([0, 1, 0]), moment([0, 0, 1])) / m;
    let (xx, yy, zz) = (moment([2, 0, 0]), moment([0, 2, 0]), moment([0, 0, 2]));
    let (xy, yz, zx) = (-moment([1, 1, 0]), -moment([0, 1, 1]), -moment([1, 0, 1]));
    let about_origin =
        DMat3::from_cols(dvec3(yy + zz, xy, zx), dvec3(xy, zz + xx, yz), dvec3(zx, yz, xx + yy));
    assert!((p.mass() / m - 1.0).abs() < 1e-14, "{} for {m}", p.mass());
    assert!((p.centre() - centre).length() < 1e-15, "{} for {centre}", p.centre());
    assert!(tensor_error(p.inertia_about(DVec3::ZERO), about_origin) < 1e-14, "{}", p.inertia());

    let adaptive = mass::with_density(&corner, &|x| density.at(x), 1e-10).unwrap();
    assert!(error(&adaptive, &p) < 1e-13, "{adaptive:?}");
}

/// A ball of density r^n has m = 4π Rⁿ⁺³/(n + 3) and I = 2/3 · 4π Rⁿ⁺⁵/(n + 5); one of e^(−r²) is smooth but no polynomial.
#[test]
fn densities_that_vary_in_a_ball_reach_their_tolerance() {
    let radius = 0.7;
    let ball = Shape::sphere(radius).unwrap();
    for n in [1, 2, 3] {
        let m = 4.0 * PI * powi(radius, n + 3) / f64::from(n + 3);
        let i = 2.0 / 3.0 * 4.0 * PI * powi(radius, n + 5) / f64::from(n + 5);
        let exact = MassProperties::new(m, DVec3::ZERO, diagonal(i, i, i)).unwrap();
        for tolerance in [1e-4, 1e-8, 1e-11] {
            let p = mass::with_density(&ball, &|x| powi(x.length(), n), tolerance).unwrap();
            assert!(error(&p, &exact) < 10.0 * tolerance, "r^{n}: {:e} for {tolerance:e}", error(&p, &exact));
        }
    }
    let quadratic =
        Density::Polynomial { constant: 0.0, gradient: DVec3::ZERO, hessian: 2.0 * DMat3::IDENTITY };
    let p = mass::of_density(&ball, &quadratic).unwrap();
    assert!((p.mass() / (4.0 * PI * powi(radius, 5) / 5.0) - 1.0).abs() < 1e-12, "{}", p.mass());
}

/// A density linear along a rod moves the centre: ρ = 1 + z on [−1, 1] has its centre at z = 1/3.
#[test]
fn a_density_that_grows_along_a_shape_moves_its_centre() {
    let half = dvec3(0.1, 0.2, 1.0);
    let linear = Density::Polynomial { constant: 1.0, gradient: DVec3::Z, hessian: DMat3::ZERO };
    for shape in [Shape::cuboid(half).unwrap(), Shape::cylinder(0.2, 1.0).unwrap()] {
        let p = mass::of_density(&shape, &linear).unwrap();
        assert!((p.centre() - dvec3(0.0, 0.0, 1.0 / 3.0)).length() < 1e-12, "{}", p.centre());
    }
}

/// A density that jumps is not integrated to twelve digits: it is refused with the error reached, not answered wrongly.
#[test]
fn a_density_that_jumps_is_told_so() {
    let ball = Shape::sphere(1.0).unwrap();
    let jump = |x: DVec3| if x.x + 0.3 * x.y > 0.123 { 1.0 } else { 2.0 };
    assert!(mass::with_density(&ball, &jump, 2e-2).is_ok());
    let refused = mass::with_density(&ball, &jump, 1e-9);
    assert!(matches!(refused, Err(MassError::Unconverged { reached, .. }) if reached > 1e-9), "{refused:?}");
}

/// Masses at (±a, 0, 0), (0, ±b, 0), (0, 0, ±c): I = 2m (b² + c², c² + a², a² + b²).
#[test]
fn six_points_are_a_rigid_body() {
    let at = dvec3(10.0, -20.0, 30.0);
    let (a, b, c, m) = (1.0, 2.0, 3.0, 0.5);
    let arms = [DVec3::X * a, DVec3::Y * b, DVec3::Z * c];
    let points: Vec<_> = arms.iter().flat_map(|d| [(m, at + *d), (m, at - *d)]).collect();
    let p = mass::of_points(&points).unwrap();
    assert_eq!((p.mass(), p.centre()), (3.0, at));
    assert!(tensor_error(p.inertia(), diagonal(13.0, 10.0, 5.0)) < 1e-15, "{}", p.inertia());
}

/// Ten thousand kilometres from the origin the moments are still those at the origin, since none is taken about it.
#[test]
fn properties_far_from_the_origin_keep_their_digits() {
    let far = dvec3(1e6, -2e6, 3e6);
    let shapes =
        [l_shape(), hull(&[[0., 0., 0.], [1., 0., 0.25], [0., 1.5, 0.], [0.25, 0.5, 1.], [1., 1., 0.75]])];
    for shape in shapes {
        // Coordinates are multiples of 1/4 and stay exact when moved.
        let moved: Shape = match &shape {
            Shape::Mesh(m) => {
                let vertices: Vec<DVec3> = m.vertices().iter().map(|v| *v + far).collect();
                Mesh::new(&vertices, m.triangles()).unwrap().into()
            }
            Shape::Hull(h) => {
                Hull::new(&h.vertices().iter().map(|v| *v + far).collect::<Vec<_>>()).unwrap().into()
            }
            _ => unreachable!(),
        };
        let (near, distant) = (mass::of_shape(&shape, 1.0).unwrap(), mass::of_shape(&moved, 1.0).unwrap());
        let inertia = tensor_error(distant.inertia(), near.inertia());
        let centre = (distant.centre() - far - near.centre()).length();
        println!("inertia {inertia:e}, centre {centre:e}");
        // The centre itself is rounded to the grid of numbers near 3e6, 5e-10.
        assert!(inertia < 1e-14 && centre < 1e-9, "inertia {inertia:e}, centre {centre:e}");
    }
}

/// Matter is additive: a box cut by a plane is the sum of its two pieces.
#[test]
fn a_box_is_the_sum_of_its_pieces() {
    let whole = mass::of_shape(&Shape::cuboid(dvec3(1.0, 2.0, 3.0)).unwrap(), 1.7).unwrap();
    for cut in [-2.999, -1.0, 0.0, 0.1, 2.5] {
        let piece = |from: f64, to: f64| {
            let corners: Vec<[f64; 3]> = [from, to]
                .iter()
                .flat_map(|z| [[-1., -2., *z], [1., -2., *z], [-1., 2., *z], [1., 2., *z]])
                .collect();
            mass::of_shape(&hull(&corners), 1.7).unwrap()
        };
        let sum = MassProperties::sum(&[piece(-3.0, cut), piece(cut, 3.0)]).unwrap();
        assert!(error(&sum, &whole) < 4e-15, "cut at {cut}: {:e}", error(&sum, &whole));
    }
}

/// A tensor that is diagonal keeps its axes; one that is turned by less than 45° gets them back, order and all.
#[test]
fn principal_axes_of_a_box_are_its_sides() {
    let p = mass::of_shape(&Shape::cuboid(dvec3(1.0, 2.0, 3.0)).unwrap(), 1.0).unwrap();
    assert_eq!(p.principal().axes, DQuat::IDENTITY);
    assert_eq!(p.principal().moments, p.inertia().diagonal());
    let turn = DQuat::from_scaled_axis(dvec3(0.3, -0.2, 0.5));
    let turned = p.moved(&Pose { position: DVec3::X, orientation: turn });
    let principal = turned.principal();
    assert!((principal.moments - p.inertia().diagonal()).length() < 1e-12, "{}", principal.moments);
    assert!(principal.axes.angle_between(turn) < 1e-7, "{} for {turn}", principal.axes);
    let axes = DMat3::from_quat(principal.axes);
    let back = axes * DMat3::from_diagonal(principal.moments) * axes.transpose();
    assert!(tensor_error(back, turned.inertia()) < 1e-14, "{back}");
}

/// Every refusal says what is wrong, with the number, and what would be right.
#[test]
fn impossible_properties_are_refused_in_words() {
    let new =
        |mass: f64, inertia: DMat3| MassProperties::new(mass, DVec3::ZERO, inertia).unwrap_err().to_string();
    let one = DMat3::IDENTITY;
    assert_snapshot!(new(0.0, one), @"the mass is 0.0 kg; it must be more than 0 and finite: give a mass in kilograms, or fix the body");
    assert_snapshot!(new(-2.0, one), @"the mass is -2.0 kg; it must be more than 0 and finite: give a mass in kilograms, or fix the body");
    assert_snapshot!(new(f64::NAN, one), @"the mass is NaN kg; it must be more than 0 and finite: give a mass in kilograms, or fix the body");
    assert_snapshot!(new(f64::INFINITY, one), @"the mass is inf kg; it must be more than 0 and finite: give a mass in kilograms, or fix the body");
    assert_snapshot!(new(1.0, diagonal(1.0, 2.0, 3.5)), @"the principal moments of inertia are 1.0, 2.0 and 3.5 kg·m², and 1.0 + 2.0 is less than 3.5: no body has such moments; check the tensor, its products of inertia have the sign of -∫xy dm");
    assert_snapshot!(new(1.0, diagonal(0.0, 2.0, 2.0)), @"the principal moments of inertia are 0.0, 2.0 and 2.0 kg·m²; all must be more than 0: a point or a straight line of points cannot be a rigid body, give it some thickness");
    assert_snapshot!(new(1.0, diagonal(-1.0, 2.0, 2.0)), @"the principal moments of inertia are -1.0, 2.0 and 2.0 kg·m²; all must be more than 0: a point or a straight line of points cannot be a rigid body, give it some thickness");
    assert_snapshot!(new(1.0, diagonal(1.0, f64::NAN, 1.0)), @"the inertia tensor has the entry NaN in row 1, column 1; all must be finite, in kg·m²");
    assert_snapshot!(new(1.0, DMat3::from_cols(DVec3::X, dvec3(0.25, 1.0, 0.0), DVec3::Z)), @"the inertia tensor is not symmetric: row 0, column 1 is 0.25, but row 1, column 0 is 0.0; make them equal");
    // A flat plate with seven digits is on the right side of the allowance.
    assert!(MassProperties::new(1.0, DVec3::ZERO, diagonal(0.0833333, 0.0833333, 0.1666667)).is_ok());
    let centre = MassProperties::new(1.0, dvec3(0.0, f64::NAN, 0.0), one).unwrap_err();
    assert_snapshot!(centre, @"the centre of mass is [0, NaN, 0]; all its coordinates must be finite");
}

/// The same for densities, points and tolerances.
#[test]
fn impossible_matter_is_refused_in_words() {
    let ball = Shape::sphere(1.0).unwrap();
    assert_snapshot!(mass::of_shape(&ball, 0.0).unwrap_err(), @"the density is 0.0; it must be more than 0 and finite, in kg/m³ (for a disc in kg/m²)");
    assert_snapshot!(mass::of_shape(&Shape::Sphere { radius: -1.0 }, 1.0).unwrap_err(), @"the radius of the sphere is -1.0 m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(mass::of_points(&[]).unwrap_err(), @"mass properties of nothing; give at least one part or point");
    assert_snapshot!(mass::of_points(&[(1.0, DVec3::ZERO), (-1.0, DVec3::X)]).unwrap_err(), @"point mass 1 is -1.0 kg at [1, 0, 0]; the mass must be more than 0 and finite, the place finite");
    let line: Vec<_> = (0..4).map(|k| (1.0, dvec3(1.0, 2.0, 3.0) * f64::from(k))).collect();
    assert!(matches!(mass::of_points(&line), Err(MassError::Moment { .. })), "points on a line");
    assert!(matches!(mass::of_points(&line[..1]), Err(MassError::Moment { .. })), "one point");
    assert_snapshot!(mass::with_density(&ball, &|_| 1.0, 0.0).unwrap_err(), @"the tolerance is 0.0; it must be between 1e-12 and 0.1, relative to the mass");
    assert!(matches!(mass::with_density(&ball, &|_| f64::NAN, 1e-3), Err(MassError::DensityAt { .. })));
    assert!(matches!(mass::with_density(&ball, &|x| x.x, 1e-3), Err(MassError::DensityAt { .. })));
    assert!(matches!(mass::with_density(&ball, &|_| 0.0, 1e-3), Err(MassError::Mass { value: 0.0 })));
    let part = |shape| Part { shape, pose: Pose::IDENTITY };
    let mixed = Shape::compound(vec![part(ball), part(Shape::disc(1.0).unwrap())]).unwrap();
    assert_snapshot!(mass::of_shape(&mixed, 1.0).unwrap_err(), @"the compound has discs, whose density is per area, and solids, whose density is per volume; find the mass of each with its own density and add them");
    assert_snapshot!(MassProperties::sum(&[]).unwrap_err(), @"mass properties of nothing; give at least one part or point");
}

/// Sizes at the ends of the range of numbers are refused, never answered with NaN.
#[test]
fn sizes_beyond_all_numbers_are_refused() {
    for size in [1e-200, 1e-70, 1e100, 1e300] {
        for shape in [Shape::sphere(size), Shape::cuboid(DVec3::splat(size)), Shape::cone(size, 1.0)] {
            let shape = shape.unwrap();
            for p in [mass::of_shape(&shape, 1.0), mass::with_density(&shape, &|_| 1.0, 1e-3)]
                .into_iter()
                .flatten()
            {
                assert!(
                    p.mass() > 0.0 && p.inertia().is_finite() && p.principal().moments.is_finite(),
                    "{p:?}"
                );
            }
        }
    }
}

fn turn() -> impl Strategy<Value = DQuat> {
    prop::array::uniform4(-1.0..1.0_f64).prop_filter_map("too short", |q| {
        let q = DQuat::from_array(q);
        (q.length() > 0.1).then(|| q.normalize())
    })
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// The properties of a moved hull are the moved properties of the hull.
    #[test]
    fn properties_turn_and_move_with_the_body(
        points in prop::collection::vec(vector(1.0), 6..20), q in turn(), shift in vector(10.0),
    ) {
        let Ok(body) = Hull::new(&points) else { return Ok(()) };
        let pose = Pose { position: shift, orientation: q };
        let moved = Hull::new(&points.iter().map(|p| pose.point(*p)).collect::<Vec<_>>()).unwrap();
        let a = mass::of_shape(&body.into(), 1.3).unwrap().moved(&pose);
        let b = mass::of_shape(&moved.into(), 1.3).unwrap();
        // Vertices are rounded to 2e-15 and a hull of six random points is at least about 1e-2 thick.
        prop_assert!(error(&b, &a) < 1e-11, "{:e}", error(&b, &a));
    }

    /// Steiner: the moment about an axis at distance d is larger by m d²; and to a point and back changes nothing.
    #[test]
    fn parallel_axes_add_mass_times_distance_squared(half in prop::array::uniform3(0.1..2.0_f64), d in vector(5.0)) {
        let p = mass::of_shape(&Shape::cuboid(DVec3::from(half)).unwrap(), 1.0).unwrap();
        let n = d.normalize_or(DVec3::X).any_orthonormal_vector();
        let expected = n.dot(p.inertia() * n) + p.mass() * d.length_squared();
        let found = n.dot(p.inertia_about(d) * n);
        prop_assert!((found - expected).abs() < 1e-13 * expected, "{found} for {expected}");
    }

    /// Heavier by a factor is heavier by that factor throughout.
    #[test]
    fn scaling_the_mass_scales_the_inertia(radius in 0.1..3.0_f64, m in 0.1..100.0_f64) {
        let p = mass::of_shape(&Shape::sphere(radius).unwrap(), 1.0).unwrap().scaled_to_mass(m).unwrap();
        prop_assert!((p.inertia().x_axis.x / (0.4 * m * radius * radius) - 1.0).abs() < 1e-14);
        prop_assert_eq!(p.mass(), m);
    }

    /// The sum does not care in which order or in how many steps it is taken.
    #[test]
    fn sums_of_parts_are_associative(places in prop::collection::vec((vector(3.0), turn()), 3)) {
        let parts: Vec<MassProperties> = solids().iter().zip(&places)
            .map(|((_, s), (position, orientation))| {
                mass::of_shape(s, 1.0).unwrap().moved(&Pose { position: *position, orientation: *orientation })
            })
            .collect();
        let at_once = MassProperties::sum(&parts).unwrap();
        let tail = MassProperties::sum(&parts[1..]).unwrap();
        let in_steps = MassProperties::sum(&[tail, parts[0]]).unwrap();
        prop_assert!(error(&in_steps, &at_once) < 1e-14, "{:e}", error(&in_steps, &at_once));
    }
}
