//! How a body, or a part of one, is turned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::{DMat3, DQuat, DVec3, real};

/// The rotation from the frame of a body to the world: v = R v′, with v′ in the body.
///
/// Exactly one of: `quaternion`; `axis` with `angle` or `angle_deg`; `matrix`; `euler` or `euler_deg`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Orientation {
    /// Unit quaternion [w, x, y, z], the scalar first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Axis of the rotation, of any length but zero; with `angle` or `angle_deg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Angle about `axis`, rad, by the right hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Angle about `axis`, degrees, by the right hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_deg: Option<f64>,
    /// The matrix R, by rows: its columns are the axes of the body in the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<[[f64; 3]; 3]>,
    /// Three angles, rad, about the axes of `order`, in this order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub euler: Option<[f64; 3]>,
    /// Three angles, degrees, about the axes of `order`, in this order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub euler_deg: Option<[f64; 3]>,
    /// Axes of the three angles, one after the other. Small letters: each about an axis of the body as turned
    /// so far (intrinsic), "xyz" is R = Rx(a) Ry(b) Rz(c). Capital letters: each about an axis of the world
    /// (extrinsic), "XYZ" is R = Rz(c) Ry(b) Rx(a). Default: "xyz".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<EulerOrder>,
}

macro_rules! euler_orders {
    ($($variant:ident = $word:literal, [$($axis:literal),*], $intrinsic:literal;)*) => {
        /// In which order and about which axes the angles of `euler` turn: one of the twelve orders, in small
        /// letters for the axes of the body (intrinsic), in capitals for those of the world (extrinsic).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum EulerOrder {
            $(#[doc = concat!("The order ", $word, ".")] #[serde(rename = $word)] $variant,)*
        }

        impl EulerOrder {
            /// Every order.
            pub const ALL: [Self; 24] = [$(Self::$variant),*];

            /// The axes as numbers (x is 0), and whether they are those of the body.
            fn axes(self) -> ([usize; 3], bool) {
                match self {
                    $(Self::$variant => ([$($axis),*], $intrinsic),)*
                }
            }
        }
    };
}

euler_orders! {
    BodyXyz = "xyz", [0, 1, 2], true;
    BodyXzy = "xzy", [0, 2, 1], true;
    BodyYxz = "yxz", [1, 0, 2], true;
    BodyYzx = "yzx", [1, 2, 0], true;
    BodyZxy = "zxy", [2, 0, 1], true;
    BodyZyx = "zyx", [2, 1, 0], true;
    BodyXyx = "xyx", [0, 1, 0], true;
    BodyXzx = "xzx", [0, 2, 0], true;
    BodyYxy = "yxy", [1, 0, 1], true;
    BodyYzy = "yzy", [1, 2, 1], true;
    BodyZxz = "zxz", [2, 0, 2], true;
    BodyZyz = "zyz", [2, 1, 2], true;
    WorldXyz = "XYZ", [0, 1, 2], false;
    WorldXzy = "XZY", [0, 2, 1], false;
    WorldYxz = "YXZ", [1, 0, 2], false;
    WorldYzx = "YZX", [1, 2, 0], false;
    WorldZxy = "ZXY", [2, 0, 1], false;
    WorldZyx = "ZYX", [2, 1, 0], false;
    WorldXyx = "XYX", [0, 1, 0], false;
    WorldXzx = "XZX", [0, 2, 0], false;
    WorldYxy = "YXY", [1, 0, 1], false;
    WorldYzy = "YZY", [1, 2, 1], false;
    WorldZxz = "ZXZ", [2, 0, 2], false;
    WorldZyz = "ZYZ", [2, 1, 2], false;
}

impl Orientation {
    /// The unit quaternion q with v = q v′ q*, v′ in the body; none if no form is complete or the axis is zero.
    ///
    /// Of an orientation that passed [`super::Scene::check`] this is always a rotation.
    pub fn rotation(&self) -> Option<DQuat> {
        if let Some([w, x, y, z]) = self.quaternion {
            let quaternion = DQuat::from_xyzw(x, y, z, w);
            let length = quaternion.length();
            return (length > 0.0 && length.is_finite()).then(|| quaternion * length.recip());
        }
        if let Some(rows) = self.matrix {
            let [x, y, z] = rows.map(DVec3::from_array);
            return Some(DQuat::from_mat3(&DMat3::from_cols(x, y, z).transpose()).normalize());
        }
        if let Some(axis) = self.axis {
            let angle = self.angle.or_else(|| self.angle_deg.map(f64::to_radians))?;
            return turn(unit(axis)?, angle);
        }
        let angles = self.euler.or_else(|| self.euler_deg.map(|angles| angles.map(f64::to_radians)))?;
        let (axes, intrinsic) = self.order.unwrap_or(EulerOrder::BodyXyz).axes();
        let [a, b, c] = [0, 1, 2].map(|i| turn(DVec3::AXES[axes[i]], angles[i]));
        // About axes of the body the first turn is the outermost, about those of the world the innermost.
        let (a, b, c) = (a?, b?, c?);
        Some(if intrinsic { a * b * c } else { c * b * a }.normalize())
    }
}

/// q = (cos θ/2, n sin θ/2).
fn turn(axis: DVec3, angle: f64) -> Option<DQuat> {
    let (sin, cos) = real::sin_cos(angle / 2.0);
    angle.is_finite().then(|| DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos))
}

/// The direction of `vector`, without overflow or underflow on the way; none for zero.
fn unit(vector: [f64; 3]) -> Option<DVec3> {
    let vector = DVec3::from_array(vector);
    let largest = vector.abs().max_element();
    (largest > 0.0 && largest.is_finite()).then(|| (vector / largest).normalize())
}
