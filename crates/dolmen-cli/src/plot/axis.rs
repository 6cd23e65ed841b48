//! Axes: from the range of the data to fractions of a panel, with ticks that a person can read.
//!
//! Everything is computed in a displayed unit, a power of ten of the SI unit, so that 1e-300 and 1e300 are drawn
//! as well as 1; the power stands in the axis label.

use dolmen::math::real;

/// A spread below this fraction of the value is rounding, and is drawn as a constant.
///
/// 64 units in the last place. A decade less and the noise of a conserved quantity fills the panel as if it
/// were a signal; a decade more and a true drift that a reader looks for is hidden.
const FLAT: f64 = 64.0 * f64::EPSILON;
/// A spread below this fraction of the value is labelled as a difference from a round number, for the tick
/// labels would share their first digits.
const OFFSET: f64 = 1e-3;
/// Air above and below the data, as a fraction of its spread.
const PADDING: f64 = 0.05;

/// Least and greatest finite value seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// Least; +∞ when nothing was seen.
    pub(crate) lo: f64,
    /// Greatest; −∞ when nothing was seen.
    pub(crate) hi: f64,
}

impl Extent {
    /// Of all finite values; the others are left out.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut extent = Self { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
        for v in values {
            if v.is_finite() {
                extent.lo = extent.lo.min(v);
                extent.hi = extent.hi.max(v);
            }
        }
        extent
    }

    /// Nothing was seen.
    pub(crate) fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// hi − lo, halved before and so never infinite; 0 when empty.
    pub(crate) fn half_width(self) -> f64 {
        if self.is_empty() { 0.0 } else { self.hi * 0.5 - self.lo * 0.5 }
    }
}

#[derive(Debug, Clone, Copy)]
enum Scale {
    /// u = (v·10^−exponent − offset)·10^−shift; `unit` and `fine` are the two powers.
    Linear { exponent: i32, unit: Power, offset: f64, shift: i32, fine: Power },
    /// u = log₁₀ v.
    Log,
    /// A cell of the same width for each value.
    Cells,
}

/// A mark on an axis.
#[derive(Debug, Clone)]
pub(crate) struct Tick {
    /// Where, as a fraction of the axis.
    pub(crate) at: f64,
    /// Its text; None for a small mark.
    pub(crate) label: Option<String>,
}

/// A map from values to [0, 1], with ticks.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    scale: Scale,
    lo: f64,
    hi: f64,
    count: usize,
    /// The values of cells, from the least up; of other axes none.
    cells: Vec<f64>,
    has_numbers: bool,
}

impl Axis {
    fn new(scale: Scale, (lo, hi): (f64, f64), count: usize) -> Self {
        Self { scale, lo, hi, count, cells: Vec::new(), has_numbers: true }
    }

    /// An axis of cells, one for each of these values from the least up, however far apart they are: about `count` of them have
    /// their number.
    pub(crate) fn cells(values: Vec<f64>, count: usize) -> Self {
        let end = values.len() as f64;
        Self { cells: values, ..Self::new(Scale::Cells, (0.0, end), count) }
    }

    /// The same without numbers at its ticks: another panel has them.
    pub(crate) fn bare(self) -> Self {
        Self { has_numbers: false, ..self }
    }

    /// A linear axis over the data with air at both ends and about `count` ticks.
    pub(crate) fn linear(extent: Extent, count: usize) -> Self {
        let mut axis = Self::snug(extent, count);
        let air = PADDING * (axis.hi - axis.lo);
        axis.lo -= air;
        axis.hi += air;
        axis
    }

    /// A linear axis that begins and ends with the data: for time.
    pub(crate) fn snug(extent: Extent, count: usize) -> Self {
        let (lo, hi) = if extent.is_empty() { (0.0, 0.0) } else { (extent.lo, extent.hi) };
        let exponent = displayed_exponent(lo.abs().max(hi.abs()));
        let (a, b) = (times_power(lo, -exponent), times_power(hi, -exponent));
        let size = a.abs().max(b.abs());
        if b - a <= FLAT * size {
            // A constant: it is drawn in the middle, with its own size (or 1) as the yardstick.
            let half = if size > 0.0 { 0.1 * size } else { 1.0 };
            let middle = 0.5 * (a + b);
            return Self::new(plain(exponent), (middle - half, middle + half), count);
        }
        if b - a > OFFSET * size {
            return Self::new(plain(exponent), (a, b), count);
        }
        let grain = times_power(1.0, decimal_exponent(b - a) + 1);
        let offset = (0.5 * (a + b) / grain).round() * grain;
        let shift = displayed_exponent((a - offset).abs().max((b - offset).abs()));
        let scale =
            Scale::Linear { exponent, unit: Power::of(-exponent), offset, shift, fine: Power::of(-shift) };
        Self::new(scale, (times_power(a - offset, -shift), times_power(b - offset, -shift)), count)
    }

