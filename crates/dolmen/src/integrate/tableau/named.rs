//! The tableaux that have names.

use super::{Tableau, TableauError};

type Rows = &'static [&'static [f64]];

/// A published tableau: its name, a, b, c, order, and b̂ with its order.
struct Published(&'static str, Rows, &'static [f64], &'static [f64], u8, Option<(&'static [f64], u8)>);

impl Tableau {
    /// The names that [`Tableau::named`] knows.
    pub const NAMES: [&str; 10] = [
        "euler",
        "midpoint",
        "heun",
        "ralston",
        "kutta3",
        "rk4",
        "three_eighths",
        "bogacki_shampine",
        "fehlberg45",
        "cash_karp",
    ];

    /// The tableau with this name.
    ///
    /// # Errors
    /// When there is none; the text lists those there are.
    pub fn named(name: &str) -> Result<Self, TableauError> {
        PUBLISHED
            .iter()
            .find(|published| published.0 == name)
            .map(build)
            .ok_or_else(|| TableauError::Unknown { name: name.to_owned() })
    }

    /// Euler's method, order 1.
    pub fn euler() -> Self {
        build(&PUBLISHED[0])
    }

    /// The explicit midpoint rule, order 2.
    pub fn midpoint() -> Self {
        build(&PUBLISHED[1])
    }

    /// Heun's method (explicit trapezoid), order 2.
    pub fn heun() -> Self {
        build(&PUBLISHED[2])
    }

    /// Ralston's method, order 2 with the smallest error bound.
    pub fn ralston() -> Self {
        build(&PUBLISHED[3])
    }

    /// Kutta's method of order 3.
    pub fn kutta3() -> Self {
        build(&PUBLISHED[4])
    }

    /// The classical method of order 4.
    pub fn rk4() -> Self {
        build(&PUBLISHED[5])
    }

    /// Kutta's 3/8 rule, order 4.
    pub fn three_eighths() -> Self {
        build(&PUBLISHED[6])
    }

    /// Bogacki–Shampine 3(2).
    pub fn bogacki_shampine() -> Self {
        build(&PUBLISHED[7])
    }

    /// Fehlberg 4(5); goes on with order 4, as published.
    pub fn fehlberg45() -> Self {
        build(&PUBLISHED[8])
    }

    /// Cash–Karp 5(4); goes on with order 5.
    pub fn cash_karp() -> Self {
        build(&PUBLISHED[9])
    }
}

fn build(&Published(name, a, b, c, order, embedded): &Published) -> Tableau {
    let tableau =
        Tableau::new(name, a, b, c, order).expect("published tableaux satisfy their order conditions");
    match embedded {
        Some((b_hat, order_hat)) => {
            tableau.with_embedded(b_hat, order_hat).expect("published pairs satisfy their order conditions")
        }
        None => tableau,
    }
}

/// [HNW II.1, II.4, II.5].
static PUBLISHED: [Published; 10] = [
    Published("euler", &[&[]], &[1.0], &[0.0], 1, None),
    Published("midpoint", &[&[], &[0.5]], &[0.0, 1.0], &[0.0, 0.5], 2, None),
    Published("heun", &[&[], &[1.0]], &[0.5, 0.5], &[0.0, 1.0], 2, None),
    Published("ralston", &[&[], &[2.0 / 3.0]], &[0.25, 0.75], &[0.0, 2.0 / 3.0], 2, None),
    Published(
        "kutta3",
        &[&[], &[0.5], &[-1.0, 2.0]],
        &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0],
        &[0.0, 0.5, 1.0],
        3,
        None,
    ),
    Published(
        "rk4",
        &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
        &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        &[0.0, 0.5, 0.5, 1.0],
        4,
        None,
    ),
    Published(
        "three_eighths",
        &[&[], &[1.0 / 3.0], &[-1.0 / 3.0, 1.0], &[1.0, -1.0, 1.0]],
        &[0.125, 0.375, 0.375, 0.125],
        &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0],
        4,
        None,
    ),
    Published(
        "bogacki_shampine",
        &[&[], &[0.5], &[0.0, 0.75], &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0]],
        &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 0.0],
        &[0.0, 0.5, 0.75, 1.0],
        3,
        Some((&[7.0 / 24.0, 0.25, 1.0 / 3.0, 0.125], 2)),
    ),
    Published(
        "fehlberg45",
        &[
            &[],
            &[0.25],
            &[3.0 / 32.0, 9.0 / 32.0],
            &[1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0],
            &[439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0],
            &[-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0],
        ],
        &[25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -0.2, 0.0],
        &[0.0, 0.25, 0.375, 12.0 / 13.0, 1.0, 0.5],
        4,
        Some((&[16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0], 5)),
    ),
    Published(
        "cash_karp",
        &[
            &[],
            &[0.2],
            &[3.0 / 40.0, 9.0 / 40.0],
            &[0.3, -0.9, 1.2],
            &[-11.0 / 54.0, 2.5, -70.0 / 27.0, 35.0 / 27.0],
            &[1631.0 / 55296.0, 175.0 / 512.0, 575.0 / 13824.0, 44275.0 / 110592.0, 253.0 / 4096.0],
        ],
        &[37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0],
        &[0.0, 0.2, 0.3, 0.6, 1.0, 0.875],
        5,
        Some((&[2825.0 / 27648.0, 0.0, 18575.0 / 48384.0, 13525.0 / 55296.0, 277.0 / 14336.0, 0.25], 4)),
    ),
];
