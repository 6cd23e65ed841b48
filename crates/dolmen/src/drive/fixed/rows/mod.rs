//! Contact rows, eight manifolds at once: what the passes of a sub-step do.
//!
//! A [`Group`] holds eight manifolds of up to `P` points whose bodies are all different, so that the lanes do not see each other
//! and any number of lanes gives the same bits. Of a manifold with points i, normal n (from b to a) and arms r:
//!
//! ```text
//! u_i = n·(v_a − v_b) + (r_a,i × n)·ω_a − (r_b,i × n)·ω_b          the rate of separation
//! s_i = s_i⁰ + the same map applied to the displacements Δx, Δθ since the step began
//! K   = the map applied to the velocities that unit impulses give: u = K λ within the manifold
//! ```
//!
//! Its normal impulses are solved by Gauss–Seidel on K alone, then applied once. Soft contacts: [Catto 2024], with
//! λ' = −(m̂/K)(u + β s) − γ λ and m̂, β, γ from the frequency and the damping ratio of an implicit spring. Friction acts at the mean
//! point of the manifold, as a vector within Coulomb's cone, with a moment about the normal from the spread of the points.

// The passes are one loop body each, over lanes.
#![allow(clippy::inline_always)]

pub(super) mod number;
pub(super) mod record;
pub(super) mod threads;

use super::tolerances::LANES;
use number::{Lanes, Real, Sym3, V3, v3};
use record::{Mobility, Record};

/// An implicit spring for a step h: [Catto, Soft Constraints 2011].
#[derive(Debug, Clone, Copy)]
pub(super) struct Softness<R> {
    pub(super) bias_rate: R,
    pub(super) mass_scale: R,
    pub(super) impulse_scale: R,
}

impl<R: Real> Softness<R> {
    /// Of a frequency (Hz) and a damping ratio.
    pub(super) fn new(frequency: f64, damping: f64, h: f64) -> Self {
        let omega = crate::math::real::TAU * frequency;
        let a1 = 2.0 * damping + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self { bias_rate: R::of(omega / a1), mass_scale: R::of(a2 * a3), impulse_scale: R::of(a3) }
    }
}

/// One number of each of eight manifolds.
pub(super) type Eight<R> = [R; LANES];

/// Eight manifolds of up to `P` points; a point that is not there has `inv_k` zero and never gets an impulse.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Group<R, const P: usize> {
    pub(super) a: [u32; LANES],
    pub(super) b: [u32; LANES],
    pub(super) count: [u8; LANES],
    pub(super) normal: [Eight<R>; 3],
    /// Before [`Group::prepare`] the arms r of the points, after it r × n.
    pub(super) arms: [[[Eight<R>; 3]; P]; 2],
    pub(super) separation: [Eight<R>; P],
    pub(super) lambda: [Eight<R>; P],
    /// Speed at which overlap is removed at most.
    pub(super) push: Eight<R>,
    inv_mass: [Eight<R>; 2],
    inv_inertia: [[Eight<R>; 6]; 2],
    k: [[Eight<R>; P]; P],
    inv_k: [Eight<R>; P],
    tangents: [[Eight<R>; 3]; 2],
    /// Arms of the mean point.
    middle: [[Eight<R>; 3]; 2],
    inv_kt: [Eight<R>; 3],
    inv_kw: Eight<R>,
    radius: [Eight<R>; P],
    pub(super) static_friction: Eight<R>,
    pub(super) kinetic_friction: Eight<R>,
    /// Along the two tangents; before [`Group::prepare`] the first two components of a world vector, whose third is in `lambda_w`.
    pub(super) lambda_t: [Eight<R>; 3],
    pub(super) lambda_w: Eight<R>,
    pub(super) rolling: Eight<R>,
    pub(super) spinning: Eight<R>,
    pub(super) lambda_r: [Eight<R>; 3],
    inv_kr: Eight<R>,
    pub(super) restitution: Eight<R>,
    /// Rates before the step.
    u_minus: [Eight<R>; P],
    /// Largest impulse in the step.
    most: [Eight<R>; P],
    /// Sum of the impulses of all points and sub-steps, where some lane did not touch before.
    struck: Eight<R>,
    pub(super) has_resistance: bool,
    pub(super) has_restitution: bool,
    pub(super) has_fresh: bool,
}

