//! Torque-free rotation in closed form, for every inertia and any duration. [Whittaker 1937, §69; Jacobi 1850]
//!
//! In the body the angular momentum L runs along the intersection of the sphere |L| = const with the ellipsoid of
//! constant energy: Jacobi's elliptic functions of time. In the world L stands still, so that the orientation is known
//! but for one angle χ about L, an elliptic integral of the third kind.
//!
//! Symbols. Axes 1, 2, 3 are principal, with moments I₁, I₂, I₃ in monotone order (rising or falling) so that L circles
//! axis 3 and L₃ > 0. With eₖ = L² − 2T Iₖ, b² = I₁e₃/(I₁−I₃), c² = I₂e₃/(I₂−I₃), a² = I₃e₁/(I₃−I₁),
//! λ² = e₁(I₃−I₂)/(I₁I₂I₃) and m′ = −(I₁−I₃)e₂/(e₁(I₃−I₂)):
//!
//! L₁ = b cn u,  L₂ = σ c sn u,  L₃ = a dn u,  u = u₀ + λt,  σ = sign(I₃−I₂).
//!
//! The orientation is `Q_L` · Rz(χ) · S, where S is the shortest rotation that takes L to the z axis and `Q_L` takes z to
//! L in the world. From ω = I⁻¹L one finds χ̇ = L/I₃ − (e₃/I₃)/(L + L₃): no singularity, since L₃ > 0. So
//!
//! χ = (L/I₃) t − (I₁−I₃)/(I₁I₃λ) · ΔG,  G(u) = ∫ b² du / (L + a dn u),
//!
//! an elliptic integral of the third kind. Its textbook form, a difference of two large terms, loses up to ten digits for
//! nearly symmetric bodies. With ν = b²/a², N = k²/ν, s = sin am u, c = cos am u, d = dn u and Carlson's `R_J` there are
//! two forms without cancellation [by DLMF 19.21.12], each for one half of the cases:
//!
//! b ≤ a:  G = a/√(1+N) · (atan(rT) − atan T) + L ν s³/3 · `R_J`(c², d², 1, 1+νs²),  T = √(1+N) s/c,  r = √(1+ν)/d;
//!
//! b > a:  G = (b²/L) u − a/L · [ L/√(1+N) · atan T − a D ],  D = u − (N+k²)/3 · s³ `R_J`(c², d², 1, 1+Ns²);
//!
//! and on the separatrix, d = c:  G = (b²/L) u − (2ab/L) · atan(b/(L+a) · tanh(u/2)).
//!
//! All eₖ are sums of terms of one sign but e₂, whose sign says on which side of the separatrix the motion is: it is
//! formed in double-double from the given state, and so are the body components of L.

use crate::body::Inertia;
use crate::math::double::Double;
use crate::math::elliptic::{self, Jacobi};
use crate::math::real::{PI, atan2, sin_cos, tanh};
use crate::math::{DMat3, DQuat, DVec3, dvec3};
use serde::{Deserialize, Serialize};

/// The rotation of a body on which no torque acts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TorqueFree {
    start: DQuat,
    kind: Kind,
    spin_bound: f64,
    spin_rate_bound: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    /// L is parallel to ω: both stand still.
    Steady { spin: DVec3 },
    /// Two equal moments: the axis precesses about L while the body rolls about the axis, both evenly.
    Symmetric { axis_body: DVec3, precession: DVec3, roll: f64 },
    /// Three different moments.
    Asymmetric(Box<Elliptic>),
}

