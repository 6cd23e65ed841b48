//! Numbers in columns, so that like numbers are together and pack well.
//!
//! A column holds the lowest bytes of all its numbers, then the next ones, and so on. Whole numbers are kept as differences to
//! the one before, with the sign in the lowest bit. Floating-point numbers that need not be exact lose the lowest byte of their
//! mantissa: 16 bits of it are left, an error of 2⁻¹⁷ of the number. `replay.ts` reads the same.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Columns, one after the other.
#[derive(Debug, Default)]
pub(super) struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    fn planes<const N: usize>(&mut self, values: &[[u8; N]]) {
        (0..N).for_each(|k| self.bytes.extend(values.iter().map(|value| value[k])));
    }

    /// Exact numbers.
    pub(super) fn exact(&mut self, values: impl Iterator<Item = f64>) {
        let values: Vec<_> = values.map(f64::to_le_bytes).collect();
        self.planes(&values);
    }

    /// Numbers to 2⁻¹⁷ of themselves.
    pub(super) fn rough(&mut self, values: impl Iterator<Item = f32>) {
        // Half a unit of what is left, so that cutting rounds; the largest numbers are cut only.
        let cut = |value: f32| {
            let bits = value.to_bits();
            let rounded = bits.wrapping_add(0x80);
            let kept = if f32::from_bits(rounded).is_finite() { rounded } else { bits };
            let [_, a, b, c] = (kept & !0xff).to_le_bytes();
            [a, b, c]
        };
        let values: Vec<_> = values.map(cut).collect();
        self.planes(&values);
    }

    /// Whole numbers.
    pub(super) fn whole(&mut self, values: impl Iterator<Item = i32>) {
        let mut before = 0_i32;
        let values: Vec<_> = values
            .map(|value| {
                let by = value.wrapping_sub(before);
                before = value;
                ((by.cast_unsigned() << 1) ^ (by >> 31).cast_unsigned()).to_le_bytes()
            })
            .collect();
        self.planes(&values);
    }

    /// Places and counts; none comes near 2³¹.
    pub(super) fn places(&mut self, values: impl Iterator<Item = usize>) {
        self.whole(values.map(|value| i32::try_from(value).unwrap_or(i32::MAX)));
    }

    /// Everything, packed as a zlib stream.
    pub(super) fn packed(self) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(self.bytes.len() / 2), Compression::best());
        // Writing into memory does not fail; if it did, the page would say that it cannot read itself.
        let _ = encoder.write_all(&self.bytes);
        encoder.finish().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Columns;

    /// A column of whole numbers is read back by adding up; the extremes are among them.
    #[test]
    fn whole_numbers_come_back() {
        let values = [0, 5, -7, i32::MAX, i32::MIN, 1];
        let mut columns = Columns::default();
        columns.whole(values.into_iter());
        let (n, mut sum) = (values.len(), 0_i32);
        for (i, value) in values.into_iter().enumerate() {
            let bits = (0..4).fold(0_u32, |bits, k| bits | (u32::from(columns.bytes[k * n + i]) << (8 * k)));
            sum = sum.wrapping_add((bits >> 1).cast_signed() ^ -((bits & 1).cast_signed()));
            assert_eq!(sum, value, "number {i}");
        }
    }

    /// Rough numbers keep 16 bits of their mantissa, rounded: 2⁻¹⁷ of themselves; zero and infinity stay.
    #[test]
    fn rough_numbers_are_near() {
        let values = [0.0, 1.0, -1.000_007, 3.456_789e-12, 1e30, f32::MAX, f32::INFINITY];
        let mut columns = Columns::default();
        columns.rough(values.into_iter());
        let n = values.len();
        for (i, value) in values.into_iter().enumerate() {
            let byte = |k: usize| columns.bytes[k * n + i];
            let read = f32::from_le_bytes([0, byte(0), byte(1), byte(2)]);
            let error = if value.is_finite() { (read / value - 1.0).abs() } else { 0.0 };
            assert!(read == value || error <= 1.6e-5, "{read} and not {value}");
        }
    }
}