/// What acts across the normal: along the two tangents, about the normal, and against rolling.
#[derive(Debug, Clone, Copy)]
struct Tangential<L> {
    along: [L; 2],
    about: L,
    rolling: V3<L>,
}

impl<L: Lanes> Tangential<L> {
    #[inline(always)]
    fn zero() -> Self {
        let zero = L::of(0.0);
        Self { along: [zero; 2], about: zero, rolling: V3::zero() }
    }

    #[inline(always)]
    fn plus(&self, more: &Self) -> Self {
        Self {
            along: [self.along[0] + more.along[0], self.along[1] + more.along[1]],
            about: self.about + more.about,
            rolling: self.rolling + more.rolling,
        }
    }
}

#[inline(always)]
fn load<L: Lanes>(x: &Eight<L::Real>) -> L {
    L::from_lanes(*x)
}

#[inline(always)]
fn load3<L: Lanes>(x: &[Eight<L::Real>; 3]) -> V3<L> {
    v3(load(&x[0]), load(&x[1]), load(&x[2]))
}

#[inline(always)]
fn store3<L: Lanes>(x: &mut [Eight<L::Real>; 3], v: V3<L>) {
    *x = [v.x.lanes(), v.y.lanes(), v.z.lanes()];
}

#[inline(always)]
fn load_sym<L: Lanes>(x: &[Eight<L::Real>; 6]) -> Sym3<L> {
    Sym3(std::array::from_fn(|i| load(&x[i])))
}

/// Velocities and spins of eight bodies.
#[inline(always)]
fn gather<L: Lanes>(read: impl Fn(usize) -> [L::Real; LANES]) -> (V3<L>, V3<L>) {
    let c = L::transposed(std::array::from_fn(|k| L::from_lanes(read(k))));
    (v3(c[0], c[1], c[2]), v3(c[4], c[5], c[6]))
}

#[inline(always)]
fn twists<L: Lanes>(bodies: &[Record<L::Real>], index: &[u32; LANES]) -> (V3<L>, V3<L>) {
    gather(|k| bodies[index[k] as usize].twist)
}

#[inline(always)]
fn moved<L: Lanes>(bodies: &[Record<L::Real>], index: &[u32; LANES]) -> (V3<L>, V3<L>) {
    gather(|k| bodies[index[k] as usize].moved)
}

#[inline(always)]
fn scatter<L: Lanes>(bodies: &mut [Record<L::Real>], index: &[u32; LANES], v: V3<L>, w: V3<L>) {
    let zero = L::of(0.0);
    let rows = L::transposed([v.x, v.y, v.z, zero, w.x, w.y, w.z, zero]);
    for k in 0..LANES {
        bodies[index[k] as usize].twist = rows[k].lanes();
    }
}

impl<R: Real, const P: usize> Group<R, P> {
    /// With nobody in it: every lane at the body `spare`, which does not move.
    pub(super) fn empty(spare: u32) -> Self {
        let zero = [R::of(0.0); LANES];
        Self {
            a: [spare; LANES],
            b: [spare; LANES],
            count: [0; LANES],
            normal: [zero, zero, [R::of(1.0); LANES]],
            arms: [[[zero; 3]; P]; 2],
            separation: [zero; P],
            lambda: [zero; P],
            push: zero,
            inv_mass: [zero; 2],
            inv_inertia: [[zero; 6]; 2],
            k: [[zero; P]; P],
            inv_k: [zero; P],
            tangents: [[zero; 3]; 2],
            middle: [[zero; 3]; 2],
            inv_kt: [zero; 3],
            inv_kw: zero,
            radius: [zero; P],
            static_friction: zero,
            kinetic_friction: zero,
            lambda_t: [zero; 3],
            lambda_w: zero,
            rolling: zero,
            spinning: zero,
            lambda_r: [zero; 3],
            inv_kr: zero,
            restitution: zero,
            u_minus: [zero; P],
            most: [zero; P],
            struck: zero,
            has_resistance: false,
            has_restitution: false,
            has_fresh: false,
        }
    }