impl TorqueFree {
    /// From orientation (body to world, need not be exactly normalised) and angular momentum (world).
    pub fn new(inertia: &Inertia, orientation: DQuat, angular_momentum: DVec3) -> Self {
        let start = orientation.normalize();
        // Balls, which are many, need none of what follows.
        if inertia.moments == DVec3::splat(inertia.moments.x) {
            let spin = inertia.spin(&DMat3::from_quat(start), angular_momentum);
            let spin_bound = angular_momentum.length() / inertia.moments.x;
            return Self { start, kind: Kind::Steady { spin }, spin_bound, spin_rate_bound: 0.0 };
        }
        let momentum = to_principal(inertia.axes, orientation, angular_momentum);
        let [l1, l2, l3] = momentum.map(Double::value);
        let m = inertia.moments;
        let steady_axes = [l1, l2, l3].iter().filter(|l| **l != 0.0).count() <= 1;
        let axis_of_symmetry = (0..3).find(|&axis| m[(axis + 1) % 3] == m[(axis + 2) % 3]);
        let kind = match axis_of_symmetry {
            _ if steady_axes => {
                Kind::Steady { spin: inertia.spin(&DMat3::from_quat(start), angular_momentum) }
            }
            Some(axis) => symmetric(inertia, axis, momentum[axis].value(), angular_momentum),
            None => Kind::Asymmetric(Box::new(Elliptic::new(inertia, start, momentum))),
        };
        let (spin_bound, spin_rate_bound) = match &kind {
            Kind::Asymmetric(e) => e.bounds(),
            _ => bounds_symmetric(inertia, [l1, l2, l3]),
        };
        Self { start, kind, spin_bound, spin_rate_bound }
    }

    /// Orientation a time `dt` after the start (before it, if negative); exactly the start for zero.
    pub fn orientation(&self, dt: f64) -> DQuat {
        if dt == 0.0 {
            return self.start;
        }
        let turned = match &self.kind {
            Kind::Steady { spin } => turn(*spin, dt) * self.start,
            Kind::Symmetric { axis_body, precession, roll } => {
                turn(*precession, dt) * self.start * turn(*axis_body * *roll, dt)
            }
            Kind::Asymmetric(e) => e.orientation(dt),
        };
        turned.normalize()
    }

    /// Largest |ω| at any time.
    pub fn spin_bound(&self) -> f64 {
        self.spin_bound
    }

    /// Largest |ω̇| at any time.
    pub fn spin_rate_bound(&self) -> f64 {
        self.spin_rate_bound
    }
}

/// The rotation by the vector `spin`·`dt`.
fn turn(spin: DVec3, dt: f64) -> DQuat {
    let rate = spin.length();
    if rate == 0.0 {
        return DQuat::IDENTITY;
    }
    let (s, c) = sin_cos(0.5 * rate * dt);
    let v = spin * (s / rate);
    DQuat::from_xyzw(v.x, v.y, v.z, c)
}

/// R(t) = Rot(L, t/I⊥) R(0) Rot(axis, Ωt), with Ω = `L_axis` (1/`I_axis` − 1/I⊥): ω = L/I⊥ + Ω·axis is both rates' sum.
fn symmetric(inertia: &Inertia, axis: usize, l_axis: f64, angular_momentum: DVec3) -> Kind {
    let m = inertia.moments;
    let (along, across) = (m[axis], m[(axis + 1) % 3]);
    Kind::Symmetric {
        axis_body: inertia.axes * DVec3::AXES[axis],
        precession: angular_momentum / across,
        roll: l_axis * (across - along) / (across * along),
    }
}

/// |ω| is constant when two moments are equal; |ω̇| = |I⁻¹(L×ω)| is, too.
fn bounds_symmetric(inertia: &Inertia, l: [f64; 3]) -> (f64, f64) {
    let l = DVec3::from_array(l);
    let spin = l / inertia.moments;
    (spin.length(), (l.cross(spin) / inertia.moments).length())
}

/// The angular momentum in principal axes, R(q)ᵀ L, in double-double: near the separatrix an error of one ulp here is an
/// error of one ulp in m′, which may be as small.
fn to_principal(axes: DQuat, orientation: DQuat, angular_momentum: DVec3) -> [Double; 3] {
    let quaternion = |q: DQuat| [q.w, q.x, q.y, q.z].map(Double::from);
    let q = product(quaternion(orientation), quaternion(axes));
    let norm2 = q.iter().fold(Double::ZERO, |sum, c| sum + *c * *c);
    let conjugate = [q[0], -q[1], -q[2], -q[3]];
    let l = [0.0, angular_momentum.x, angular_momentum.y, angular_momentum.z].map(Double::from);
    let turned = product(product(conjugate, l), q);
    [turned[1] / norm2, turned[2] / norm2, turned[3] / norm2]
}

