//! Mass and inertia in the form that the equations of motion use.

use crate::mass::MassProperties;
use crate::math::{DMat3, DQuat, DVec3};

/// Mass and inertia of a moving body, about its centre of mass, in its own frame.
///
/// Inverses are stored: a fixed body is one whose inverses are zero. [NOTES II]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass m, kg.
    pub mass: f64,
    /// 1/m; zero for a body that cannot be moved.
    pub inv_mass: f64,
    /// `I_body`, kg·m².
    pub inertia_body: DMat3,
    /// `I_body`⁻¹; zero for a body that cannot be turned.
    pub inv_inertia_body: DMat3,
    /// Principal moments along `axes`, in any order, kg·m².
    pub moments: DVec3,
    /// Turns principal axes into the body's frame.
    pub axes: DQuat,
}

impl Inertia {
    /// From mass, inertia about the centre of mass in the body's frame, and its principal moments and axes.
    fn from_parts(mass: f64, inertia_body: DMat3, moments: DVec3, axes: DQuat) -> Self {
        let diagonal = inertia_body == DMat3::from_diagonal(inertia_body.diagonal());
        let inv_inertia_body = if diagonal {
            // Exact reciprocals, where the general inverse would round twice more.
            DMat3::from_diagonal(inertia_body.diagonal().recip())
        } else {
            let r = DMat3::from_quat(axes);
            r * DMat3::from_diagonal(moments.recip()) * r.transpose()
        };
        Self { mass, inv_mass: 1.0 / mass, inertia_body, inv_inertia_body, moments, axes }
    }

    /// The inverses and principal axes of checked mass properties.
    pub fn new(properties: &MassProperties) -> Self {
        let principal = properties.principal();
        Self::from_parts(properties.mass(), properties.inertia(), principal.moments, principal.axes)
    }

    /// With principal moments along the body's own axes.
    pub fn principal(mass: f64, moments: DVec3) -> Self {
        Self::from_parts(mass, DMat3::from_diagonal(moments), moments, DQuat::IDENTITY)
    }

    /// Of a point: forces move it and nothing turns it, since all of them act through its centre. Its moments are those of a
    /// radius of gyration of a metre: errors of motion are measured against that, and a point has no size of its own.
    pub fn point(mass: f64) -> Self {
        Self { inv_inertia_body: DMat3::ZERO, ..Self::principal(mass, DVec3::splat(2.0 / 3.0 * mass)) }
    }

    /// Whether nothing turns it although forces move it: a point.
    pub fn is_point(&self) -> bool {
        self.inv_mass > 0.0 && self.inv_inertia_body == DMat3::ZERO
    }

    /// Of a body that no force moves.
    pub const IMMOBILE: Self = Self {
        mass: f64::INFINITY,
        inv_mass: 0.0,
        inertia_body: DMat3::ZERO,
        inv_inertia_body: DMat3::ZERO,
        moments: DVec3::INFINITY,
        axes: DQuat::IDENTITY,
    };

    /// ω = R `I_body`⁻¹ Rᵀ L, for the rotation `r` (body to world). [NOTES I]
    pub fn spin(&self, r: &DMat3, angular_momentum: DVec3) -> DVec3 {
        *r * (self.inv_inertia_body * (r.transpose() * angular_momentum))
    }

    /// L = R `I_body` Rᵀ ω.
    pub fn angular_momentum(&self, r: &DMat3, spin: DVec3) -> DVec3 {
        *r * (self.inertia_body * (r.transpose() * spin))
    }
}

/// Radius of gyration: the size of a body as its inertia sees it, m.
pub(crate) fn gyration(inertia: &Inertia) -> f64 {
    (0.5 * inertia.moments.element_sum() * inertia.inv_mass).sqrt()
}