    /// Leaves a lane to the body `spare`, which does not move.
    pub(super) fn vacate(&mut self, lane: usize, spare: u32) {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        (self.a[lane], self.b[lane], self.count[lane]) = (spare, spare, 0);
        for (e, x) in [zero, zero, one].into_iter().enumerate() {
            self.normal[e][lane] = x;
        }
        for i in 0..P {
            (self.separation[i][lane], self.lambda[i][lane]) = (zero, zero);
            for arms in &mut self.arms {
                arms[i].iter_mut().for_each(|arm| arm[lane] = zero);
            }
        }
        for e in 0..3 {
            (self.lambda_t[e][lane], self.lambda_r[e][lane]) = (zero, zero);
        }
        for words in [
            &mut self.push,
            &mut self.lambda_w,
            &mut self.static_friction,
            &mut self.kinetic_friction,
            &mut self.rolling,
            &mut self.spinning,
            &mut self.restitution,
        ] {
            words[lane] = zero;
        }
    }

    /// Everything that stays the same during the step, from what was written into the lanes.
    pub(super) fn prepare(&mut self, mobilities: &[Mobility<R>], bodies: &[Record<R>]) {
        self.prepare_lanes::<R::Lanes>(mobilities, bodies);
    }

    #[inline(always)]
    fn prepare_lanes<L: Lanes<Real = R>>(&mut self, mobilities: &[Mobility<R>], bodies: &[Record<R>]) {
        let (zero, one) = (L::of(0.0), L::of(1.0));
        let n: V3<L> = load3(&self.normal);
        let side = |index: &[u32; LANES]| {
            let c = L::transposed(std::array::from_fn(|k| L::from_lanes(mobilities[index[k] as usize])));
            (c[6], Sym3([c[0], c[1], c[2], c[3], c[4], c[5]]))
        };
        let sides: [(L, Sym3<L>); 2] = [side(&self.a), side(&self.b)];
        for (s, (m, i)) in sides.iter().enumerate() {
            self.inv_mass[s] = m.lanes();
            self.inv_inertia[s] = std::array::from_fn(|e| i.0[e].lanes());
        }
        let inv_mass = sides[0].0 + sides[1].0;
        // The mean of the points that are there.
        let present: [L; P] = std::array::from_fn(|i| {
            L::from_lanes(std::array::from_fn(|k| R::of(f64::from(u8::from(usize::from(self.count[k]) > i)))))
        });
        let points = present.iter().fold(zero, |sum, p| sum + *p).larger(one);
        let share = one / points;
        let mut middle = [V3::<L>::zero(); 2];
        for s in 0..2 {
            for i in 0..P {
                middle[s] += load3::<L>(&self.arms[s][i]) * present[i];
            }
            middle[s] = middle[s] * share;
            store3(&mut self.middle[s], middle[s]);
        }
        let mut turned = [[V3::<L>::zero(); P]; 2];
        for i in 0..P {
            let off = load3::<L>(&self.arms[0][i]) - middle[0];
            let off = off - n * n.dot(off);
            self.radius[i] = (off.length() * present[i]).lanes();
            for s in 0..2 {
                let arm = load3::<L>(&self.arms[s][i]).cross(n);
                store3(&mut self.arms[s][i], arm);
                turned[s][i] = sides[s].1.apply(arm);
            }
        }
        for i in 0..P {
            for j in i..P {
                let k = inv_mass
                    + load3::<L>(&self.arms[0][j]).dot(turned[0][i])
                    + load3::<L>(&self.arms[1][j]).dot(turned[1][i]);
                self.k[i][j] = k.lanes();
                self.k[j][i] = self.k[i][j];
                if i == j {
                    self.inv_k[i] = L::if_less(zero, k, present[i] / k, zero).lanes();
                }
            }
        }
        // Tangents, a function of the normal alone. [Duff et al. 2017]
        let sign = L::if_less(n.z, zero, -one, one);
        let f = -one / (sign + n.z);
        let g = n.x * n.y * f;
        let t = [v3(one + sign * n.x * n.x * f, sign * g, -(sign * n.x)), v3(g, sign + n.y * n.y * f, -n.y)];
        let along: [[V3<L>; 2]; 2] = std::array::from_fn(|s| std::array::from_fn(|e| middle[s].cross(t[e])));
        let entry = |e: usize, f: usize| {
            let own = if e == f { inv_mass } else { zero };
            own + along[0][e].dot(sides[0].1.apply(along[0][f]))
                + along[1][e].dot(sides[1].1.apply(along[1][f]))
        };
        let (k00, k01, k11) = (entry(0, 0), entry(0, 1), entry(1, 1));
        let det = k00 * k11 - k01 * k01;
        let inv_det = L::if_less(zero, det, one / det, zero);
        self.inv_kt = [(k11 * inv_det).lanes(), (k01 * inv_det).lanes(), (k00 * inv_det).lanes()];
        let around = |d: V3<L>| d.dot(sides[0].1.apply(d)) + d.dot(sides[1].1.apply(d));
        let inverse = |k: L| L::if_less(zero, k, one / k, zero);
        self.inv_kw = inverse(around(n)).lanes();
        // Of two tangents the harder to turn: exact for balls, on the safe side for others.
        self.inv_kr = inverse(around(t[0]).larger(around(t[1]))).lanes();
        for e in 0..2 {
            store3(&mut self.tangents[e], t[e]);
        }
        let held: V3<L> = load3(&self.lambda_t);
        self.lambda_t = [held.dot(t[0]).lanes(), held.dot(t[1]).lanes(), [R::of(0.0); LANES]];
        if self.has_restitution {
            let ((v_a, w_a), (v_b, w_b)) = (twists::<L>(bodies, &self.a), twists::<L>(bodies, &self.b));
            let along_n = n.dot(v_a - v_b);
            for i in 0..P {
                let u =
                    along_n + load3::<L>(&self.arms[0][i]).dot(w_a) - load3::<L>(&self.arms[1][i]).dot(w_b);
                self.u_minus[i] = u.lanes();
            }
        }
        self.most = self.lambda;
        self.struck = [R::of(0.0); LANES];
    }