/// The quaternion product, components w, x, y, z.
fn product(p: [Double; 4], q: [Double; 4]) -> [Double; 4] {
    [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]
}

/// The constants of the general case; see the head of this file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Elliptic {
    /// `Q_L`: takes the z axis to L in the world, at χ = 0.
    to_world: DQuat,
    /// Takes the body's frame to axes 1, 2, 3.
    from_body: DQuat,
    moments: [f64; 3],
    /// |L|
    length: f64,
    /// b, σc, a
    amplitude: [f64; 3],
    lambda: f64,
    m_prime: f64,
    /// 2K
    half_period: f64,
    u0: f64,
    /// ν and N
    nu: f64,
    big_n: f64,
    /// (I₁−I₃)/(I₁I₃λ)
    factor: f64,
    /// The part of G that is proportional to u, kept apart so that u₀ does not enter it.
    linear: f64,
    /// The rest of G at u₀, and its growth over 2K.
    rest0: f64,
    rest_half_period: f64,
}

impl Elliptic {
    fn new(inertia: &Inertia, start: DQuat, momentum: [Double; 3]) -> Self {
        let order = circling_order(inertia.moments, momentum);
        let signs = proper_signs(order, momentum[order[2]].value());
        let [i1, i2, i3] = order.map(|k| inertia.moments[k]);
        let l = [0, 1, 2].map(|k| momentum[order[k]] * signs[k].into());
        let [l1, l2, l3] = l.map(Double::value);

        let e1 = l2 * l2 * (i2 - i1) / i2 + l3 * l3 * (i3 - i1) / i3;
        let e3 = l1 * l1 * (i1 - i3) / i1 + l2 * l2 * (i2 - i3) / i2;
        let e2 = middle_excess([i1, i2, i3], l);
        let b = (i1 * e3 / (i1 - i3)).sqrt();
        let c = (i2 * e3 / (i2 - i3)).sqrt();
        let a = (i3 * e1 / (i3 - i1)).sqrt();
        let sigma = if i3 > i2 { 1.0 } else { -1.0 };
        let lambda = (e1 * (i3 - i2) / (i1 * i2 * i3)).sqrt();
        let m_prime = (-(i1 - i3) * e2 / (e1 * (i3 - i2))).clamp(0.0, 1.0);

        let axes = DMat3::from_cols(
            DVec3::AXES[order[0]] * signs[0],
            DVec3::AXES[order[1]] * signs[1],
            DVec3::AXES[order[2]] * signs[2],
        );
        let from_body = (inertia.axes * DQuat::from_mat3(&axes)).normalize().conjugate();
        let l_123 = dvec3(l1, l2, l3);
        let mut motion = Self {
            to_world: (start * from_body.conjugate() * swing(l_123).conjugate()).normalize(),
            from_body,
            moments: [i1, i2, i3],
            length: l_123.length(),
            amplitude: [b, sigma * c, a],
            lambda,
            m_prime,
            half_period: 2.0 * elliptic::quarter_period(m_prime),
            u0: 0.0,
            nu: (b / a) * (b / a),
            big_n: i3 * (i1 - i2) / (i1 * (i2 - i3)),
            factor: (i1 - i3) / (i1 * i3 * lambda),
            linear: if m_prime > 0.0 && b <= a { 0.0 } else { b * b / l_123.length() },
            rest0: 0.0,
            rest_half_period: 0.0,
        };
        motion.set_phase(l1, l2);
        motion.set_half_period();
        motion.rest0 = motion.phase(motion.u0).1;
        motion
    }

