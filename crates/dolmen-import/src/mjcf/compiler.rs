//! Compiler options: units of angles, orders of Euler angles, where files are, what is done to masses.

use dolmen::math::{DQuat, DVec3, Pose};

use crate::frame::{from_axes, from_z, turn, unit};
use crate::note::{ImportError, Notes};
use crate::xml::Element;

/// Whether inertias come from shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    Missing,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "attributes of one element")]
pub(super) struct Compiler {
    degrees: bool,
    euler: [u8; 3],
    pub(super) auto_limits: bool,
    pub(super) from_geoms: FromGeoms,
    pub(super) groups: [i64; 2],
    pub(super) mesh_folder: String,
    pub(super) strip_path: bool,
    pub(super) least_mass: f64,
    pub(super) least_inertia: f64,
    pub(super) balance: bool,
    pub(super) total_mass: Option<f64>,
}

impl Compiler {
    pub(super) fn read(root: &Element, notes: &mut Notes) -> Result<Self, ImportError> {
        let mut compiler = Self {
            degrees: true,
            euler: *b"xyz",
            auto_limits: true,
            from_geoms: FromGeoms::Missing,
            groups: [0, 5],
            mesh_folder: String::new(),
            strip_path: false,
            least_mass: 0.0,
            least_inertia: 0.0,
            balance: false,
            total_mass: None,
        };
        for element in root.all("compiler") {
            compiler.one(element, notes)?;
        }
        Ok(compiler)
    }

    fn one(&mut self, element: &Element, notes: &mut Notes) -> Result<(), ImportError> {
        let flag = |key: &str, own: bool| element.get(key).map_or(own, |word| word == "true");
        if let Some(angle) = element.get("angle") {
            self.degrees = angle == "degree";
        }
        if element.get("coordinate") == Some("global") {
            return Err(element
                .error("coordinate=\"global\" is no longer part of MJCF")
                .help("load and save the model with an older MuJoCo"));
        }
        if let Some(order) = element.get("eulerseq") {
            let bytes: Option<[u8; 3]> = order.as_bytes().try_into().ok();
            let valid = bytes.filter(|bytes| bytes.iter().all(|b| b"xyzXYZ".contains(b)));
            self.euler =
                valid.ok_or_else(|| element.error(format!("eulerseq {order:?} is no order of axes")))?;
        }
        self.auto_limits = flag("autolimits", self.auto_limits);
        self.strip_path = flag("strippath", self.strip_path);
        self.balance = flag("balanceinertia", self.balance);
        self.from_geoms = match element.get("inertiafromgeom") {
            Some("true") => FromGeoms::Always,
            Some("false") => FromGeoms::Never,
            Some(_) => FromGeoms::Missing,
            None => self.from_geoms,
        };
        if let Some([first, last]) = element.fixed::<2>("inertiagrouprange")? {
            self.groups = [first as i64, last as i64];
        }
        let folder = element.get("meshdir").or(element.get("assetdir"));
        if let Some(folder) = folder {
            folder.clone_into(&mut self.mesh_folder);
        }
        self.least_mass = element.number("boundmass")?.unwrap_or(self.least_mass);
        self.least_inertia = element.number("boundinertia")?.unwrap_or(self.least_inertia);
        self.total_mass = element.number("settotalmass")?.filter(|mass| *mass > 0.0).or(self.total_mass);
        if flag("fitaabb", false) {
            notes.add(&element.place, "fitaabb", "primitives fitted to meshes are hulls of the meshes");
        }
        Ok(())
    }

    /// An angle in the unit of the file, as radians.
    pub(super) fn angle(&self, value: f64) -> f64 {
        if self.degrees { value.to_radians() } else { value }
    }

    /// `pos` and one of `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis`.
    pub(super) fn pose(&self, element: &Element) -> Result<Pose, ImportError> {
        let position = element.vector("pos")?.unwrap_or(DVec3::ZERO);
        Ok(Pose { position, orientation: self.orientation(element)? })
    }

    pub(super) fn orientation(&self, element: &Element) -> Result<DQuat, ImportError> {
        let wrong = |key: &str| element.error(format!("`{key}` of <{}> has no direction", element.name));
        if let Some([w, x, y, z]) = element.fixed::<4>("quat")? {
            let q = DQuat::from_xyzw(x, y, z, w);
            let length = q.length();
            return if length > 1e-15 && length.is_finite() {
                Ok(q * length.recip())
            } else {
                Err(wrong("quat"))
            };
        }
        if let Some([x, y, z, angle]) = element.fixed::<4>("axisangle")? {
            let axis = unit(DVec3::new(x, y, z)).ok_or_else(|| wrong("axisangle"))?;
            return Ok(turn(axis, self.angle(angle)));
        }
        if let Some(angles) = element.fixed::<3>("euler")? {
            let mut result = DQuat::IDENTITY;
            for (letter, angle) in self.euler.into_iter().zip(angles) {
                let axis = DVec3::AXES[usize::from(letter.to_ascii_lowercase() - b'x')];
                let step = turn(axis, self.angle(angle));
                // Small letters turn with the frame, capitals stay.
                result = if letter.is_ascii_lowercase() { result * step } else { step * result };
            }
            return Ok(result.normalize());
        }
        if let Some([a, b, c, d, e, f]) = element.fixed::<6>("xyaxes")? {
            let x = unit(DVec3::new(a, b, c)).ok_or_else(|| wrong("xyaxes"))?;
            let y = DVec3::new(d, e, f);
            let y = unit(y - x * x.dot(y)).ok_or_else(|| wrong("xyaxes"))?;
            return Ok(from_axes(x, y, x.cross(y)));
        }
        if let Some(z) = element.vector("zaxis")? {
            return Ok(from_z(unit(z).ok_or_else(|| wrong("zaxis"))?));
        }
        Ok(DQuat::IDENTITY)
    }
}
