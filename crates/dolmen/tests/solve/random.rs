//! Random problems: few bodies, contacts anywhere between them, loads of any kind.

use crate::structures::Structure;
use dolmen::math::{DVec3, dvec3};

/// Numbers in [−1, 1), the same on every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        dvec3(self.next(), self.next(), self.next())
    }

    /// A whole number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((0.5 * (self.next() + 1.0)) * end as f64) as usize % end
    }
}

/// Up to four bodies of mass 0.1 … 10 and `contacts` contacts, the first body's with the ground; every third repeats the
/// one before it in place and direction, so that W is singular.
pub(crate) fn structure(numbers: &mut Numbers, contacts: usize, friction: f64) -> Structure {
    let mut s = Structure::default();
    let bodies = 1 + numbers.below(4);
    for _ in 0..bodies {
        let mass = dolmen::math::real::exp(2.3 * numbers.next());
        let centre = 2.0 * numbers.vector();
        let i = s.brick(centre, dvec3(0.5, 0.3, 0.2), mass);
        s.accelerations[i] = 3.0 * numbers.vector();
    }
    let mut last = None;
    for k in 0..contacts {
        if k % 3 == 2
            && let Some((pair, point, normal)) = last
        {
            s.touch(pair, point, normal, friction);
            continue;
        }
        let a = numbers.below(bodies);
        let b = numbers.below(bodies + 1);
        let other = if b == bodies || b == a { None } else { Some(b) };
        let point = s.centres[a] + 0.5 * numbers.vector();
        let normal = (numbers.vector() + dvec3(0.0, 0.0, 0.3)).normalize();
        let pair = [Some(a), other];
        s.touch(pair, point, normal, friction);
        last = Some((pair, point, normal));
    }
    s
}
