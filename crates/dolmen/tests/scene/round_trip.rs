//! Load, save, load: nothing is lost, to the last bit.

use dolmen::scene::typed::*;
use dolmen::scene::{Document, Scene};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::{examples, pinned};

/// Saves as TOML and JSON, loads both and compares; equal text means equal bits, of −0 too.
fn survives(scene: &Scene) {
    for (name, text) in [("saved.toml", scene.to_toml()), ("saved.json", scene.to_json())] {
        match Document::parse(name, &text) {
            Ok(document) => {
                let again = document.scene();
                assert_eq!(again, scene, "{text}");
                assert_eq!(again.to_toml(), scene.to_toml());
                assert_eq!(again.to_json(), scene.to_json());
            }
            Err(errors) => panic!("{errors}\n{text}"),
        }
    }
}

/// Everything that the documentation shows.
#[test]
fn every_example_survives_saving() {
    for (_, text) in examples("toml").into_iter().chain(examples("json")) {
        survives(Document::parse("example", &text).unwrap().scene());
    }
}

/// Saved scenes are for people too: vectors on a line, sections in brackets, long lists broken up.
#[test]
fn saved_scenes_are_readable() {
    let points: Vec<String> = (0..5).map(|i| format!("[{i}.5, 1000.25, -1e-7]")).collect();
    let text = format!(
        "about = \"\"\"\nTwo\n\"lines\" \\\\ here.\"\"\"\nformat = 1\ngravity = [0, 0, -9.81]\n[[force]]\n\
         kind = \"field\"\nname = \"f\"\nuniform = [1, 2, 3]\n[[body]]\nmass = 3\n\
         shape = {{ radius = 1, kind = \"sphere\" }}\n[[body]]\nmass = 1\nshape = {{ kind = \"hull\", points = [{}] }}\n\
         [run]\nduration = 1\n",
        points.join(", ")
    );
    let document = Document::parse("example.toml", &text).unwrap();
    pinned("saved_toml", &document.scene().to_toml());
    pinned("saved_json", &document.scene().to_json());
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0_f64,
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        select(vec![0.0, -0.0, 1.0, 1e16, 1e-7, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1, 123456789.0]),
    ]
}

fn positive() -> impl Strategy<Value = f64> {
    number().prop_map(|x| if x == 0.0 { 1.0 } else { x.abs() })
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn lengths() -> impl Strategy<Value = [f64; 3]> {
    [positive(), positive(), positive()]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,30}", "[a-z\n\r\t\"\\\\ \u{0}\u{7f}é日]{0,30}", Just("\n\"\"\"\n\\".to_owned())]
}

fn orientation() -> impl Strategy<Value = Orientation> {
    let none = Orientation::default;
    prop_oneof![
        select(vec![[1.0, 0.0, 0.0, 0.0], [0.6, 0.0, -0.8, 0.0], [0.5, 0.5, -0.5, 0.5]])
            .prop_map(move |q| Orientation { quaternion: Some(q), ..none() }),
        (lengths(), number()).prop_map(move |(axis, angle)| Orientation {
            axis: Some(axis),
            angle: Some(angle),
            ..none()
        }),
        (lengths(), number()).prop_map(move |(axis, angle)| Orientation {
            axis: Some(axis),
            angle_deg: Some(angle),
            ..none()
        }),
        Just(Orientation { matrix: Some([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), ..none() }),
        (vector(), of(select(EulerOrder::ALL.to_vec()))).prop_map(move |(euler, order)| Orientation {
            euler: Some(euler),
            order,
            ..none()
        }),
    ]
}

fn simple_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        positive().prop_map(|radius| Shape::Sphere(Sphere { radius })),
        lengths().prop_map(|size| Shape::Box(BoxShape { size })),
        (positive(), positive()).prop_map(|(radius, length)| Shape::Capsule(Capsule { radius, length })),
        (positive(), positive()).prop_map(|(radius, length)| Shape::Cylinder(Cylinder { radius, length })),
        (positive(), positive()).prop_map(|(radius, height)| Shape::Cone(Cone { radius, height })),
        positive().prop_map(|radius| Shape::Disc(Disc { radius })),
        lengths().prop_map(|size| Shape::Ellipsoid(Ellipsoid { size })),
        vec(vector(), 4..20).prop_map(|points| Shape::Hull(Hull { points })),
        (vec(vector(), 4), of(positive()), of(any::<bool>())).prop_map(|(vertices, scale, flip)| {
            let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
            Shape::Mesh(Box::new(Mesh {
                vertices: Some(vertices),
                triangles: Some(triangles),
                scale,
                flip,
                path: None,
            }))
        }),
        (text(), of(positive())).prop_map(|(path, scale)| {
            Shape::Mesh(Box::new(Mesh { path: Some(format!("m{path}")), scale, ..Mesh::default() }))
        }),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let part = (simple_shape(), of(vector()), of(orientation()));
    let part = part.prop_map(|(shape, position, orientation)| Part {
        shape,
        position,
        orientation,
        density: None,
        mass: None,
    });
    prop_oneof![4 => simple_shape(), 1 => vec(part, 1..4).prop_map(|parts| Shape::Compound(Compound { parts }))]
}