    /// A logarithmic axis of whole decades over the positive values of the extent.
    pub(crate) fn log(extent: Extent, count: usize) -> Self {
        let lo = real::log10(extent.lo.max(f64::from_bits(1))).floor();
        // A value just below or on a decade gets the next one, so that it does not lie on the frame.
        let hi = (real::log10(extent.hi.max(f64::from_bits(1))) + 0.1).ceil();
        Self::new(Scale::Log, (lo, hi.max(lo + 1.0)), count)
    }

    /// Two linear axes on which one metre has the same length, for a panel of `width` by `height`.
    pub(crate) fn equal(x: Extent, y: Extent, width: f64, height: f64, count: usize) -> (Self, Self) {
        let size = [x.lo, x.hi, y.lo, y.hi]
            .into_iter()
            .filter(|v| v.is_finite())
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        let exponent = displayed_exponent(size);
        let scale = plain(exponent);
        let middle_and_half = |e: Extent| {
            let (lo, hi) = if e.is_empty() { (0.0, 0.0) } else { (e.lo, e.hi) };
            let (a, b) = (times_power(lo, -exponent), times_power(hi, -exponent));
            (0.5 * (a + b), 0.5 * (b - a))
        };
        let ((mx, hx), (my, hy)) = (middle_and_half(x), middle_and_half(y));
        // Half a unit of length per pixel; a single point still gets a window of its own size.
        let mut per_pixel = (hx / width).max(hy / height) * (1.0 + 2.0 * PADDING);
        let scaled = times_power(size, -exponent);
        if per_pixel * width.min(height) <= FLAT * scaled || per_pixel == 0.0 {
            per_pixel = if scaled > 0.0 { 0.1 * scaled } else { 1.0 } / width.min(height);
        }
        let axis = |middle: f64, pixels: f64, count: usize| {
            Self::new(scale, (middle - per_pixel * pixels, middle + per_pixel * pixels), count)
        };
        (axis(mx, width, count), axis(my, height, count))
    }

    /// Where a value falls, as a fraction of the axis; None when it cannot be drawn.
    pub(crate) fn place(&self, v: f64) -> Option<f64> {
        if !v.is_finite() {
            return None;
        }
        let u = match self.scale {
            Scale::Linear { unit, offset, fine, .. } => fine.times(unit.times(v) - offset),
            Scale::Log if v > 0.0 => real::log10(v),
            Scale::Log => return None,
            Scale::Cells => self.cells.binary_search_by(|other| other.total_cmp(&v)).ok()? as f64 + 0.5,
        };
        Some((u - self.lo) / (self.hi - self.lo))
    }

    /// The axis label: what, less what is taken off, and the unit with its power of ten, if there is one.
    pub(crate) fn label(&self, name: &str, unit: &str) -> String {
        let in_brackets = |text: &str| if text.is_empty() { String::new() } else { format!(" ({text})") };
        let Scale::Linear { exponent, offset, shift, .. } = self.scale else {
            return format!("{name}{}", in_brackets(unit));
        };
        let power = match exponent + shift {
            0 => unit.to_owned(),
            e => format!("10{} {unit}", superscript(e)),
        };
        let power = in_brackets(power.trim_end());
        if offset == 0.0 {
            return format!("{name}{power}");
        }
        let taken_off = format!("{}", offset.abs());
        let factor = if exponent == 0 { String::new() } else { format!("·10{}", superscript(exponent)) };
        let sign = if offset > 0.0 { "−" } else { "+" };
        format!("{name} {sign} {taken_off}{factor}{power}")
    }

