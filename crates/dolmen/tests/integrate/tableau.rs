//! Tableaux: those with names, and those refused.

use dolmen::integrate::{Integrator, Method, Settings, SettingsError, Step, Tableau, TableauError};

/// Σ bᵢ cᵢ^(q−1) = 1/q up to the order: quadrature, for every published row of weights.
#[test]
fn published_tableaux_integrate_powers() {
    for name in Tableau::NAMES {
        let tableau = Tableau::named(name).unwrap();
        let rows = [(Some(tableau.b()), tableau.order()), (tableau.b_hat(), tableau.order_hat())];
        for (weights, order) in rows.into_iter().filter_map(|(w, order)| w.map(|w| (w, order))) {
            for q in 1..=u32::from(order) {
                let power = |c: f64| dolmen::math::real::powi(c, q - 1);
                let sum: f64 = weights.iter().zip(tableau.c()).map(|(b, c)| b * power(*c)).sum();
                assert!((sum - 1.0 / f64::from(q)).abs() < 1e-14, "{name}: order {order}, q = {q}: {sum}");
            }
        }
        assert_eq!(tableau.first_same_as_last(), name == "bogacki_shampine", "{name}");
    }
    let text = Tableau::named("rk5").unwrap_err().to_string();
    assert!(text.contains("rk5") && text.contains("rk4"), "{text}");
}

/// Each refusal names what failed and by how much.
#[test]
fn wrong_tableaux_are_refused_by_name() {
    let rk4: [&[f64]; 4] = [&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]];
    let (b, c) = ([1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0], [0.0, 0.5, 0.5, 1.0]);
    assert!(Tableau::new("mine", &rk4, &b, &c, 4).is_ok());
    let condition = |result: Result<Tableau, TableauError>| match result {
        Err(TableauError::Condition { condition, value, expected, .. }) => (condition, value, expected),
        other => panic!("{other:?}"),
    };
    let (text, value, _) = condition(Tableau::new("mine", &rk4, &[0.25, 0.25, 0.25, 0.2], &c, 1));
    assert!(text == "Σ b_i" && (value - 0.95).abs() < 1e-15, "{text} = {value}");
    let (text, _, expected) = condition(Tableau::new("mine", &rk4, &b, &[0.0, 0.5, 0.4, 1.0], 4));
    assert!(text.contains("row 2") && expected == 0.4, "{text}");
    let (text, ..) = condition(Tableau::new("mine", &rk4, &[0.25; 4], &c, 3));
    assert_eq!(text, "Σ b_i c_i^2");
    // Quadrature of order 4 is not enough: the nested conditions count too.
    let detour: [&[f64]; 4] = [&[], &[0.5], &[0.5, 0.0], &[1.0, 0.0, 0.0]];
    let (text, ..) = condition(Tableau::new("mine", &detour, &b, &c, 4));
    assert_eq!(text, "Σ b_i a_ij c_j");
    let truncated = [0.1667, 0.3333, 0.3333, 0.1667];
    assert!(Tableau::new("mine", &rk4, &truncated, &c, 4).is_err());
    assert!(Tableau::new("mine", &rk4, &b, &c, 4).unwrap().with_embedded(&[0.5, 0.5, 0.0, 0.0], 2).is_err());
    assert!(Tableau::new("mine", &rk4, &b, &c, 4).unwrap().with_embedded(&b, 4).is_err());
    assert!(matches!(
        Tableau::new("mine", &[&[0.5]], &[1.0], &[0.5], 1),
        Err(TableauError::Implicit { row: 0, column: 0, .. })
    ));
    assert!(matches!(Tableau::new("mine", &[], &[], &[], 1), Err(TableauError::Shape { .. })));
    assert!(matches!(
        Tableau::new("mine", &[&[], &[]], &[1.0, 0.0], &[0.0; 2], 1),
        Err(TableauError::Shape { .. })
    ));
    assert!(matches!(Tableau::new("mine", &rk4, &b, &[0.0; 3], 4), Err(TableauError::Shape { .. })));
    assert!(matches!(Tableau::new("mine", &rk4, &b, &c, 5), Err(TableauError::Order { .. })));
    assert!(matches!(
        Tableau::new("mine", &[&[]], &[f64::NAN], &[0.0], 1),
        Err(TableauError::NotFinite { what: "b", .. })
    ));
}

/// Every number of the settings has its range.
#[test]
fn settings_out_of_range_are_refused() {
    let good = Settings::default();
    assert_eq!(good.check(), Ok(()));
    let bad = [
        Settings { relative: 1e-16, ..good.clone() },
        Settings { relative: f64::NAN, ..good.clone() },
        Settings { relative: 0.2, ..good.clone() },
        Settings { absolute: -1.0, ..good.clone() },
        Settings { absolute: f64::INFINITY, ..good.clone() },
        Settings { step: Step::Fixed(0.0), ..good.clone() },
        Settings { step: Step::Fixed(f64::NAN), ..good.clone() },
        Settings { step: Step::Adaptive { first: Some(-1.0), largest: None }, ..good.clone() },
        Settings { step: Step::Adaptive { first: None, largest: Some(f64::INFINITY) }, ..good.clone() },
        Settings { max_steps: 0, ..good.clone() },
        Settings { method: Method::Adams { order: Some(0) }, ..good.clone() },
        Settings { method: Method::Adams { order: Some(13) }, ..good.clone() },
    ];
    for settings in bad {
        let error = Integrator::new(settings.clone(), 1).unwrap_err();
        println!("{error}");
        assert_eq!(settings.check().unwrap_err().to_string(), error.to_string());
    }
    assert!(matches!(Integrator::new(good, 0), Err(SettingsError::Empty)));
    for name in Method::NAMES.iter().chain(&Tableau::NAMES) {
        assert_eq!(Method::named(name).unwrap().name(), *name);
    }
    assert!(Method::named("gear").unwrap_err().to_string().contains("radau5"));
}