    /// The phase u₀ from cn u₀ = L₁/b, sn u₀ = L₂/(σc).
    fn set_phase(&mut self, l1: f64, l2: f64) {
        let [b, c, _] = self.amplitude;
        let (cn, sn) = if b == 0.0 { (1.0, 0.0) } else { (l1 / b, l2 / c) };
        let norm = (cn * cn + sn * sn).sqrt();
        let (cn, sn) = (cn / norm, sn / norm);
        // am u₀ lies in (−π, π]; F is given for |φ| ≤ π/2, the rest is one half period away.
        let (folded_sn, folded_cn) = if cn < 0.0 { (-sn, -cn) } else { (sn, cn) };
        let u_folded = if self.m_prime == 0.0 {
            elliptic::first_kind_separatrix(folded_sn, folded_cn)
        } else {
            elliptic::first_kind(folded_sn, folded_cn, self.m_prime)
        };
        if cn < 0.0 && self.m_prime == 0.0 {
            // On the separatrix L₁ keeps its sign: the other branch is the mirror image of this one, in which L₁ and
            // L₂ are both reversed.
            self.amplitude[0] = -self.amplitude[0];
            self.amplitude[1] = -self.amplitude[1];
        }
        self.u0 = if cn < 0.0 && self.m_prime > 0.0 { u_folded + self.half_period } else { u_folded };
    }

    /// How much G without its linear part grows over 2K: twice its value at s = 1, c = 0.
    fn set_half_period(&mut self) {
        let [b, _, a] = self.amplitude;
        if self.m_prime == 0.0 {
            self.rest_half_period = 0.0;
        } else if b <= a {
            let rj = elliptic::carlson_rj(0.0, self.m_prime, 1.0, 1.0 + self.nu);
            self.rest_half_period = 2.0 / 3.0 * self.length * self.nu * rj;
        } else {
            let rj = elliptic::carlson_rj(0.0, self.m_prime, 1.0, 1.0 + self.big_n);
            let d = self.half_period - 2.0 / 3.0 * (self.big_n + 1.0 - self.m_prime) * rj;
            self.rest_half_period = -a * PI / (1.0 + self.big_n).sqrt() + a * a / self.length * d;
        }
    }

    /// Jacobi's functions at `u`, and there G without its linear part.
    fn phase(&self, u: f64) -> (Jacobi, f64) {
        if self.m_prime == 0.0 {
            return (elliptic::jacobi(u, 0.0), self.rest_separatrix(u));
        }
        let halves = (u / self.half_period).round();
        let u_folded = u - halves * self.half_period;
        let mut j = elliptic::jacobi(u_folded, self.m_prime);
        let [b, _, a] = self.amplitude;
        let folded = if b <= a { self.rest_near_axis(&j) } else { self.rest_far_from_axis(&j, u_folded) };
        // sn and cn change sign with every half period, dn does not.
        if halves % 2.0 != 0.0 {
            (j.sn, j.cn) = (-j.sn, -j.cn);
        }
        (j, folded + halves * self.rest_half_period)
    }

    /// The form for b ≤ a. atan(rT) − atan(T) = atan((r−1)T/(1+rT²)), with r − 1 = (ν + k²s²)/(d(√(1+ν) + d)).
    fn rest_near_axis(&self, j: &Jacobi) -> f64 {
        let (s2, c2, root) = (j.sn * j.sn, j.cn * j.cn, (1.0 + self.big_n).sqrt());
        let root_nu = (1.0 + self.nu).sqrt();
        let excess = (self.nu + (1.0 - self.m_prime) * s2) / (j.dn * (root_nu + j.dn));
        let angle = atan2(excess * root * j.sn * j.cn, c2 + root_nu / j.dn * (1.0 + self.big_n) * s2);
        let rj = elliptic::carlson_rj(c2, j.dn * j.dn, 1.0, 1.0 + self.nu * s2);
        self.amplitude[2] / root * angle + self.length * self.nu * j.sn * s2 / 3.0 * rj
    }