    /// The ticks, from the low end up.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        let mut ticks = match self.scale {
            Scale::Linear { .. } => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
            Scale::Cells => self.cell_ticks(),
        };
        if !self.has_numbers {
            // Small marks stay small marks.
            ticks.iter_mut().filter_map(|tick| tick.label.as_mut()).for_each(String::clear);
        }
        ticks
    }

    fn cell_ticks(&self) -> Vec<Tick> {
        let stride = self.cells.len().div_ceil(self.count.max(1)).max(1);
        let tick = |(i, value): (usize, &f64)| Tick {
            at: (i as f64 + 0.5) / self.cells.len() as f64,
            label: Some(in_words(*value)),
        };
        self.cells.iter().enumerate().step_by(stride).map(tick).collect()
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let (step, decimals) = round_step((self.hi - self.lo) / self.count.max(1) as f64);
        // A thousandth of a step of slack, so that an end which is a tick but for rounding keeps it.
        let first = (self.lo / step - 1e-3).ceil() as i64;
        let last = (self.hi / step + 1e-3).floor() as i64;
        (first..=last)
            .take(4 * self.count + 4)
            .map(|i| {
                let u = i as f64 * step;
                let at = ((u - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0);
                Tick { at, label: Some(minus_sign(&format!("{u:.decimals$}"))) }
            })
            .collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let (lo, hi) = (self.lo as i32, self.hi as i32);
        let stride = (hi - lo) / i32::try_from(self.count.max(1)).unwrap_or(1) + 1;
        let at = |u: f64| (u - self.lo) / (self.hi - self.lo);
        let mut ticks = Vec::new();
        for k in lo..=hi {
            if k.rem_euclid(stride) == 0 || hi - lo < 2 {
                ticks.push(Tick { at: at(f64::from(k)), label: Some(format!("10{}", superscript(k))) });
            }
            if stride == 1 && k < hi {
                let minor = |m: u8| Tick { at: at(f64::from(k) + real::log10(f64::from(m))), label: None };
                ticks.extend((2..=9).map(minor));
            }
        }
        ticks
    }
}

/// ⌊log₁₀ |v|⌋, exactly; 0 for 0.
pub(crate) fn decimal_exponent(v: f64) -> i32 {
    if v == 0.0 || !v.is_finite() {
        return 0;
    }
    // The decimal writing of a float is exact, a logarithm is not.
    format!("{v:e}").split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
}

/// The power of ten that goes into the axis label: 0 for handy values, else a multiple of three.
fn displayed_exponent(size: f64) -> i32 {
    match decimal_exponent(size) {
        -2..=3 => 0,
        e => 3 * e.div_euclid(3),
    }
}

/// A power of ten as two factors, for 10³²⁴ is not a float.
#[derive(Debug, Clone, Copy)]
struct Power(f64, f64);

impl Power {
    fn of(e: i32) -> Self {
        // Read from text, which rounds correctly.
        let power = |e: i32| format!("1e{e}").parse::<f64>().expect("a power of ten is a number");
        if e.abs() <= 300 { Self(power(e), 1.0) } else { Self(power(e / 2), power(e - e / 2)) }
    }

    fn times(self, v: f64) -> f64 {
        v * self.0 * self.1
    }
}

/// v·10ᵉ.
fn times_power(v: f64, e: i32) -> f64 {
    Power::of(e).times(v)
}

/// A linear scale without an offset.
fn plain(exponent: i32) -> Scale {
    Scale::Linear { exponent, unit: Power::of(-exponent), offset: 0.0, shift: 0, fine: Power::of(0) }
}

/// The step 1, 2 or 5 times a power of ten next above `at_least`, and the decimals that show it.
fn round_step(at_least: f64) -> (f64, usize) {
    let e = decimal_exponent(at_least);
    let decade = times_power(1.0, e);
    let mantissa = at_least / decade;
    let (factor, e) = match mantissa {
        m if m <= 1.0 => (1.0, e),
        m if m <= 2.0 => (2.0, e),
        m if m <= 5.0 => (5.0, e),
        _ => (1.0, e + 1),
    };
    (times_power(factor, e), usize::try_from(-e).unwrap_or(0))
}

/// The typographer's minus, and no minus before a zero.
fn minus_sign(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text.to_owned(),
    }
}

/// An integer as an exponent: −6 gives ⁻⁶.
pub(crate) fn superscript(n: i32) -> String {
    n.to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            '9' => '⁹',
            _ => '⁰',
        })
        .collect()
}

