//! A second exact algorithm, in fractions of any length: Sturm chains, common divisors and bisection, with conditions in
//! space (Gram determinants) where the engine projects to planes.

use crate::queries::{Figures, Query};
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive, Zero};

type Fraction = BigRational;
/// Coefficients, the constant first, the last not zero.
type Poly = Vec<Fraction>;
type Vector = [Poly; 3];

pub(crate) struct Exact {
    figures: Figures,
    points: [Vector; 4],
}

/// A root of `of` (simple roots only) in the interval [low, high], alone there.
#[derive(Clone)]
struct Root {
    of: Poly,
    low: Fraction,
    high: Fraction,
}

impl Exact {
    pub(crate) fn new(query: &Query) -> Self {
        let exact = |x: f64| Fraction::from_f64(x).unwrap();
        let point = |i: usize| {
            let p = query.points[i];
            [0, 1, 2].map(|k| trim(vec![exact(p.start[k]), exact(p.end[k]) - exact(p.start[k])]))
        };
        Self { figures: query.figures, points: [0, 1, 2, 3].map(point) }
    }

    /// An interval of the earliest meeting, 2⁻¹⁰⁴ wide and then rounded outwards.
    pub(crate) fn earliest(&self) -> Option<[f64; 2]> {
        let meetings = self.critical().into_iter().flat_map(|p| roots(&p)).filter(|r| self.meets_at(r));
        let narrow = |mut r: Root| {
            let width = Fraction::from_f64(f64::EPSILON * f64::EPSILON).unwrap();
            while &r.high - &r.low > width {
                r.halve();
            }
            [r.low.to_f64().unwrap().next_down(), r.high.to_f64().unwrap().next_up()]
        };
        meetings.map(narrow).min_by(|a, b| a[0].total_cmp(&b[0]))
    }

    /// Polynomials at whose roots (or at 0, of t itself) a meeting can begin.
    fn critical(&self) -> Vec<Poly> {
        let volume = dot(&cross(&self.side(0, 1), &self.side(0, 2)), &self.side(0, 3));
        if !volume.is_empty() {
            return vec![volume];
        }
        let mut all = vec![vec![Fraction::zero(), Fraction::one()]];
        for (p, q, r) in self.incidences() {
            let (u, v) = (self.side(p, q), self.side(p, r));
            let n = cross(&u, &v);
            all.extend([dot(&n, &n), dot(&u, &v), dot(&u, &u), dot(&v, &v)]);
        }
        all.extend(self.conditions());
        all
    }

    fn side(&self, from: usize, to: usize) -> Vector {
        [0, 1, 2].map(|k| subtract(&self.points[to][k], &self.points[from][k]))
    }

    fn incidences(&self) -> Vec<(usize, usize, usize)> {
        match self.figures {
            Figures::VertexFace => vec![(0, 1, 2), (0, 2, 3), (0, 3, 1)],
            Figures::EdgeEdge => vec![(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)],
        }
    }

    fn normal(&self) -> Vector {
        match self.figures {
            Figures::VertexFace => cross(&self.side(1, 2), &self.side(1, 3)),
            Figures::EdgeEdge => cross(&self.side(0, 1), &self.side(2, 3)),
        }
    }

    /// All of them are not negative where planar figures meet: n² times weights in the face, or along the edges.
    fn conditions(&self) -> Vec<Poly> {
        let n = self.normal();
        match self.figures {
            Figures::VertexFace => [(1, 2), (2, 3), (3, 1)]
                .map(|(p, q)| dot(&n, &cross(&self.side(0, p), &self.side(0, q))))
                .to_vec(),
            Figures::EdgeEdge => {
                let r = self.side(0, 2);
                let s = dot(&n, &cross(&r, &self.side(2, 3)));
                let t = dot(&n, &cross(&r, &self.side(0, 1)));
                let whole = dot(&n, &n);
                vec![subtract(&whole, &s), s, subtract(&whole, &t), t]
            }
        }
    }

    fn meets_at(&self, root: &Root) -> bool {
        let volume = dot(&cross(&self.side(0, 1), &self.side(0, 2)), &self.side(0, 3));
        if root.sign(&volume) != 0 {
            return false;
        }
        let n = self.normal();
        if root.sign(&dot(&n, &n)) != 0 {
            return self.conditions().iter().all(|c| root.sign(c) >= 0);
        }
        self.incidences().into_iter().any(|(p, q, r)| {
            let (u, v) = (self.side(p, q), self.side(p, r));
            let n = cross(&u, &v);
            root.sign(&dot(&n, &n)) == 0 && root.sign(&dot(&u, &v)) <= 0
        })
    }
}

impl Root {
    fn halve(&mut self) {
        let middle = (&self.low + &self.high) / Fraction::from_integer(2.into());
        let at_low = value(&self.of, &self.low);
        let at_middle = value(&self.of, &middle);
        if at_low.is_zero() {
            self.high = self.low.clone();
        } else if at_middle.is_zero() || (at_low * at_middle).is_negative() {
            self.high = middle;
        } else {
            self.low = middle;
        }
    }

