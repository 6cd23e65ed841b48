//! Bodies: mass, inertia, placement and motion.

use super::{Checks, INERTIA_TOLERANCE, ROTATION_TOLERANCE};
use crate::math::{DMat3, DVec3};
use crate::scene::tolerances::{FARTHEST, FASTEST, FASTEST_SPIN, HEAVIEST};
use crate::scene::typed::{
    Body, BodyKind, Density, Inertia, Motion, Orientation, Oscillate, Path, PathInterpolation, Shape,
};

impl Checks {
    pub(super) fn body(&mut self, body: &Body) {
        if let Some(shape) = &body.shape {
            self.inside("shape", |checks| checks.shape(shape));
        }
        self.mass(body);
        if let Some(inertia) = &body.inertia {
            self.inertia(inertia);
            if body.mass.is_none() {
                self.report("inertia", "`inertia` needs a `mass`", None);
            }
        }
        self.exclusive(("position", body.position.is_some()), ("centre", body.centre.is_some()));
        self.exclusive(("spin", body.spin.is_some()), ("spin_body", body.spin_body.is_some()));
        if let Some(orientation) = &body.orientation {
            self.inside("orientation", |checks| checks.orientation(orientation));
        }
        for (key, place) in
            [("position", body.position), ("centre", body.centre), ("centre_of_mass", body.centre_of_mass)]
        {
            self.all_at_most(key, place, FARTHEST, "m, farther than anything is");
        }
        self.all_at_most("velocity", body.velocity, FASTEST, "m/s, faster than light");
        for (key, spin) in [("spin", body.spin), ("spin_body", body.spin_body)] {
            self.all_at_most(key, spin, FASTEST_SPIN, "rad/s, faster than anything turns");
        }
        self.motion(body);
        if matches!(body.shape, Some(Shape::Plane(_))) {
            self.body_of_plane(body);
        }
        if matches!(body.shape, Some(Shape::Point(_))) {
            self.body_of_point(body);
        }
    }

    /// A point has a mass and cannot be turned.
    fn body_of_point(&mut self, body: &Body) {
        let of_turning = [
            ("density", body.density.is_some()),
            ("inertia", body.inertia.is_some()),
            ("centre_of_mass", body.centre_of_mass.is_some()),
            ("orientation", body.orientation.is_some()),
            ("spin", body.spin.is_some()),
            ("spin_body", body.spin_body.is_some()),
        ];
        for (key, _) in of_turning.iter().filter(|(_, given)| *given) {
            let help = "remove it; a point has a `mass`, a `position` and a `velocity`";
            self.report(
                key,
                format!("a point has no extent and cannot be turned, so `{key}` says nothing"),
                Some(help),
            );
        }
    }

    /// A plane has no mass, and moves as told if it moves.
    fn body_of_plane(&mut self, body: &Body) {
        if !matches!(body.kind, Some(BodyKind::Fixed | BodyKind::Kinematic)) {
            let message = "only a fixed or kinematic body can be a plane";
            let help = "write kind = \"fixed\"; what forces move can be a thin box";
            self.report("shape", message, Some(help));
        }
        let of_mass = [
            ("mass", body.mass.is_some()),
            ("density", body.density.is_some()),
            ("inertia", body.inertia.is_some()),
            ("centre_of_mass", body.centre_of_mass.is_some()),
        ];
        for (key, _) in of_mass.iter().filter(|(_, given)| *given) {
            self.report(key, format!("a plane has no mass, so `{key}` says nothing"), Some("remove it"));
        }
        if body.centre.is_some() {
            self.report("centre", "a plane has no centre of mass", Some("write `position`"));
        }
    }

    fn mass(&mut self, body: &Body) {
        self.positive("mass", body.mass);
        self.at_most("mass", body.mass, HEAVIEST, "kg, more than there is");
        match &body.density {
            Some(Density::Uniform(density)) => self.positive("density", *density),
            Some(Density::Varying(field)) => {
                if let Some(hessian) = field.hessian
                    && asymmetry(&hessian) > INERTIA_TOLERANCE * largest(&hessian)
                {
                    self.inside("density", |checks| {
                        checks.report("hessian", "`hessian` is not symmetric", None);
                    });
                }
            }
            None => {}
        }
        let (has_mass, has_density) = (body.mass.is_some(), body.density.is_some());
        self.exclusive(("mass", has_mass), ("density", has_density));
        let own = match &body.shape {
            Some(Shape::Points(_)) => true,
            Some(Shape::Compound(compound)) => {
                compound.parts.iter().any(|part| part.mass.is_some() || part.density.is_some())
            }
            _ => false,
        };
        if own && (has_mass || has_density) {
            let key = if has_mass { "mass" } else { "density" };
            self.report(
                key,
                format!("the parts of the shape have masses of their own, so `{key}` is not needed"),
                None,
            );
        }
        match &body.shape {
            None if has_density => self.report("density", "`density` needs a `shape`", Some("give a `mass`")),
            Some(Shape::Disc(_)) if has_density => {
                self.report(
                    "density",
                    "a disc has no volume, so `density` says nothing",
                    Some("give a `mass`"),
                );
            }
            _ => {}
        }
        let is_dynamic = matches!(body.kind, None | Some(BodyKind::Dynamic));
        let is_plane = matches!(body.shape, Some(Shape::Plane(_)));
        if is_dynamic && !own && !has_mass && !has_density && !is_plane {
            self.report_here(
                "a body that moves needs `mass` or `density`",
                Some("or write kind = \"fixed\""),
            );
        }
    }

