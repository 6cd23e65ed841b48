//! What a program draws of its own into the picture.

use dolmen::math::DVec3;
use serde::Serialize;

/// A colour: red, green and blue, 0 … 255.
pub type Colour = [u8; 3];

/// Orange that differs from the default colours of bodies, for colour-blind people too.
pub const ORANGE: Colour = [230, 97, 0];

/// Something that a program has drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Mark {
    /// A dot of a few pixels.
    Point {
        /// Where, m.
        at: [f64; 3],
        /// In which colour.
        colour: Colour,
    },
    /// A straight line.
    Line {
        /// From here, m.
        from: [f64; 3],
        /// To here, m.
        to: [f64; 3],
        /// In which colour.
        colour: Colour,
    },
    /// A text, always upright and of the same size.
    Label {
        /// Where, m.
        at: [f64; 3],
        /// What it says.
        text: String,
        /// In which colour.
        colour: Colour,
    },
}

/// Marks that one frame may have; more are left out, since each is drawn by itself.
const MOST_MARKS: usize = 2000;

/// Letters that a label may have.
const MOST_LETTERS: usize = 200;

/// Where a program draws points, lines and labels; empty at the start of every frame.
#[derive(Debug, Default)]
pub struct Canvas {
    marks: Vec<Mark>,
}

impl Canvas {
    /// A dot.
    pub fn point(&mut self, at: DVec3, colour: Colour) {
        self.add(at.is_finite(), Mark::Point { at: at.to_array(), colour });
    }

    /// A straight line.
    pub fn line(&mut self, from: DVec3, to: DVec3, colour: Colour) {
        let finite = from.is_finite() && to.is_finite();
        self.add(finite, Mark::Line { from: from.to_array(), to: to.to_array(), colour });
    }

    /// A text.
    pub fn label(&mut self, at: DVec3, text: impl Into<String>, colour: Colour) {
        let text = text.into().chars().take(MOST_LETTERS).collect();
        self.add(at.is_finite(), Mark::Label { at: at.to_array(), text, colour });
    }

    fn add(&mut self, is_finite: bool, mark: Mark) {
        if is_finite && self.marks.len() < MOST_MARKS {
            self.marks.push(mark);
        }
    }

    /// What was drawn.
    pub(crate) fn into_marks(self) -> Vec<Mark> {
        self.marks
    }
}