fn body() -> impl Strategy<Value = Body> {
    let inertia = prop_oneof![
        select(vec![[1.0, 1.0, 1.0], [1e-30, 1.5e-30, 2e-30]]).prop_map(Inertia::Principal),
        Just(Inertia::Matrix(Box::new([[2.0, 0.1, 0.0], [0.1, 2.0, 0.0], [0.0, 0.0, 3.0]]))),
    ];
    let place = (of(vector()), of(orientation()), any::<bool>());
    let moves = (of(vector()), of(vector()), any::<bool>());
    (of(shape()), positive(), of(inertia), of(vector()), place, moves).prop_map(
        |(shape, mass, inertia, centre_of_mass, (place, orientation, centre), (velocity, spin, in_body))| {
            let (position, centre) = if centre { (None, place) } else { (place, None) };
            let (spin, spin_body) = if in_body { (None, spin) } else { (spin, None) };
            let (mass, orientation) = (Some(f64::min(mass, 1e60)), orientation.map(Box::new));
            // Within what any real thing has.
            let within =
                |vector: Option<[f64; 3]>, most: f64| vector.map(|v| v.map(|x| x.clamp(-most, most)));
            let (position, velocity) = (within(position, 1e30), within(velocity, 1e12));
            let [centre_of_mass, centre] = [centre_of_mass, centre].map(|v| within(v, 1e30));
            let (spin, spin_body) = (within(spin, 1e15), within(spin_body, 1e15));
            let body = Body { shape, mass, inertia, centre_of_mass, position, centre, ..Body::default() };
            Body { orientation, velocity, spin, spin_body, ..body }
        },
    )
}

fn light_body() -> impl Strategy<Value = Body> {
    let field = (number(), of(vector()), any::<bool>()).prop_map(|(constant, gradient, curved)| {
        let hessian = curved.then_some([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]]);
        Density::Varying(Box::new(DensityField { constant, gradient, hessian }))
    });
    let density = prop_oneof![positive().prop_map(Density::Uniform), field];
    density.prop_map(|density| Body {
        shape: Some(Shape::Sphere(Sphere { radius: 1.0 })),
        density: Some(density),
        ..Body::default()
    })
}

fn plane_body() -> impl Strategy<Value = Body> {
    let near = || [-10.0..10.0_f64, -10.0..10.0, 0.5..10.0];
    let extent = prop_oneof![
        Just(PlaneExtent::Infinite(InfinitePlane {})),
        (1e-3..1e3_f64, of(near()))
            .prop_map(|(radius, centre)| PlaneExtent::Circle(CirclePlane { radius, centre })),
        (1e-3..1e3_f64, of(near())).prop_map(|(half_side, centre)| {
            PlaneExtent::Square(SquarePlane { half_side, direction: None, centre })
        }),
    ];
    let sides = of(select(vec![PlaneSides::Front, PlaneSides::Both]));
    (near(), of(-1.0..1.0), of(near()), any::<bool>(), of(extent), sides).prop_map(
        |(normal, offset, point, by_coefficients, extent, sides)| {
            let (offset, point) = if point.is_some() { (None, point) } else { (offset, None) };
            let [a, b, c] = normal;
            let plane = if by_coefficients {
                Plane { coefficients: Some([a, b, c, 1.0]), extent, sides, ..Plane::default() }
            } else {
                Plane { normal: Some(normal), offset, point, coefficients: None, extent, sides }
            };
            Body {
                kind: Some(BodyKind::Fixed),
                shape: Some(Shape::Plane(Box::new(plane))),
                ..Body::default()
            }
        },
    )
}