    /// A body's moments of inertia are positive and none exceeds the sum of the other two, since
    /// ½ tr(I)·1 − I = ∫ x xᵀ dm has no negative eigenvalue.
    fn inertia(&mut self, inertia: &Inertia) {
        let rows = match inertia {
            Inertia::Principal([x, y, z]) => [[*x, 0.0, 0.0], [0.0, *y, 0.0], [0.0, 0.0, *z]],
            Inertia::Matrix(rows) => **rows,
        };
        let size = largest(&rows);
        if !(size > 0.0 && size.is_finite()) {
            return self.report("inertia", "`inertia` cannot be zero", None);
        }
        if asymmetry(&rows) > INERTIA_TOLERANCE * size {
            return self.report("inertia", "the matrix of `inertia` is not symmetric", None);
        }
        let [x, y, z] = rows.map(|row| DVec3::from_array(row) / size);
        let scaled = DMat3::from_cols(x, y, z);
        if !is_definite(&scaled, 0.0) {
            return self.report("inertia", "moments of `inertia` have to be greater than 0", None);
        }
        let trace = scaled.x_axis.x + scaled.y_axis.y + scaled.z_axis.z;
        let spread = DMat3::from_diagonal(DVec3::splat(trace / 2.0 + INERTIA_TOLERANCE)) - scaled;
        if !is_definite(&spread, 0.0) {
            let message = "no body has this `inertia`: one moment is larger than the sum of the other two";
            self.report("inertia", message, None);
        }
    }

    fn motion(&mut self, body: &Body) {
        let moving = [
            ("velocity", body.velocity.is_some()),
            ("spin", body.spin.is_some()),
            ("spin_body", body.spin_body.is_some()),
        ];
        let kind = body.kind.unwrap_or(BodyKind::Dynamic);
        for (key, _) in moving.iter().filter(|(_, given)| *given) {
            if kind == BodyKind::Fixed {
                self.report(
                    key,
                    format!("a fixed body has no `{key}`"),
                    Some("kind = \"kinematic\" moves as prescribed"),
                );
            } else if body.motion.is_some() && kind == BodyKind::Kinematic {
                self.report(
                    key,
                    format!("the `motion` says how the body moves, so `{key}` is not needed"),
                    None,
                );
            }
        }
        let Some(motion) = &body.motion else { return };
        if kind != BodyKind::Kinematic {
            self.report("motion", "only a kinematic body has a `motion`", Some("write kind = \"kinematic\""));
        }
        self.inside("motion", |checks| match &**motion {
            Motion::Uniform(_) => {}
            Motion::Oscillate(oscillate) => checks.oscillate(oscillate),
            Motion::Path(path) => checks.path(path),
        });
    }

    fn oscillate(&mut self, oscillate: &Oscillate) {
        self.frequency(oscillate.frequency);
        self.axis(oscillate.axis);
        match (oscillate.axis, oscillate.angle) {
            (Some(_), None) => self.report("axis", "`axis` needs an `angle`", None),
            (None, Some(_)) => self.report("angle", "`angle` needs an `axis`", None),
            (None, None) if oscillate.amplitude.is_none() => {
                self.report_here("`amplitude`, or `axis` and `angle`, is missing", None);
            }
            _ => {}
        }
    }

    fn path(&mut self, path: &Path) {
        self.increasing("times", &path.times);
        if path.times.len() < 2 {
            self.report("times", "a path needs at least 2 times", None);
        }
        if path.positions.is_none() && path.orientations.is_none() {
            self.report_here("`positions` or `orientations` is missing", None);
        }
        let is_linear = path.interpolation == Some(PathInterpolation::Linear);
        match path.blend {
            None if is_linear => {
                self.report_here(
                    "`blend` is missing: how long a corner takes, s",
                    Some("a velocity cannot jump"),
                );
            }
            Some(_) if !is_linear => {
                self.report("blend", "`blend` goes with interpolation = \"linear\"", None);
            }
            Some(blend) => {
                self.positive("blend", blend);
                if path.times.first().is_some_and(|first| *first < blend / 2.0) {
                    let message =
                        format!("the first of `times` cannot be before half of `blend`, {}", blend / 2.0);
                    self.report("times", message, Some("the first corner has to end its first half after 0"));
                }
            }
            None => {}
        }
        if let Some(positions) = &path.positions {
            self.same_length("positions", positions.len(), "times", path.times.len());
        }
        if let Some(orientations) = &path.orientations {
            self.same_length("orientations", orientations.len(), "times", path.times.len());
            self.each("orientations", orientations, Self::orientation);
        }
    }

