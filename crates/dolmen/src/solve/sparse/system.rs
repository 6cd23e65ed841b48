//! The problem scaled: unit masses, contacts with a normal diagonal of one.

use super::factor::{Block, Factors, Six, dot};
use super::pattern::Pattern;
use super::problem::{ContactProblem, Mobility};
use crate::math::Row;
use crate::math::{DMat3, DVec3};

/// No body.
pub(super) const NONE: usize = usize::MAX;

/// The three rows of a contact for one of its bodies.
pub(super) type Rows = [Six; 3];
/// What belongs to a contact: normal, two tangents.
pub(super) type Three = [f64; 3];
/// dx = −H du of a contact.
pub(super) type Response = [Three; 3];

/// Between which bodies an equation or a contact is, and where their blocks lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) a: usize,
    pub(super) b: usize,
    /// Block of (a, b), when both move, and whether it is (a, b) itself or (b, a).
    slot: usize,
    straight: bool,
}

/// With M⁻¹ = B Bᵀ and s = 1/√`W_nn`: Ĵ = s J B, u scaled by s, x = r/s, and v̂ = Ĵᵀ x; then u = Ĵ v̂ + q and W = Ĵ Ĵᵀ.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    pub(super) links: Vec<Link>,
    pub(super) rows_a: Vec<Rows>,
    pub(super) rows_b: Vec<Rows>,
    pub(super) q: Vec<Three>,
    pub(super) friction: Vec<f64>,
    /// One where the normal answers itself, else zero.
    pub(super) own: Vec<f64>,
    pub(super) scale: Vec<f64>,
    /// ρ of the tangents: one by the mean of their diagonal.
    pub(super) tangent: Vec<f64>,
    pub(super) joint_links: Vec<Link>,
    pub(super) joint_a: Vec<Six>,
    pub(super) joint_b: Vec<Six>,
    pub(super) joint_q: Vec<f64>,
    pub(super) joint_scale: Vec<f64>,
    /// The largest of |q|, by which residuals are measured.
    pub(super) size: f64,
    pub(super) bodies: usize,
    pub(super) pattern: Pattern,
    pub(super) factors: Factors,
    roots: Vec<(f64, DMat3)>,
    edges: Vec<(usize, usize)>,
    /// Whether the pattern and the slots of links are those of the edges.
    is_ordered: bool,
}

/// C with C Cᵀ = I⁻¹, lower triangular; columns of zeros where I⁻¹ has none to give.
fn root(inv_inertia: &DMat3) -> DMat3 {
    let a = |i: usize, j: usize| 0.5 * (inv_inertia.col(j)[i] + inv_inertia.col(i)[j]);
    let mut c = [[0.0; 3]; 3];
    for j in 0..3 {
        let pivot = a(j, j) - (0..j).map(|k| c[j][k] * c[j][k]).sum::<f64>();
        if pivot <= 4.0 * f64::EPSILON * a(j, j) {
            continue;
        }
        c[j][j] = pivot.sqrt();
        for i in j + 1..3 {
            c[i][j] = (a(i, j) - (0..j).map(|k| c[i][k] * c[j][k]).sum::<f64>()) / c[j][j];
        }
    }
    DMat3::from_cols_array_2d(&c).transpose()
}