fn contact() -> impl Strategy<Value = Contact> {
    let laws = vec![ImpactLaw::Propagation, ImpactLaw::Simultaneous, ImpactLaw::Reflection];
    let rules =
        vec![Combine::Minimum, Combine::Maximum, Combine::Mean, Combine::GeometricMean, Combine::Product];
    let overlaps = of(select(vec![Overlaps::Refuse, Overlaps::Report]));
    let solvers = vec![Solver::Complementarity, Solver::Cone, Solver::Sparse, Solver::Lemke];
    let rest = (of(select(solvers)), 3..=64_u32, of(any::<bool>()));
    (of(any::<bool>()), of(select(laws)), of(0.0..=1.0), of(positive()), of(select(rules)), overlaps, rest)
        .prop_map(|(enabled, law, restitution, friction, combine_friction, overlaps, rest)| Contact {
            enabled,
            law,
            restitution,
            friction,
            combine_friction,
            overlaps,
            solver: rest.0,
            lemke_sides: (rest.0 == Some(Solver::Lemke)).then_some(rest.1),
            equilibrium_shortcut: rest.2,
            ..Contact::default()
        })
}

/// Materials of the names m0, m1, …, and a pair of the first with the last.
fn materials() -> impl Strategy<Value = (Vec<Material>, Vec<MaterialPair>)> {
    let friction = of((positive(), of(0.0..=1.0)));
    vec((of(0.0..=1.0), friction), 1..5).prop_map(|all| {
        let materials: Vec<Material> = all
            .into_iter()
            .enumerate()
            .map(|(i, (restitution, friction))| Material {
                name: format!("m{i}"),
                restitution,
                static_friction: friction.map(|(sticking, _)| sticking),
                kinetic_friction: friction.and_then(|(sticking, share)| share.map(|s: f64| s * sticking)),
                ..Material::default()
            })
            .collect();
        let ends = [materials.len() - 1, 0].map(|i| materials[i].name.clone());
        let pair =
            MaterialPair { materials: ends.to_vec(), restitution: Some(0.5), ..MaterialPair::default() };
        (materials, vec![pair])
    })
}

fn driven_body() -> impl Strategy<Value = Body> {
    let motion = prop_oneof![
        (of(vector()), of(vector())).prop_map(|(velocity, spin)| Motion::Uniform(Uniform { velocity, spin })),
        (vector(), lengths(), number(), positive(), of(number())).prop_map(
            |(amplitude, axis, angle, frequency, phase)| {
                let (amplitude, axis, angle) = (Some(amplitude), Some(axis), Some(angle));
                let frequency = frequency.min(1e6);
                Motion::Oscillate(Oscillate { amplitude, axis, angle, frequency, phase })
            }
        ),
        vec((vector(), orientation()), 2..5).prop_map(|places| {
            let times = (0..places.len()).map(|i| i as f64 * 0.1).collect();
            let (positions, orientations) = places.into_iter().unzip();
            let (interpolation, blend) = (None, None);
            let (positions, orientations) = (Some(positions), Some(orientations));
            Motion::Path(Path { times, positions, orientations, interpolation, blend })
        }),
    ];
    let kind = Some(BodyKind::Kinematic);
    motion.prop_map(move |motion| Body { kind, motion: Some(Box::new(motion)), ..Body::default() })
}

