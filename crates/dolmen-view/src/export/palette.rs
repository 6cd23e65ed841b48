//! The colours of several pictures, as few of them.
//!
//! Median cut [Heckbert 1982]: the box of colours that holds the most is cut where half of its pixels are on either side, across its longest
//! side, until there are as many boxes as colours. Counts are whole numbers and ties are broken by place: the same pictures give the
//! same bytes.

/// Bits of a channel that are told apart.
const BITS: u32 = 5;
const LEVELS: usize = 1 << BITS;

/// Colours besides the one that leaves a pixel as it was.
const COLOURS: usize = 255;

/// At most 255 colours, and the nearest of them for every other.
pub(super) struct Palette {
    colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// Pixels of nearly the same colour: how many, and the sum of their channels.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sum: [u64; 3],
}

impl Bin {
    fn mean(&self) -> [u8; 3] {
        let count = self.count.max(1);
        self.sum.map(|sum| ((sum + count / 2) / count) as u8)
    }
}

impl Palette {
    /// The entry that is transparent: the pixel stays as it was.
    pub(super) const SAME: u8 = 255;

    /// For these pictures, three bytes a pixel.
    pub(super) fn new<'a>(pictures: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut bins = vec![Bin::default(); LEVELS * LEVELS * LEVELS];
        for pixel in pictures.flat_map(|picture| picture.chunks_exact(3)) {
            let bin = &mut bins[place(pixel)];
            bin.count += 1;
            for (sum, channel) in bin.sum.iter_mut().zip(pixel) {
                *sum += u64::from(*channel);
            }
        }
        let used: Vec<usize> = (0..bins.len()).filter(|i| bins[*i].count > 0).collect();
        let mut boxes = vec![used];
        while boxes.len() < COLOURS {
            let weight = |cells: &[usize]| cells.iter().map(|i| bins[*i].count).sum::<u64>();
            let splittable = boxes.iter().enumerate().filter(|(_, cells)| cells.len() > 1);
            // By how many pixels and by how far they differ: a large floor of one shade needs no second one.
            let Some((at, _)) = splittable
                .max_by_key(|(at, cells)| (weight(cells) * longest(cells).1 as u64, std::cmp::Reverse(*at)))
            else {
                break;
            };
            let cells = std::mem::take(&mut boxes[at]);
            let (low, high) = cut(cells, &bins);
            boxes[at] = low;
            boxes.push(high);
        }
        let sum = |cells: &[usize]| {
            cells.iter().map(|i| bins[*i]).fold(Bin::default(), |all, bin| Bin {
                count: all.count + bin.count,
                sum: [0, 1, 2].map(|k| all.sum[k] + bin.sum[k]),
            })
        };
        let colours: Vec<[u8; 3]> = boxes.iter().map(|cells| sum(cells).mean()).collect();
        let mut nearest = vec![0; bins.len()];
        for i in boxes.concat() {
            let mean = bins[i].mean();
            let off =
                |colour: &[u8; 3]| (0..3).map(|k| u32::from(mean[k].abs_diff(colour[k])).pow(2)).sum::<u32>();
            let best = (0..colours.len()).min_by_key(|k| off(&colours[*k]));
            nearest[i] = best.unwrap_or(0) as u8;
        }
        Self { colours, nearest }
    }

    /// Red, green, blue of all 256 entries.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colours.concat();
        bytes.resize(3 * 256, 0);
        bytes
    }

    /// How opaque each entry is.
    pub(super) fn opacities() -> Vec<u8> {
        let mut opacities = vec![255; 256];
        opacities[usize::from(Self::SAME)] = 0;
        opacities
    }

    /// A picture in these colours, one byte a pixel.
    pub(super) fn indices(&self, picture: &[u8]) -> Vec<u8> {
        picture.chunks_exact(3).map(|pixel| self.nearest[place(pixel)]).collect()
    }
}

/// The bin of a pixel.
fn place(pixel: &[u8]) -> usize {
    pixel.iter().fold(0, |place, channel| place << BITS | usize::from(channel >> (8 - BITS)))
}

/// The level of a bin in one channel.
fn level(place: usize, channel: usize) -> usize {
    place >> (BITS as usize * (2 - channel)) & (LEVELS - 1)
}

/// The channel in which bins differ most, and by how many levels.
fn longest(cells: &[usize]) -> (usize, usize) {
    let side = |channel: usize| {
        let levels = cells.iter().map(|i| level(*i, channel));
        let (least, most) = levels.fold((LEVELS, 0), |(least, most), l| (l.min(least), l.max(most)));
        most.saturating_sub(least)
    };
    let longest = (0..3).max_by_key(|channel| (side(*channel), std::cmp::Reverse(*channel)));
    let channel = longest.unwrap_or(0);
    (channel, side(channel))
}

/// Two halves with as many pixels each as can be; none is empty.
fn cut(mut cells: Vec<usize>, bins: &[Bin]) -> (Vec<usize>, Vec<usize>) {
    let (channel, _) = longest(&cells);
    cells.sort_by_key(|i| (level(*i, channel), *i));
    let all: u64 = cells.iter().map(|i| bins[*i].count).sum();
    let mut passed = 0;
    let middle = cells.iter().position(|i| {
        passed += bins[*i].count;
        2 * passed >= all
    });
    let middle = middle.map_or(1, |middle| middle + 1).clamp(1, cells.len() - 1);
    let high = cells.split_off(middle);
    (cells, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pictures of few colours keep each of them to the byte.
    #[test]
    fn few_colours_are_kept() {
        let picture: Vec<u8> = [[250, 10, 3], [10, 250, 3], [255, 255, 255], [0, 0, 0]].concat();
        let palette = Palette::new([picture.as_slice()].into_iter());
        let bytes = palette.bytes();
        let back: Vec<u8> = palette
            .indices(&picture)
            .iter()
            .flat_map(|i| bytes[3 * usize::from(*i)..3 * usize::from(*i) + 3].to_vec())
            .collect();
        assert_eq!(back, picture);
        assert_eq!(Palette::opacities()[usize::from(Palette::SAME)], 0);
    }

    /// Of a hundred thousand colours none moves far, and no pixel gets the entry that means "as before".
    #[test]
    fn many_colours_stay_near() {
        let n = 47;
        let picture: Vec<u8> = (0..n * n * n)
            .flat_map(|i: usize| [i % n, i / n % n, i / (n * n)].map(|k| (k * 255 / (n - 1)) as u8))
            .collect();
        let palette = Palette::new([picture.as_slice()].into_iter());
        let bytes = palette.bytes();
        for (pixel, i) in picture.chunks_exact(3).zip(palette.indices(&picture)) {
            assert_ne!(i, Palette::SAME);
            let colour = &bytes[3 * usize::from(i)..][..3];
            let off = pixel.iter().zip(colour).map(|(a, b)| a.abs_diff(*b)).max();
            // 255 boxes in a cube have sides of 256/6.3 if they are cubes; of twice that where a box is cut in one direction first.
            assert!(off.is_some_and(|off| off <= 43), "{pixel:?} became {colour:?}");
        }
    }
}