    /// Applies the impulses of the last step.
    pub(super) fn warm_start(&self, bodies: &mut [Record<R>], moves_b: bool) {
        self.warm_start_lanes::<R::Lanes>(bodies, moves_b);
    }

    #[inline(always)]
    fn warm_start_lanes<L: Lanes<Real = R>>(&self, bodies: &mut [Record<R>], moves_b: bool) {
        let n: V3<L> = load3(&self.normal);
        let zero = L::of(0.0);
        let mut sum = zero;
        let mut moment = [V3::<L>::zero(); 2];
        for i in 0..P {
            let lambda: L = load(&self.lambda[i]);
            sum = sum + lambda;
            for s in 0..2 {
                moment[s] += load3::<L>(&self.arms[s][i]) * lambda;
            }
        }
        let sideways = load3::<L>(&self.tangents[0]) * load(&self.lambda_t[0])
            + load3::<L>(&self.tangents[1]) * load(&self.lambda_t[1]);
        let mut about = n * load(&self.lambda_w);
        if self.has_resistance {
            about += load3::<L>(&self.lambda_r);
        }
        for s in 0..2 {
            moment[s] += load3::<L>(&self.middle[s]).cross(sideways) + about;
        }
        let p = n * sum + sideways;
        let (v, w) = twists::<L>(bodies, &self.a);
        let v = v + p * load(&self.inv_mass[0]);
        let w = w + load_sym::<L>(&self.inv_inertia[0]).apply(moment[0]);
        scatter(bodies, &self.a, v, w);
        if moves_b {
            let (v, w) = twists::<L>(bodies, &self.b);
            let v = v - p * load(&self.inv_mass[1]);
            let w = w - load_sym::<L>(&self.inv_inertia[1]).apply(moment[1]);
            scatter(bodies, &self.b, v, w);
        }
    }