    fn axis(&mut self, axis: Option<[f64; 3]>) {
        if axis == Some([0.0; 3]) {
            self.report("axis", "`axis` cannot be zero", None);
        }
    }

    pub(super) fn orientation(&mut self, orientation: &Orientation) {
        let forms = [
            ("quaternion", orientation.quaternion.is_some()),
            ("axis", orientation.axis.is_some()),
            ("matrix", orientation.matrix.is_some()),
            ("euler", orientation.euler.is_some()),
            ("euler_deg", orientation.euler_deg.is_some()),
        ];
        let mut given = forms.iter().filter(|(_, given)| *given);
        match given.next() {
            // An angle alone is reported below.
            None if orientation.angle.is_some() || orientation.angle_deg.is_some() => {}
            None => self.report_here(
                "the orientation is missing",
                Some("give `quaternion`, `matrix`, `euler`, `euler_deg`, or `axis` with `angle` or `angle_deg`"),
            ),
            Some(first) => given.for_each(|other| self.exclusive(*first, *other)),
        }
        self.exclusive(
            ("angle", orientation.angle.is_some()),
            ("angle_deg", orientation.angle_deg.is_some()),
        );
        self.axis(orientation.axis);
        let angle = if orientation.angle.is_some() {
            Some("angle")
        } else {
            orientation.angle_deg.map(|_| "angle_deg")
        };
        match (orientation.axis, angle) {
            (Some(_), None) => self.report("axis", "`axis` needs an `angle` or `angle_deg`", None),
            (None, Some(key)) => self.report(key, format!("`{key}` needs an `axis`"), None),
            _ => {}
        }
        if orientation.order.is_some() && orientation.euler.is_none() && orientation.euler_deg.is_none() {
            self.report("order", "`order` goes with `euler` or `euler_deg`", None);
        }
        if let Some(quaternion) = orientation.quaternion {
            self.quaternion(quaternion);
        }
        if let Some(rows) = orientation.matrix {
            self.rotation_matrix(&rows);
        }
    }

    fn quaternion(&mut self, quaternion: [f64; 4]) {
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 {
            self.report(
                "quaternion",
                "a quaternion cannot be zero",
                Some("[1, 0, 0, 0] leaves the body as it is"),
            );
        } else if (length - 1.0).abs() > ROTATION_TOLERANCE {
            let message = format!("the quaternion has length {length}, and has to have length 1");
            let [w, x, y, z] = quaternion.map(|component| component / length);
            self.report("quaternion", message, Some(&format!("normalised it is [{w}, {x}, {y}, {z}]")));
        }
    }

    fn rotation_matrix(&mut self, rows: &[[f64; 3]; 3]) {
        let [x, y, z] = rows.map(DVec3::from_array);
        let products = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0, x.dot(y), y.dot(z), z.dot(x)];
        let error = products.iter().fold(0.0_f64, |error, product| error.max(product.abs()));
        if error > ROTATION_TOLERANCE {
            let message =
                format!("the matrix is not a rotation: its rows are not orthonormal, by {error:.2e}");
            self.report("matrix", message, Some("rows of length 1 at right angles to each other"));
        } else if x.cross(y).dot(z) < 0.0 {
            self.report(
                "matrix",
                "the matrix is a reflection: its determinant is −1",
                Some("swap two rows or change the sign of one"),
            );
        }
    }
}

fn largest(rows: &[[f64; 3]; 3]) -> f64 {
    rows.iter().flatten().fold(0.0, |largest: f64, entry| largest.max(entry.abs()))
}

fn asymmetry(rows: &[[f64; 3]; 3]) -> f64 {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    pairs.iter().fold(0.0, |most: f64, (i, j)| most.max((rows[*i][*j] - rows[*j][*i]).abs()))
}

/// Whether all leading minors of a symmetric matrix exceed `least` (Sylvester).
fn is_definite(matrix: &DMat3, least: f64) -> bool {
    let (x, y) = (matrix.x_axis, matrix.y_axis);
    x.x > least && x.x * y.y - x.y * y.x > least && matrix.determinant() > least
}