/// A number for a sentence: three digits, with a power of ten where it is large or small.
pub(crate) fn in_words(v: f64) -> String {
    if !v.is_finite() {
        return minus_sign(&v.to_string());
    }
    let text = format!("{v:.2e}");
    let (mantissa, e) = text.split_once('e').unwrap_or((&text, "0"));
    match e.parse::<i32>().unwrap_or(0) {
        e @ -2..=3 => minus_sign(&format!("{v:.*}", usize::try_from(2 - e).unwrap_or(0))),
        e => minus_sign(&format!("{mantissa}·10{}", superscript(e))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().filter_map(|t| t.label).collect()
    }

    /// A person reads 0, 1, 2 …, and time begins and ends at the frame.
    #[test]
    fn a_plain_range_gets_plain_ticks() {
        let axis = Axis::snug(Extent { lo: 0.0, hi: 5.0 }, 6);
        assert_eq!(labels(&axis), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(axis.label("t", "s"), "t (s)");
        assert_eq!(axis.label("restitution", ""), "restitution");
        assert_eq!((axis.place(0.0), axis.place(5.0)), (Some(0.0), Some(1.0)));
    }

    /// The whole range of f64 is drawn: subnormal, huge, of both signs.
    #[test]
    fn every_magnitude_has_ticks_and_stays_in_the_frame() {
        for size in [5e-324, 1e-310, 1e-300, 1e-9, 1.0, 1e9, 1e300, f64::MAX] {
            for (lo, hi) in [(-size, size), (0.0, size), (-size, 0.0), (size, size), (0.3 * size, size)] {
                let axis = Axis::linear(Extent { lo, hi }, 5);
                let n = labels(&axis).len();
                assert!((2..=24).contains(&n), "{n} ticks for [{lo:e}, {hi:e}]: {:?}", labels(&axis));
                for v in [lo, hi] {
                    let at = axis.place(v).expect("finite");
                    assert!((0.0..=1.0).contains(&at), "{v:e} in [{lo:e}, {hi:e}] is placed at {at}");
                }
                assert!(labels(&axis).iter().all(|l| l.chars().count() <= 8), "{:?}", labels(&axis));
            }
        }
    }

    /// 1 km with a tremor of a micrometre: the labels show the tremor.
    #[test]
    fn a_small_change_of_a_large_value_is_drawn_as_a_difference() {
        let axis = Axis::linear(Extent { lo: 1000.0, hi: 1000.000002 }, 5);
        let label = axis.label("x", "m");
        assert!(label.starts_with("x − 1000") && label.ends_with("(10⁻⁶ m)"), "{label}");
        let unique: std::collections::BTreeSet<_> = labels(&axis).into_iter().collect();
        assert_eq!(unique.len(), axis.ticks().len());
    }

    /// A conserved quantity that differs in its last digit only is a flat line.
    #[test]
    fn rounding_is_not_drawn_as_a_signal() {
        let axis = Axis::linear(Extent { lo: 5.0, hi: 5.000000000000002 }, 5);
        let (a, b) = (axis.place(5.0).unwrap(), axis.place(5.000000000000002).unwrap());
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    /// Whole decades with powers of ten; a zero has no place.
    #[test]
    fn a_log_axis_has_whole_decades() {
        let axis = Axis::log(Extent { lo: 2e-12, hi: 3e-9 }, 6);
        assert_eq!(labels(&axis), ["10⁻¹²", "10⁻¹¹", "10⁻¹⁰", "10⁻⁹", "10⁻⁸"]);
        assert_eq!(axis.place(0.0), None);
        let tiny = Axis::log(Extent { lo: 5e-324, hi: 1e300 }, 6);
        assert!((3..=8).contains(&labels(&tiny).len()), "{:?}", labels(&tiny));
    }

    /// A circle is drawn as a circle.
    #[test]
    fn equal_axes_have_one_metre_of_one_length() {
        let (x, y) =
            Axis::equal(Extent { lo: 0.0, hi: 3.0 }, Extent { lo: -1e-3, hi: 1e-3 }, 400.0, 300.0, 5);
        let length =
            |axis: &Axis, pixels: f64| (axis.place(1.0).unwrap() - axis.place(0.0).unwrap()) * pixels;
        let (along, across) = (length(&x, 400.0), length(&y, 300.0));
        assert!((along - across).abs() < 1e-9, "{along} against {across} pixels");
    }

    /// Numbers in notes are short.
    #[test]
    fn numbers_in_sentences_are_short() {
        let written: Vec<_> = [0.0, 1.0, -12.345, 3.2e-9, 1e300, f64::NAN].map(in_words).into();
        assert_eq!(written, ["0.00", "1.00", "−12.3", "3.20·10⁻⁹", "1.00·10³⁰⁰", "NaN"]);
    }

    /// Cells have one width and say their own values, however unevenly these lie.
    #[test]
    fn cells_say_their_values() {
        let axis = Axis::cells(vec![-9.8, -3.7, -1.6], 6);
        let ticks: Vec<(f64, String)> =
            axis.ticks().into_iter().map(|tick| (tick.at, tick.label.unwrap_or_default())).collect();
        for (i, value) in [-9.8, -3.7, -1.6].into_iter().enumerate() {
            assert_eq!(axis.place(value), Some((i as f64 + 0.5) / 3.0));
            assert_eq!(ticks[i], ((i as f64 + 0.5) / 3.0, in_words(value)));
        }
        assert_eq!(axis.place(-5.0), None);
        let many = Axis::cells((0..400).map(f64::from).collect(), 6);
        assert_eq!(many.ticks().len(), 6);
        assert!(many.bare().ticks().iter().all(|tick| tick.label.as_deref() == Some("")));
    }
}