#[allow(clippy::too_many_lines, reason = "one arm for each kind of force")]
fn force() -> impl Strategy<Value = Force> {
    let wave = || {
        of(prop_oneof![
            (positive(), of(number()))
                .prop_map(|(f, phase)| Wave::Sine(Sine { frequency: f.min(1e6), phase })),
            vec(number(), 1..5).prop_map(|factors| {
                Wave::Table(Table { times: (0..factors.len()).map(|i| i as f64).collect(), factors })
            }),
        ])
    };
    let frame = || of(select(vec![Frame::World, Frame::Body]));
    let bodies = || of(select(vec![vec!["b0".to_owned()], vec!["b0".to_owned(), "s".to_owned()]]));
    let per_mass = || of(any::<bool>());
    let law = prop_oneof![
        positive().prop_map(|stiffness| Law::Repulsion(Repulsion { stiffness })),
        (positive(), positive())
            .prop_map(|(depth, length)| Law::LennardJones(LennardJones { depth, length })),
    ];
    prop_oneof![
        (vector(), frame(), of(vector()), of(0.0..1.0), of(2.0..3.0), wave()).prop_map(
            |(force, frame, at, from, until, wave)| {
                Force::Push(Push { name: None, body: "b0".to_owned(), force, frame, at, from, until, wave })
            }
        ),
        (vector(), frame(), wave()).prop_map(|(torque, frame, wave)| {
            Force::Torque(Torque { body: "b0".to_owned(), torque, frame, wave, ..Torque::default() })
        }),
        (of(vector()), vector(), positive(), of(positive()), of(positive())).prop_map(
            |(at, point, stiffness, length, damping)| {
                let a = Anchor { body: Some("b0".to_owned()), at, ..Anchor::default() };
                let b = Anchor { point: Some(point), ..Anchor::default() };
                Force::Spring(Spring { name: None, a, b, stiffness: stiffness.min(1e15), length, damping })
            }
        ),
        (bodies(), positive(), of(positive()), of(vector())).prop_map(|(bodies, linear, quadratic, wind)| {
            Force::Drag(Drag { bodies, linear: Some(linear), quadratic, wind, ..Drag::default() })
        }),
        (vector(), number(), of(number()), per_mass()).prop_map(|(to, strength, exponent, per_mass)| {
            let to = Target::Point(to);
            Force::Attract(Attract {
                name: None,
                to,
                bodies: None,
                strength,
                exponent,
                per_mass,
                softening: Some(0.0),
            })
        }),
        number().prop_map(|strength| {
            let to = Target::Body("b0".to_owned());
            let bodies = Some(vec!["s".to_owned()]);
            Force::Attract(Attract {
                name: None,
                to,
                bodies,
                strength,
                exponent: None,
                per_mass: None,
                softening: None,
            })
        }),
        (bodies(), vector(), of([vector(), vector(), vector()]), per_mass()).prop_map(
            |(bodies, uniform, matrix, per_mass)| {
                let uniform = Some(uniform);
                Force::Field(Field { bodies, uniform, matrix, per_mass, ..Field::default() })
            }
        ),
        (bodies(), of(positive()), of(select(vec![NbodyMethod::Octree, NbodyMethod::Auto])), of(positive()))
            .prop_map(|(members, constant, method, opening)| {
                Force::Nbody(Nbody {
                    name: None,
                    members,
                    constant,
                    softening: None,
                    method,
                    opening: opening.map(|o: f64| o.min(1.0)),
                })
            }),
        (positive(), law, of(positive())).prop_map(|(radius, law, damping)| {
            Force::ShortRange(ShortRange {
                name: None,
                sets: Some(vec!["s".to_owned()]),
                radius,
                law,
                damping,
            })
        }),
    ]
}

fn scene() -> impl Strategy<Value = Scene> {
    let run = of((positive(), of(2_u64..1_000_000))).prop_map(|run| {
        run.map(|(duration, samples)| Run { duration: Some(duration.min(1e6)), samples, ..Run::default() })
    });
    let methods = vec![
        Method::Euler,
        Method::SemiImplicitEuler,
        Method::ThreeEighths,
        Method::Fehlberg45,
        Method::Radau5,
    ];
    let integrator = of((of(select(methods)), of(positive()), of(any::<bool>()), of(1..=i64::MAX as u64)))
        .prop_map(|some| {
            some.map(|(method, step, closed_form, max_steps)| {
                let orientation = Some(OrientationVariables::Matrix);
                let step = step.map(|step: f64| step.max(1e-6));
                Integrator { method, step, closed_form, max_steps, orientation, ..Integrator::default() }
            })
        });
    let bodies =
        vec(prop_oneof![3 => body(), 1 => light_body(), 1 => driven_body(), 1 => plane_body()], 1..5);
    let surfaces = (of(contact()), materials());
    let set = vec((vector(), vector(), positive()), 1..30);
    (of(text()), of(text()), of(vector()), run, integrator, (bodies, set, vec(force(), 0..6), surfaces))
        .prop_map(
            |(
                title,
                about,
                gravity,
                run,
                integrator,
                (mut body, set, force, (contact, (material, material_pair))),
            )| {
                for (index, body) in body.iter_mut().enumerate() {
                    body.name = Some(format!("b{index}"));
                    body.material = (index % 2 == 1).then(|| "m0".to_owned());
                    body.groups = (index > 0).then(|| vec!["a".to_owned(), format!("g{index}")]);
                    body.collides_with = (index > 1).then(|| vec!["g1".to_owned(), "a".to_owned()]);
                }
                let set = Particles {
                    name: "s".to_owned(),
                    masses: Some(set.iter().map(|(_, _, mass)| *mass).collect()),
                    positions: Some(set.iter().map(|(position, _, _)| *position).collect()),
                    velocities: Some(set.iter().map(|(_, velocity, _)| *velocity).collect()),
                    ..Particles::default()
                };
                let gravity = gravity.map(|g: [f64; 3]| g.map(|g| g.clamp(-1e12, 1e12)));
                Scene {
                    title,
                    about,
                    gravity,
                    run,
                    integrator,
                    contact,
                    material,
                    material_pair,
                    body,
                    particles: vec![set],
                    force,
                    ..Scene::default()
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any scene that passes the check.
    #[test]
    fn random_scenes_survive_saving(scene in scene()) {
        prop_assert_eq!(scene.check(), vec![]);
        survives(&scene);
    }
}