    /// Normal impulses: with the springs of overlaps in the first pass of a sub-step, without in the second, where friction comes
    /// between two sweeps: it sees the whole impulse of bodies that meet in this sub-step, and nothing is left approaching.
    pub(super) fn solve(
        &mut self,
        bodies: &mut [Record<R>],
        softness: Option<&Softness<R>>,
        inv_h: R,
        moves_b: bool,
    ) {
        if let Some(softness) = softness {
            self.solve_lanes::<R::Lanes, true>(bodies, softness, inv_h, moves_b);
        } else {
            let (one, zero) = (R::of(1.0), R::of(0.0));
            let rigid = Softness { bias_rate: zero, mass_scale: one, impulse_scale: zero };
            self.solve_lanes::<R::Lanes, false>(bodies, &rigid, inv_h, moves_b);
        }
    }

    #[inline(always)]
    fn solve_lanes<L: Lanes<Real = R>, const BIASED: bool>(
        &mut self,
        bodies: &mut [Record<R>],
        softness: &Softness<R>,
        inv_h: R,
        moves_b: bool,
    ) {
        let splat = |x: R| L::from_lanes([x; LANES]);
        let zero = L::of(0.0);
        let n: V3<L> = load3(&self.normal);
        let mut twists = [twists::<L>(bodies, &self.a), twists::<L>(bodies, &self.b)];
        let mobility = self.mobility::<L>();
        let ((x_a, o_a), (x_b, o_b)) = (moved::<L>(bodies, &self.a), moved::<L>(bodies, &self.b));
        let s_n = n.dot(x_a - x_b);
        let floor = -load::<L>(&self.push);
        let mut bias = [zero; P];
        let mut mass = [zero; P];
        let mut leak = [zero; P];
        for i in 0..P {
            let (arm_a, arm_b) = (load3::<L>(&self.arms[0][i]), load3::<L>(&self.arms[1][i]));
            let s = load::<L>(&self.separation[i]) + s_n + arm_a.dot(o_a) - arm_b.dot(o_b);
            let ahead = s * splat(inv_h);
            let inv_k: L = load(&self.inv_k[i]);
            bias[i] = if BIASED {
                let soft = (s * splat(softness.bias_rate)).larger(floor);
                mass[i] = L::if_less(zero, s, inv_k, inv_k * splat(softness.mass_scale));
                leak[i] = L::if_less(zero, s, zero, splat(softness.impulse_scale));
                L::if_less(zero, s, ahead, soft)
            } else {
                mass[i] = inv_k;
                ahead.larger(zero)
            };
        }
        let mut lambda: [L; P] = std::array::from_fn(|i| load(&self.lambda[i]));
        let sweeps = if P == 1 || !BIASED { 1 } else { 2 };
        self.normals::<L>((n, &mobility), &mut twists, (&bias, &mass, &leak), &mut lambda, sweeps);
        if !BIASED {
            let old = self.tangential::<L>();
            let new = self.friction::<L>(n, &mobility, &mut twists, &lambda, &old);
            self.set_tangential(&new);
            self.normals::<L>((n, &mobility), &mut twists, (&bias, &mass, &leak), &mut lambda, 1);
        }
        for i in 0..P {
            self.lambda[i] = lambda[i].lanes();
            if self.has_restitution {
                self.most[i] = load::<L>(&self.most[i]).larger(lambda[i]).lanes();
            }
        }
        if !BIASED && self.has_fresh {
            let all = lambda.iter().fold(load::<L>(&self.struck), |all, lambda| all + *lambda);
            self.struck = all.lanes();
        }
        let [(v_a, w_a), (v_b, w_b)] = twists;
        scatter(bodies, &self.a, v_a, w_a);
        if moves_b {
            scatter(bodies, &self.b, v_b, w_b);
        }
    }

    #[inline(always)]
    fn mobility<L: Lanes<Real = R>>(&self) -> [(L, Sym3<L>); 2] {
        [0, 1].map(|s| (load(&self.inv_mass[s]), load_sym(&self.inv_inertia[s])))
    }