    /// The sign of q at the root.
    fn sign(&self, q: &Poly) -> i32 {
        let common = divisor(&self.of, q);
        if q.is_empty() || common.len() > 1 && count(&common, &self.low, &self.high) > 0 {
            return 0;
        }
        let mut root = self.clone();
        let simple = quotient(q, &divisor(q, &derivative(q)));
        while root.low != root.high && count(&simple, &root.low, &root.high) > 0 {
            root.halve();
        }
        let at = value(q, &root.low);
        i32::from(at.is_positive()) - i32::from(at.is_negative())
    }
}

/// All roots in [0, 1].
fn roots(p: &Poly) -> Vec<Root> {
    if p.len() < 2 {
        return Vec::new();
    }
    let of = quotient(p, &divisor(p, &derivative(p)));
    let mut found = Vec::new();
    let mut open = vec![(Fraction::zero(), Fraction::one())];
    while let Some((low, high)) = open.pop() {
        match count(&of, &low, &high) {
            0 => {}
            1 => found.push(Root { of: of.clone(), low, high }),
            _ => {
                // A root at the cut would count twice.
                let cut = |n: i64, d: i64| &low + (&high - &low) * Fraction::new(n.into(), d.into());
                let middle = [cut(1, 2), cut(3, 7), cut(5, 9), cut(6, 13), cut(8, 17)]
                    .into_iter()
                    .find(|m| !value(&of, m).is_zero())
                    .expect("a polynomial of degree four has four roots at most");
                open.push((low, middle.clone()));
                open.push((middle, high));
            }
        }
    }
    found
}

/// Roots in the closed interval, of a polynomial without double roots there.
fn count(p: &Poly, low: &Fraction, high: &Fraction) -> usize {
    let mut chain = vec![p.clone(), derivative(p)];
    while let Some(rest) =
        chain.last().filter(|q| !q.is_empty()).map(|q| remainder(&chain[chain.len() - 2], q))
    {
        chain.push(rest.iter().map(|c| -c).collect());
    }
    let changes = |x: &Fraction| {
        let values: Vec<Fraction> = chain.iter().map(|q| value(q, x)).filter(|v| !v.is_zero()).collect();
        values.windows(2).filter(|w| w[0].is_positive() != w[1].is_positive()).count()
    };
    // Sturm counts the half-open interval (low, high].
    changes(low) - changes(high) + usize::from(value(p, low).is_zero())
}

fn value(p: &Poly, x: &Fraction) -> Fraction {
    p.iter().rev().fold(Fraction::zero(), |sum, c| sum * x + c)
}

fn trim(mut p: Poly) -> Poly {
    while p.last().is_some_and(Zero::is_zero) {
        p.pop();
    }
    p
}

fn subtract(a: &Poly, b: &Poly) -> Poly {
    let zero = Fraction::zero();
    let at = |p: &Poly, i: usize| p.get(i).unwrap_or(&zero).clone();
    trim((0..a.len().max(b.len())).map(|i| at(a, i) - at(b, i)).collect())
}

fn multiply(a: &Poly, b: &Poly) -> Poly {
    let mut product = vec![Fraction::zero(); (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    trim(product)
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    let component = |i: usize, j: usize| subtract(&multiply(&a[i], &b[j]), &multiply(&a[j], &b[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    let negative = |p: Poly| p.iter().map(|c| -c).collect::<Poly>();
    let sum = |p: Poly, q: Poly| subtract(&p, &negative(q));
    sum(sum(multiply(&a[0], &b[0]), multiply(&a[1], &b[1])), multiply(&a[2], &b[2]))
}

fn derivative(p: &Poly) -> Poly {
    (1..p.len()).map(|i| &p[i] * Fraction::from_usize(i).unwrap()).collect()
}

fn divide(a: &Poly, b: &Poly) -> (Poly, Poly) {
    let (mut quotient, mut rest) = (vec![Fraction::zero(); a.len()], a.clone());
    while rest.len() >= b.len() {
        let shift = rest.len() - b.len();
        let factor = rest.last().unwrap() / b.last().unwrap();
        let mut term = vec![Fraction::zero(); shift];
        term.push(factor.clone());
        quotient[shift] = factor;
        rest.pop();
        let mut product = multiply(&term, b);
        product.pop();
        rest = subtract(&rest, &trim(product));
    }
    (trim(quotient), rest)
}

fn remainder(a: &Poly, b: &Poly) -> Poly {
    divide(a, b).1
}

fn quotient(a: &Poly, b: &Poly) -> Poly {
    divide(a, b).0
}

/// The greatest common divisor, with leading coefficient 1.
fn divisor(a: &Poly, b: &Poly) -> Poly {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_empty() {
        (a, b) = (b.clone(), remainder(&a, &b));
    }
    let top = a.last().cloned().unwrap_or_else(Fraction::one);
    a.iter().map(|c| c / &top).collect()
}
