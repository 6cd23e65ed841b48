//! What laws a run is held to, and how much it may compute.

use super::WorldError;

/// Bounds of the laws that are checked while a run goes on; an infinite one switches its law off.
///
/// A broken law does not end a run: it is an event, and the run says so at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LawBounds {
    /// How far the ledger may be out of balance, by the energy in play. Default: 100 times the relative tolerance, since a step
    /// may leave that tolerance and errors of steps add up.
    pub ledger: Option<f64>,
    /// How deep two bodies may overlap, by the contact tolerance. Default: 1; in time steps also how far points of bodies on
    /// arcs lie below the chords of the longest step.
    pub overlap: Option<f64>,
    /// How far joints may be off, by the longest arm.
    pub drift: f64,
    /// How much energy a single event may give, by the energy in play: rounding.
    pub dissipation: f64,
    /// How far contact forces and mode decisions may be from what the contact law asks, by the accelerations that loads alone would
    /// give; impulses of an impact, by the fastest approach; and positions after a projection, by the smaller body.
    pub residual: f64,
    /// How far mass times acceleration may be from the sum of the recorded forces, by the sum of their sizes.
    pub forces: f64,
    /// How much energy projections and depenetration may give over a run, by the energy in play. Default: what it takes to lift every
    /// body once by the overlap that is allowed by default, which is larger where time steps are taken.
    pub closing: Option<f64>,
    /// How much may be computed for one body while it moves by its own size, in floating-point operations.
    ///
    /// Most bodies take less than 1e8, in heaps and mechanisms up to 1e9. A run that needs more makes next to no progress, and stops.
    pub work: f64,
}

impl Default for LawBounds {
    fn default() -> Self {
        Self {
            ledger: None,
            overlap: None,
            drift: 1e-9,
            dissipation: 1e-9,
            residual: 1e-9,
            forces: 1e-4,
            closing: None,
            work: 2e9,
        }
    }
}

impl LawBounds {
    /// That every bound is positive.
    pub(super) fn check(&self) -> Result<(), WorldError> {
        let bounds = [
            ("ledger", self.ledger.unwrap_or(1.0)),
            ("overlap", self.overlap.unwrap_or(1.0)),
            ("drift", self.drift),
            ("dissipation", self.dissipation),
            ("residual", self.residual),
            ("forces", self.forces),
            ("closing", self.closing.unwrap_or(1.0)),
            ("work", self.work),
        ];
        match bounds.into_iter().find(|(_, bound)| bound.is_nan() || *bound <= 0.0) {
            Some((law, bound)) => Err(WorldError::LawBound { law, bound }),
            None => Ok(()),
        }
    }
}
