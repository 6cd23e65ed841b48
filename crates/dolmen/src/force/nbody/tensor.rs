//! Symmetric tensors of rank 2, 3 and 4 in three dimensions, each component stored once.

use crate::math::DVec3;

/// Rank 2: xx, xy, xz, yy, yz, zz.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank2(pub(super) [f64; 6]);

/// Rank 3: xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank3(pub(super) [f64; 10]);

/// Rank 4: xxxx, xxxy, xxxz, xxyy, xxyz, xxzz, xyyy, xyyz, xyzz, xzzz, yyyy, yyyz, yyzz, yzzz, zzzz.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank4(pub(super) [f64; 15]);

/// Sets `sum` += `factor` · `terms`, component by component.
#[inline(always)]
pub(super) fn add_scaled<const N: usize>(sum: &mut [f64; N], terms: &[f64; N], factor: f64) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

impl Rank2 {
    pub(super) const ZERO: Self = Self([0.0; 6]);

    /// v vᵀ.
    #[inline(always)]
    pub(super) fn power(v: DVec3) -> Self {
        let [x, y, z] = v.to_array();
        Self([x * x, x * y, x * z, y * y, y * z, z * z])
    }

    /// T v.
    #[inline(always)]
    pub(super) fn dot(&self, v: DVec3) -> DVec3 {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        DVec3::new(
            xx * v.x + xy * v.y + xz * v.z,
            xy * v.x + yy * v.y + yz * v.z,
            xz * v.x + yz * v.y + zz * v.z,
        )
    }

    #[inline(always)]
    pub(super) fn trace(&self) -> f64 {
        self.0[0] + self.0[3] + self.0[5]
    }
}

impl Rank3 {
    pub(super) const ZERO: Self = Self([0.0; 10]);

    /// v ⊗ v ⊗ v.
    #[inline(always)]
    pub(super) fn power(v: DVec3) -> Self {
        let [x, y, z] = v.to_array();
        let [xx, _, _, yy, yz, zz] = Rank2::power(v).0;
        Self([x * xx, xx * y, xx * z, x * yy, x * yz, x * zz, y * yy, yy * z, y * zz, z * zz])
    }

    /// T v, the last index contracted.
    #[inline(always)]
    pub(super) fn dot(&self, v: DVec3) -> Rank2 {
        let [xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz] = self.0;
        Rank2([
            xxx * v.x + xxy * v.y + xxz * v.z,
            xxy * v.x + xyy * v.y + xyz * v.z,
            xxz * v.x + xyz * v.y + xzz * v.z,
            xyy * v.x + yyy * v.y + yyz * v.z,
            xyz * v.x + yyz * v.y + yzz * v.z,
            xzz * v.x + yzz * v.y + zzz * v.z,
        ])
    }

    /// Two indices contracted with each other.
    #[inline(always)]
    pub(super) fn trace(&self) -> DVec3 {
        let [xxx, xxy, xxz, xyy, _, xzz, yyy, yyz, yzz, zzz] = self.0;
        DVec3::new(xxx + xyy + xzz, xxy + yyy + yzz, xxz + yyz + zzz)
    }
}

impl Rank4 {
    pub(super) const ZERO: Self = Self([0.0; 15]);

    /// T v, the last index contracted.
    #[inline(always)]
    pub(super) fn dot(&self, v: DVec3) -> Rank3 {
        let [xxxx, xxxy, xxxz, xxyy, xxyz, xxzz, xyyy, xyyz, xyzz, xzzz, yyyy, yyyz, yyzz, yzzz, zzzz] = self.0;
        Rank3([
            xxxx * v.x + xxxy * v.y + xxxz * v.z,
            xxxy * v.x + xxyy * v.y + xxyz * v.z,
            xxxz * v.x + xxyz * v.y + xxzz * v.z,
            xxyy * v.x + xyyy * v.y + xyyz * v.z,
            xxyz * v.x + xyyz * v.y + xyzz * v.z,
            xxzz * v.x + xyzz * v.y + xzzz * v.z,
            xyyy * v.x + yyyy * v.y + yyyz * v.z,
            xyyz * v.x + yyyz * v.y + yyzz * v.z,
            xyzz * v.x + yyzz * v.y + yzzz * v.z,
            xzzz * v.x + yzzz * v.y + zzzz * v.z,
        ])
    }
}