    /// The form for b > a.
    fn rest_far_from_axis(&self, j: &Jacobi, u: f64) -> f64 {
        let (s2, c2, root) = (j.sn * j.sn, j.cn * j.cn, (1.0 + self.big_n).sqrt());
        let a = self.amplitude[2];
        let rj = elliptic::carlson_rj(c2, j.dn * j.dn, 1.0, 1.0 + self.big_n * s2);
        let d = u - (self.big_n + 1.0 - self.m_prime) * j.sn * s2 / 3.0 * rj;
        -a / root * atan2(root * j.sn, j.cn) + a * a / self.length * d
    }

    /// The form for m′ = 0.
    fn rest_separatrix(&self, u: f64) -> f64 {
        let (b, a) = (self.amplitude[0].abs(), self.amplitude[2]);
        -2.0 * a * b / self.length * atan2(b * tanh(0.5 * u), self.length + a)
    }

    fn orientation(&self, dt: f64) -> DQuat {
        let (j, rest) = self.phase(self.u0 + self.lambda * dt);
        let gain = self.linear * (self.lambda * dt) + (rest - self.rest0);
        let chi = self.length / self.moments[2] * dt - self.factor * gain;
        let (s, c) = sin_cos(0.5 * chi);
        let l_123 = dvec3(self.amplitude[0] * j.cn, self.amplitude[1] * j.sn, self.amplitude[2] * j.dn);
        self.to_world * DQuat::from_xyzw(0.0, 0.0, s, c) * swing(l_123) * self.from_body
    }

    /// ω² is linear in sn²u, so that its extremes are at sn = 0 and sn² = 1; ω̇ₖ is bounded by its amplitudes.
    fn bounds(&self) -> (f64, f64) {
        let [i1, i2, i3] = self.moments;
        let w1 = (self.amplitude[0] / i1).abs();
        let w2 = (self.amplitude[1] / i2).abs();
        let w3 = (self.amplitude[2] / i3).abs();
        let spin2 = (w1 * w1 + w3 * w3).max(w2 * w2 + self.m_prime * w3 * w3);
        let rate = dvec3(
            (i2 - i3).abs() / i1 * w2 * w3,
            (i3 - i1).abs() / i2 * w3 * w1,
            (i1 - i2).abs() / i3 * w1 * w2,
        );
        (spin2.sqrt(), rate.length())
    }
}

/// e₂ = L² − 2T I₂ = L₁²(I₁−I₂)/I₁ + L₃²(I₃−I₂)/I₃: the two terms have opposite signs.
fn middle_excess(moments: [f64; 3], l: [Double; 3]) -> f64 {
    let [i1, i2, i3] = moments.map(Double::from);
    (l[0] * l[0] * (i1 - i2) / i1 + l[2] * l[2] * (i3 - i2) / i3).value()
}

/// Which principal axes are 1, 2, 3: the middle moment is 2, and L circles 3: the largest moment if L² > 2T I₂, else the
/// smallest. Moments come in any order and differ.
fn circling_order(moments: DVec3, momentum: [Double; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| moments[i].total_cmp(&moments[j]));
    let excess = middle_excess(order.map(|k| moments[k]), order.map(|k| momentum[k]));
    // On the separatrix itself either will do: neither L₁ nor L₃ is zero there, or both are and the rotation is steady.
    if excess <= 0.0 {
        order.reverse();
    }
    order
}

/// Signs that make L₃ positive and the axes right-handed.
fn proper_signs(order: [usize; 3], l3: f64) -> [f64; 3] {
    let even = (order[0] + 1) % 3 == order[1];
    let parity = if even { 1.0 } else { -1.0 };
    let s3 = if l3 < 0.0 { -1.0 } else { 1.0 };
    [1.0, parity * s3, s3]
}

/// The shortest rotation that takes the direction of `l` (with l₃ ≥ 0) to the z axis.
fn swing(l: DVec3) -> DQuat {
    let l = l.normalize();
    DQuat::from_xyzw(l.y, -l.x, 0.0, 1.0 + l.z).normalize()
}