/// l√(1/m), Cᵀ a: a row in the velocities of a body scaled to unit mass.
fn scaled_row((linear, angular): (DVec3, DVec3), (inv_root_mass, root): &(f64, DMat3)) -> Six {
    let (l, a) = (linear * *inv_root_mass, root.transpose() * angular);
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

impl System {
    pub(super) fn contacts(&self) -> usize {
        self.links.len()
    }

    pub(super) fn joints(&self) -> usize {
        self.joint_links.len()
    }

    /// Becomes a problem, scaled, with the pattern of its bodies.
    pub(super) fn fill(&mut self, problem: &ContactProblem) {
        self.bodies = problem.bodies.len();
        self.roots.clear();
        self.roots.extend(problem.bodies.iter().map(|b| (b.inv_mass.max(0.0).sqrt(), root(&b.inv_inertia))));
        self.find_edges(problem);
        self.is_ordered = false;
        self.clear();
        for contact in problem.contacts {
            let link = link(problem.bodies, contact.bodies);
            let rows = self.rows_of(&link, &contact.rows);
            let diagonal = |k: usize| dot(&rows[0][k], &rows[0][k]) + dot(&rows[1][k], &rows[1][k]);
            let normal = if contact.own > 0.0 { contact.own } else { diagonal(0) };
            let s = if normal > 0.0 { 1.0 / normal.sqrt() } else { 1.0 };
            let trace = (diagonal(1) + diagonal(2)) * s * s;
            self.links.push(link);
            self.rows_a.push(rows[0].map(|row| row.map(|x| x * s)));
            self.rows_b.push(rows[1].map(|row| row.map(|x| x * s)));
            self.q.push(contact.free.map(|q| q * s));
            self.friction.push(contact.friction);
            self.own.push(if contact.own > 0.0 { 1.0 } else { 0.0 });
            self.scale.push(s);
            self.tangent.push(if trace > 0.0 { 2.0 / trace } else { 1.0 });
        }
        for joint in problem.joints {
            let link = link(problem.bodies, joint.bodies);
            let [a, b] = self.rows_of(&link, &[joint.row; 3]).map(|rows| rows[0]);
            let diagonal = dot(&a, &a) + dot(&b, &b);
            let s = if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 };
            self.joint_links.push(link);
            self.joint_a.push(a.map(|x| x * s));
            self.joint_b.push(b.map(|x| x * s));
            self.joint_q.push(joint.free * s);
            self.joint_scale.push(s);
        }
        let all = self.q.iter().flatten().chain(&self.joint_q);
        self.size = all.fold(0.0, |m: f64, q| m.max(q.abs()));
    }

    fn clear(&mut self) {
        self.links.clear();
        self.rows_a.clear();
        self.rows_b.clear();
        self.q.clear();
        self.friction.clear();
        self.own.clear();
        self.scale.clear();
        self.tangent.clear();
        self.joint_links.clear();
        self.joint_a.clear();
        self.joint_b.clear();
        self.joint_q.clear();
        self.joint_scale.clear();
    }

    fn find_edges(&mut self, problem: &ContactProblem) {
        self.edges.clear();
        let pairs = problem.contacts.iter().map(|c| c.bodies).chain(problem.joints.iter().map(|j| j.bodies));
        for pair in pairs {
            let [a, b] = pair.map(|body| mobile(problem.bodies, body));
            if a != NONE && b != NONE && a != b {
                self.edges.push((a.min(b), a.max(b)));
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    /// Finds the order of elimination and the places of blocks, unless that is done: only a factorisation needs them.
    fn order(&mut self) {
        if std::mem::replace(&mut self.is_ordered, true) {
            return;
        }
        self.pattern.analyse(self.bodies, &self.edges);
        for link in self.links.iter_mut().chain(&mut self.joint_links) {
            // A body in contact with itself has no block beside the diagonal.
            if link.a != NONE && link.b != NONE && link.a != link.b {
                (link.slot, link.straight) = self.pattern.slot(link.a, link.b);
            }
        }
    }

    /// Rows for a and for b, zero where there is no body.
    fn rows_of(&self, link: &Link, rows: &[Row; 3]) -> [Rows; 2] {
        let side = |body: usize, side: usize| {
            let row = |k: usize| scaled_row(rows[k].side(side), &self.roots[body]);
            if body == NONE { [[0.0; 6]; 3] } else { [row(0), row(1), row(2)] }
        };
        if link.a == link.b && link.a != NONE {
            let (mut a, b) = (side(link.a, 0), side(link.b, 1));
            for (x, y) in a.iter_mut().flatten().zip(b.iter().flatten()) {
                *x += y;
            }
            return [a, [[0.0; 6]; 3]];
        }
        [side(link.a, 0), side(link.b, 1)]
    }

    /// v = Ĵᵀ x, over contacts and then joints.
    pub(super) fn push(&self, x: &[Three], y: &[f64], v: &mut Vec<Six>) {
        v.clear();
        v.resize(self.bodies, [0.0; 6]);
        for (i, link) in self.links.iter().enumerate() {
            for k in 0..3 {
                add(v, link.a, &self.rows_a[i][k], x[i][k]);
                add(v, link.b, &self.rows_b[i][k], x[i][k]);
            }
        }
        for (i, link) in self.joint_links.iter().enumerate() {
            add(v, link.a, &self.joint_a[i], y[i]);
            add(v, link.b, &self.joint_b[i], y[i]);
        }
    }

    /// Adds to v what a change of one component of a contact brings.
    pub(super) fn nudge(&self, i: usize, k: usize, change: f64, v: &mut [Six]) {
        add(v, self.links[i].a, &self.rows_a[i][k], change);
        add(v, self.links[i].b, &self.rows_b[i][k], change);
    }

    /// The same of a joint row.
    pub(super) fn nudge_joint(&self, i: usize, change: f64, v: &mut [Six]) {
        add(v, self.joint_links[i].a, &self.joint_a[i], change);
        add(v, self.joint_links[i].b, &self.joint_b[i], change);
    }

    /// Adds to v the size of what one component of a contact brings.
    pub(super) fn nudge_size(&self, i: usize, k: usize, x: f64, v: &mut [Six]) {
        add(v, self.links[i].a, &self.rows_a[i][k].map(f64::abs), x.abs());
        add(v, self.links[i].b, &self.rows_b[i][k].map(f64::abs), x.abs());
    }

    /// The same of a joint row.
    pub(super) fn nudge_joint_size(&self, i: usize, x: f64, v: &mut [Six]) {
        add(v, self.joint_links[i].a, &self.joint_a[i].map(f64::abs), x.abs());
        add(v, self.joint_links[i].b, &self.joint_b[i].map(f64::abs), x.abs());
    }

    /// The size of the terms in the largest rate of a contact.
    pub(super) fn rate_size(&self, i: usize, v: &[Six]) -> f64 {
        let (link, mut largest) = (&self.links[i], 0.0_f64);
        for k in 0..3 {
            let (a, b) = (self.rows_a[i][k].map(f64::abs), self.rows_b[i][k].map(f64::abs));
            largest = largest.max(rate(v, link.a, &a) + rate(v, link.b, &b));
        }
        largest
    }

    /// Ĵ v of a contact.
    pub(super) fn rates(&self, i: usize, v: &[Six]) -> Three {
        let (link, mut u) = (&self.links[i], [0.0; 3]);
        for k in 0..3 {
            u[k] = rate(v, link.a, &self.rows_a[i][k]) + rate(v, link.b, &self.rows_b[i][k]);
        }
        u
    }

    /// The entry of W of two components of one contact.
    pub(super) fn own_entry(&self, i: usize, r: usize, c: usize) -> f64 {
        dot(&self.rows_a[i][r], &self.rows_a[i][c]) + dot(&self.rows_b[i][r], &self.rows_b[i][c])
    }

    /// Ĵ v of a joint row.
    pub(super) fn joint_rate(&self, i: usize, v: &[Six]) -> f64 {
        let link = &self.joint_links[i];
        rate(v, link.a, &self.joint_a[i]) + rate(v, link.b, &self.joint_b[i])
    }

    /// Factors `diagonal` 1 + Ĵᵀ H Ĵ with H of each contact and of each joint row.
    pub(super) fn factor(&mut self, responses: &[Response], joints: &[f64], diagonal: f64, symmetric: bool) {
        self.order();
        self.factors.reset(&self.pattern, symmetric);
        for block in &mut self.factors.diagonal {
            for i in 0..6 {
                block[i][i] = diagonal;
            }
        }
        for (i, h) in responses.iter().enumerate() {
            let link = self.links[i];
            if is_normal_only(h) {
                let (a, b) = (self.rows_a[i][0], self.rows_b[i][0]);
                if h[0][0] != 0.0 {
                    self.add_rank_one(&link, (&a, &b), h[0][0]);
                }
            } else {
                self.add_response(&link, i, h);
            }
        }
        for (i, &h) in joints.iter().enumerate() {
            let (link, a, b) = (self.joint_links[i], self.joint_a[i], self.joint_b[i]);
            self.add_rank_one(&link, (&a, &b), h);
        }
        self.factors.factor(&self.pattern);
    }

    /// Adds h (a b)ᵀ(a b).
    fn add_rank_one(&mut self, link: &Link, (a, b): (&Six, &Six), h: f64) {
        let add = |block: &mut Block, left: &Six, right: &Six| {
            for i in 0..6 {
                let factor = h * left[i];
                for j in 0..6 {
                    block[i][j] += factor * right[j];
                }
            }
        };
        if link.a != NONE {
            add(&mut self.factors.diagonal[self.pattern.place[link.a]], a, a);
        }
        if link.b != NONE {
            add(&mut self.factors.diagonal[self.pattern.place[link.b]], b, b);
        }
        if link.slot != NONE {
            let (first, second) = if link.straight { (a, b) } else { (b, a) };
            add(&mut self.factors.lower[link.slot], first, second);
            if !self.factors.upper.is_empty() {
                add(&mut self.factors.upper[link.slot], second, first);
            }
        }
    }

    /// Adds (A B)ᵀ H (A B) of contact i.
    fn add_response(&mut self, link: &Link, i: usize, h: &Response) {
        let (a, b) = (&self.rows_a[i], &self.rows_b[i]);
        let (ha, hb) = (times(h, a), times(h, b));
        if link.a != NONE {
            add_product(&mut self.factors.diagonal[self.pattern.place[link.a]], a, &ha);
        }
        if link.b != NONE {
            add_product(&mut self.factors.diagonal[self.pattern.place[link.b]], b, &hb);
        }
        if link.slot != NONE {
            let (first, h_first, second, h_second) =
                if link.straight { (a, &ha, b, &hb) } else { (b, &hb, a, &ha) };
            add_product(&mut self.factors.lower[link.slot], first, h_second);
            if !self.factors.upper.is_empty() {
                add_product(&mut self.factors.upper[link.slot], second, h_first);
            }
        }
    }

    /// Solves with what was factored, in place.
    pub(super) fn solve(&self, v: &mut [Six]) {
        self.factors.solve(&self.pattern, v);
    }
}

/// The link of a pair, its block yet to be found.
fn link(bodies: &[Mobility], pair: [Option<usize>; 2]) -> Link {
    let [a, b] = pair.map(|body| mobile(bodies, body));
    Link { a, b, slot: NONE, straight: true }
}

/// The place of a body that moves.
fn mobile(bodies: &[Mobility], body: Option<usize>) -> usize {
    body.filter(|&i| bodies[i].inv_mass > 0.0 || bodies[i].inv_inertia != DMat3::ZERO).unwrap_or(NONE)
}

fn add(v: &mut [Six], body: usize, row: &Six, x: f64) {
    if body != NONE {
        for (v, r) in v[body].iter_mut().zip(row) {
            *v += r * x;
        }
    }
}

fn rate(v: &[Six], body: usize, row: &Six) -> f64 {
    if body == NONE { 0.0 } else { dot(row, &v[body]) }
}

fn is_normal_only(h: &Response) -> bool {
    h[0][1] == 0.0 && h[0][2] == 0.0 && h[1] == [0.0; 3] && h[2] == [0.0; 3]
}

/// H A.
fn times(h: &Response, a: &Rows) -> Rows {
    let mut product = [[0.0; 6]; 3];
    for i in 0..3 {
        for k in 0..3 {
            for j in 0..6 {
                product[i][j] += h[i][k] * a[k][j];
            }
        }
    }
    product
}

/// C += Aᵀ B.
fn add_product(c: &mut Block, a: &Rows, b: &Rows) {
    for k in 0..3 {
        for i in 0..6 {
            for j in 0..6 {
                c[i][j] += a[k][i] * b[k][j];
            }
        }
    }
}