    /// Sweeps over the normal impulses: λ' = max(0, λ − m̂(u + bias) − γ λ).
    #[inline(always)]
    fn normals<L: Lanes<Real = R>>(
        &self,
        (n, mobility): (V3<L>, &[(L, Sym3<L>); 2]),
        [(v_a, w_a), (v_b, w_b)]: &mut [(V3<L>, V3<L>); 2],
        (bias, mass, leak): (&[L; P], &[L; P], &[L; P]),
        lambda: &mut [L; P],
        sweeps: usize,
    ) {
        let zero = L::of(0.0);
        let u_n = n.dot(*v_a - *v_b);
        let mut u = [zero; P];
        for i in 0..P {
            let (arm_a, arm_b) = (load3::<L>(&self.arms[0][i]), load3::<L>(&self.arms[1][i]));
            u[i] = u_n + arm_a.dot(*w_a) - arm_b.dot(*w_b) + bias[i];
        }
        let before = *lambda;
        for _ in 0..sweeps {
            for i in 0..P {
                let new = (lambda[i] - mass[i] * u[i] - leak[i] * lambda[i]).larger(zero);
                let change = new - lambda[i];
                lambda[i] = new;
                if P > 1 {
                    for j in 0..P {
                        u[j] = u[j] + load::<L>(&self.k[i][j]) * change;
                    }
                }
            }
        }
        let mut sum = zero;
        let mut moment = [V3::<L>::zero(); 2];
        for i in 0..P {
            let change = lambda[i] - before[i];
            sum = sum + change;
            for s in 0..2 {
                moment[s] += load3::<L>(&self.arms[s][i]) * change;
            }
        }
        let p = n * sum;
        *v_a += p * mobility[0].0;
        *w_a += mobility[0].1.apply(moment[0]);
        *v_b -= p * mobility[1].0;
        *w_b -= mobility[1].1.apply(moment[1]);
    }

    #[inline(always)]
    fn tangential<L: Lanes<Real = R>>(&self) -> Tangential<L> {
        Tangential {
            along: [load(&self.lambda_t[0]), load(&self.lambda_t[1])],
            about: load(&self.lambda_w),
            rolling: load3(&self.lambda_r),
        }
    }

    #[inline(always)]
    fn set_tangential<L: Lanes<Real = R>>(&mut self, t: &Tangential<L>) {
        self.lambda_t[0] = t.along[0].lanes();
        self.lambda_t[1] = t.along[1].lanes();
        self.lambda_w = t.about.lanes();
        if self.has_resistance {
            store3(&mut self.lambda_r, t.rolling);
        }
    }

    /// Coulomb's friction under the normal impulses `lambda`, and resistance to rolling and spinning where there is any: from `old` to what
    /// is returned.
    #[inline(always)]
    fn friction<L: Lanes<Real = R>>(
        &self,
        n: V3<L>,
        [(inv_mass_a, inertia_a), (inv_mass_b, inertia_b)]: &[(L, Sym3<L>); 2],
        [(v_a, w_a), (v_b, w_b)]: &mut [(V3<L>, V3<L>); 2],
        lambda: &[L; P],
        old: &Tangential<L>,
    ) -> Tangential<L> {
        let (zero, one) = (L::of(0.0), L::of(1.0));
        let mut press = zero;
        let mut spread = zero;
        for i in 0..P {
            press = press + lambda[i];
            spread = spread + lambda[i] * load(&self.radius[i]);
        }
        let kinetic: L = load(&self.kinetic_friction);
        let mut new = *old;
        if P > 1 || self.has_resistance {
            let rate = n.dot(*w_a - *w_b);
            let limit = kinetic * spread + load::<L>(&self.spinning) * press;
            new.about = (old.about - load::<L>(&self.inv_kw) * rate).smaller(limit).larger(-limit);
            let moment = n * (new.about - old.about);
            *w_a += inertia_a.apply(moment);
            *w_b -= inertia_b.apply(moment);
        }
        if self.has_resistance {
            let turning = *w_a - *w_b;
            let turning = turning - n * n.dot(turning);
            let wanted = old.rolling - turning * load::<L>(&self.inv_kr);
            let wanted = wanted - n * n.dot(wanted);
            let limit = load::<L>(&self.rolling) * press;
            let length = wanted.length();
            new.rolling = wanted * L::if_less(limit, length, limit / length.larger(L::of(1e-30)), one);
            *w_a += inertia_a.apply(new.rolling - old.rolling);
            *w_b -= inertia_b.apply(new.rolling - old.rolling);
        }
        let (t0, t1) = (load3::<L>(&self.tangents[0]), load3::<L>(&self.tangents[1]));
        let (arm_a, arm_b) = (load3::<L>(&self.middle[0]), load3::<L>(&self.middle[1]));
        let slip = *v_a + w_a.cross(arm_a) - *v_b - w_b.cross(arm_b);
        let (u0, u1) = (t0.dot(slip), t1.dot(slip));
        let [i00, i01, i11] = [0, 1, 2].map(|e| load::<L>(&self.inv_kt[e]));
        let [old0, old1] = old.along;
        let (new0, new1) = (old0 - (i00 * u0 - i01 * u1), old1 - (i11 * u1 - i01 * u0));
        let length = (new0 * new0 + new1 * new1).root();
        let sticks = load::<L>(&self.static_friction) * press;
        let scale = L::if_less(sticks, length, kinetic * press / length.larger(L::of(1e-30)), one);
        new.along = [new0 * scale, new1 * scale];
        let p = t0 * (new.along[0] - old0) + t1 * (new.along[1] - old1);
        *v_a += p * *inv_mass_a;
        *w_a += inertia_a.apply(arm_a.cross(p));
        *v_b -= p * *inv_mass_b;
        *w_b -= inertia_b.apply(arm_b.cross(p));
        new
    }

    /// Contacts that hit faster than `threshold` rebound with their restitution.
    pub(super) fn restitute(&mut self, bodies: &mut [Record<R>], threshold: R, moves_b: bool) {
        if self.has_restitution {
            self.restitute_lanes::<R::Lanes>(bodies, threshold, moves_b);
        }
    }

    #[inline(always)]
    fn restitute_lanes<L: Lanes<Real = R>>(&mut self, bodies: &mut [Record<R>], threshold: R, moves_b: bool) {
        let zero = L::of(0.0);
        let n: V3<L> = load3(&self.normal);
        let mut twists = [twists::<L>(bodies, &self.a), twists::<L>(bodies, &self.b)];
        let mobility = self.mobility::<L>();
        let restitution: L = load(&self.restitution);
        let slow = -L::from_lanes([threshold; LANES]);
        let mut rebound = [zero; P];
        let mut mass = [zero; P];
        for i in 0..P {
            let u_minus: L = load(&self.u_minus[i]);
            let hits = L::if_less(u_minus, slow, load(&self.inv_k[i]), zero);
            mass[i] = L::if_less(zero, load(&self.most[i]), hits, zero);
            rebound[i] = restitution * u_minus;
        }
        let mut lambda: [L; P] = std::array::from_fn(|i| load(&self.lambda[i]));
        let before = lambda;
        self.normals::<L>((n, &mobility), &mut twists, (&rebound, &mass, &[zero; P]), &mut lambda, 1);
        // What still slips is slowed by the impulses of the rebound as it was by those of the approach.
        let gained: [L; P] = std::array::from_fn(|i| (lambda[i] - before[i]).larger(zero));
        let more = self.friction::<L>(n, &mobility, &mut twists, &gained, &Tangential::zero());
        let old = self.tangential::<L>();
        self.set_tangential(&old.plus(&more));
        let mut sum = zero;
        for i in 0..P {
            sum = sum + (lambda[i] - before[i]);
            self.lambda[i] = lambda[i].lanes();
        }
        if self.has_fresh {
            self.struck = (load::<L>(&self.struck) + sum).lanes();
        }
        let [(v_a, w_a), (v_b, w_b)] = twists;
        scatter(bodies, &self.a, v_a, w_a);
        if moves_b {
            scatter(bodies, &self.b, v_b, w_b);
        }
    }

    /// All normal impulses of a lane in the step; none where nothing was new.
    pub(super) fn struck(&self, lane: usize) -> R {
        self.struck[lane]
    }

    /// The friction of a lane as a vector of the world.
    pub(super) fn sideways(&self, lane: usize) -> V3<R> {
        let tangent =
            |e: usize| v3(self.tangents[e][0][lane], self.tangents[e][1][lane], self.tangents[e][2][lane]);
        tangent(0) * self.lambda_t[0][lane] + tangent(1) * self.lambda_t[1][lane]
    }
}
