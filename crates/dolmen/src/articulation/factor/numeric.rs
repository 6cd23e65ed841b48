//! Factoring and solving with numbers.

use super::absolute::take_out_least_absolute;
use super::symbolic::Target;
use super::{Factor, Mobility, Nearest, WIDEST, ZERO};
use crate::math::dvec3;
use crate::math::work;

/// Buffers of a solution, in the order of elimination.
#[derive(Debug, Clone)]
pub(super) struct Work {
    right: Vec<[f64; WIDEST]>,
    unknown: Vec<[f64; WIDEST]>,
    change: Vec<[f64; WIDEST]>,
    /// Of each copy: M⁻¹ Jᵀ x.
    moved: Vec<[f64; WIDEST]>,
    /// Diagonals of the matrix before elimination.
    scale: Vec<[f64; WIDEST]>,
    /// One column of the matrix, a place for every row, as wide as its block.
    spread: Vec<f64>,
    /// A combination of rows that cancels.
    vector: Vec<f64>,
}

impl Work {
    pub(super) fn new(blocks: usize, copies: usize, rows: usize) -> Self {
        Self {
            right: vec![[0.0; WIDEST]; blocks],
            unknown: vec![[0.0; WIDEST]; blocks],
            change: vec![[0.0; WIDEST]; blocks],
            moved: vec![[0.0; WIDEST]; copies],
            scale: vec![[0.0; WIDEST]; blocks],
            spread: vec![0.0; rows * WIDEST],
            vector: Vec::new(),
        }
    }
}

/// How a solution came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution {
    /// |b| along the combinations of rows that cancel: what makes the rows contradict each other.
    pub contradiction: f64,
    /// Whether it is the only one; else it is that of least norm.
    pub is_unique: bool,
}

/// Steps of iterative refinement: one takes the residual to the rounding of the right side, a second costs as much as the
/// solution and changes the last digit only.
const REFINEMENTS: usize = 1;

/// A pivot above this share of its diagonal costs a solution fewer than four digits.
const WEAK: f64 = 1e-4;

/// M⁻¹ applied to force and torque.
fn yielded(mobility: &Mobility, load: &[f64; WIDEST]) -> [f64; WIDEST] {
    let turned = mobility.inv_inertia * dvec3(load[3], load[4], load[5]);
    let m = mobility.inv_mass;
    [m * load[0], m * load[1], m * load[2], turned.x, turned.y, turned.z]
}

fn dot(a: &[f64; WIDEST], b: &[f64; WIDEST]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

impl Factor {
    /// Factors the Delassus matrix J M⁻¹ Jᵀ: `mobility` of each body, and `part(block, side)` the rows of a block on its body of
    /// that side, as force along x, y, z and torque about them.
    pub fn factor(
        &mut self,
        mobility: impl Fn(usize) -> Mobility,
        part: impl Fn(usize, usize, &mut [[f64; 6]; 6]),
    ) {
        self.fill_in(mobility, part);
        self.operations = 0;
        self.diagonal.fill(ZERO);
        self.lower.fill(0.0);
        for product in &self.structure.products {
            let (left, right) = (&self.parts[product.left], &self.parts[product.right]);
            let mobility = &self.mobility[product.copy];
            for q in 0..product.rows.1 {
                let moved = yielded(mobility, &right[q]);
                for p in 0..product.rows.0 {
                    let target = match product.target {
                        Target::Diagonal(i) => &mut self.diagonal[i][p][q],
                        Target::Below(i) => &mut self.lower[i + p * product.rows.1 + q],
                    };
                    *target += dot(&left[p], &moved);
                }
            }
            self.operations += (product.rows.1 * (12 + 6 * product.rows.0)) as u64;
        }
        for (scale, block) in self.work.scale.iter_mut().zip(&self.diagonal) {
            *scale = std::array::from_fn(|r| block[r][r]);
        }
        for (scale, block) in self.work.scale.iter().zip(&mut self.diagonal) {
            (0..WIDEST).for_each(|r| block[r][r] += self.pivoting.damping * scale[r]);
        }
        self.dropped.clear();
        self.weakest = 1.0;
        for k in 0..self.diagonal.len() {
            self.take_out_earlier(k);
            self.factor_diagonal(k);
            self.divide(k);
        }
        self.find_null_space();
        work::count(2 * self.operations);
    }

    fn fill_in(
        &mut self,
        mobility: impl Fn(usize) -> Mobility,
        part: impl Fn(usize, usize, &mut [[f64; 6]; 6]),
    ) {
        for (copy, (body, count)) in self.mobility.iter_mut().zip(&self.structure.copies) {
            let whole = mobility(*body);
            let count = *count as f64;
            *copy = Mobility { inv_mass: count * whole.inv_mass, inv_inertia: whole.inv_inertia * count };
        }
        let firsts = &self.structure.first_parts;
        let given = self.parts.len() - 2 * self.structure.welds.len();
        for (block, first) in firsts.iter().enumerate() {
            let end = firsts.get(block + 1).copied().unwrap_or(given);
            for side in 0..end - first {
                part(block, side, &mut self.parts[first + side]);
            }
        }
        for (one, other) in &self.structure.welds {
            for r in 0..WIDEST {
                self.parts[*one][r] = std::array::from_fn(|c| if r == c { 1.0 } else { 0.0 });
                self.parts[*other][r] = std::array::from_fn(|c| if r == c { -1.0 } else { 0.0 });
            }
        }
    }

    /// A = L D Lᵀ of a diagonal block; a row without a pivot is dropped.
    fn factor_diagonal(&mut self, k: usize) {
        let n = self.structure.blocks[k].rows;
        let block = &mut self.diagonal[k];
        let mut pivots = [0.0; WIDEST];
        for c in 0..n {
            let mut d = block[c][c];
            for j in 0..c {
                d -= block[c][j] * block[c][j] * pivots[j];
            }
            // A NaN is dropped as well: the residual shows it.
            let stands = d > self.pivoting.dependent * self.work.scale[k][c];
            if stands {
                self.weakest = self.weakest.min(d / self.work.scale[k][c]);
            }
            pivots[c] = if stands { d } else { 0.0 };
            self.inv_pivots[k][c] = if stands { 1.0 / d } else { 0.0 };
            if !stands {
                self.dropped.push((k, c));
            }
            block[c][c] = 1.0;
            for r in c + 1..n {
                let mut value = block[r][c];
                for j in 0..c {
                    value -= block[r][j] * block[c][j] * pivots[j];
                }
                block[r][c] = value * self.inv_pivots[k][c];
            }
        }
        self.operations += (n * n * n / 2 + n) as u64;
    }

    /// Takes the columns before it out of a column: A − Σ L D Lᵀ over those that have its rows, in their order.
    ///
    /// The column is spread out over all rows meanwhile, so that no search for a row is needed.
    fn take_out_earlier(&mut self, k: usize) {
        let structure = &self.structure;
        let column = &structure.columns[k];
        if column.reached.is_empty() {
            return;
        }
        let (width, first) = (structure.blocks[k].rows, structure.first_rows[k]);
        let spread = &mut self.work.spread;
        let own = column.start..column.start + column.rows.len() * width;
        for (r, row) in self.diagonal[k][..width].iter().enumerate() {
            spread[(first + r) * width..][..width].copy_from_slice(&row[..width]);
        }
        for (row, values) in column.rows.iter().zip(self.lower[own.clone()].chunks_exact(width)) {
            spread[row * width..][..width].copy_from_slice(values);
        }
        for (earlier, from) in &column.reached {
            let (n, other) = (structure.blocks[*earlier].rows, &structure.columns[*earlier]);
            let (rows, start) = (&other.rows[*from..], other.start + from * n);
            let (left, right) = (&self.lower[start..][..rows.len() * n], &self.scaled[start..][..width * n]);
            if width == 1 && n == 1 {
                let x = right[0];
                rows.iter().zip(left).for_each(|(row, l)| spread[*row] -= l * x);
            } else {
                for (row, l) in rows.iter().zip(left.chunks_exact(n)) {
                    let values = &mut spread[row * width..][..width];
                    for (value, x) in values.iter_mut().zip(right.chunks_exact(n)) {
                        *value -= l.iter().zip(x).fold(0.0, |sum, (l, x)| sum + l * x);
                    }
                }
            }
            self.operations += (rows.len() * n * width) as u64;
        }
        for (r, row) in self.diagonal[k][..width].iter_mut().enumerate() {
            row[..width].copy_from_slice(&spread[(first + r) * width..][..width]);
        }
        for (row, values) in column.rows.iter().zip(self.lower[own].chunks_exact_mut(width)) {
            values.copy_from_slice(&spread[row * width..][..width]);
        }
    }

    /// Divides a column by its diagonal block: x Lᵀ = a row by row, from the first entry on; then L D = x and L = x/D.
    fn divide(&mut self, k: usize) {
        let n = self.structure.blocks[k].rows;
        let column = &self.structure.columns[k];
        let own = column.start..column.start + column.rows.len() * n;
        let (diagonal, inv_pivots) = (&self.diagonal[k], &self.inv_pivots[k]);
        let rows = self.lower[own.clone()].chunks_exact_mut(n).zip(self.scaled[own].chunks_exact_mut(n));
        for (row, scaled) in rows {
            for c in 0..n {
                let mut x = row[c];
                for j in 0..c {
                    x -= scaled[j] * diagonal[c][j];
                }
                scaled[c] = x;
            }
            for c in 0..n {
                row[c] = scaled[c] * inv_pivots[c];
            }
        }
        self.operations += (column.rows.len() * n * (n + 1) / 2) as u64;
    }

    /// The λ of least norm with J M⁻¹ Jᵀ λ = b, or as nearly as can be in the sense of [`Nearest`].
    pub fn solve(&mut self, b: &[f64], lambda: &mut [f64]) -> Solution {
        // A damped solution is meant to miss; refining it would undo the damping.
        let refinements = if self.pivoting.damping > 0.0 { 0 } else { REFINEMENTS };
        self.solve_refined(b, lambda, refinements)
    }

    /// As [`Factor::solve`], for what is to be right to eleven digits: not refined where pivots lose fewer than four of them.
    pub fn solve_roughly(&mut self, b: &[f64], lambda: &mut [f64]) -> Solution {
        if self.weakest > WEAK { self.solve_refined(b, lambda, 0) } else { self.solve(b, lambda) }
    }

    fn solve_refined(&mut self, b: &[f64], lambda: &mut [f64], refinements: usize) -> Solution {
        debug_assert!(b.len() == self.structure.rows && lambda.len() == b.len());
        lambda.copy_from_slice(b);
        if self.nearest == Nearest::Absolute {
            take_out_least_absolute(&self.null, lambda);
        }
        // What that leaves is rounding.
        let contradiction = self.null.along(b);
        self.null.remove(lambda);
        self.gather(lambda);
        let mut work = std::mem::replace(&mut self.work, Work::new(0, 0, 0));
        work.unknown.fill([0.0; WIDEST]);
        work.change.copy_from_slice(&work.right);
        for round in 0..=refinements {
            self.substitute(&mut work.change);
            for (x, change) in work.unknown.iter_mut().zip(&work.change) {
                *x = std::array::from_fn(|r| x[r] + change[r]);
            }
            if round < refinements {
                self.subtract_product(&mut work);
            }
        }
        self.work = work;
        self.scatter(lambda);
        self.null.remove(lambda);
        Solution { contradiction, is_unique: self.dropped.is_empty() }
    }

    /// A right side given row by row into the order of elimination; zero for welds.
    fn gather(&mut self, b: &[f64]) {
        for (block, right) in self.structure.blocks.iter().zip(&mut self.work.right) {
            *right = [0.0; WIDEST];
            if let Some(first) = block.first {
                right[..block.rows].copy_from_slice(&b[first..first + block.rows]);
            }
        }
    }

    fn scatter(&self, lambda: &mut [f64]) {
        for (block, unknown) in self.structure.blocks.iter().zip(&self.work.unknown) {
            if let Some(first) = block.first {
                lambda[first..first + block.rows].copy_from_slice(&unknown[..block.rows]);
            }
        }
    }

    /// L D Lᵀ x = x.
    fn substitute(&mut self, x: &mut [[f64; WIDEST]]) {
        for k in 0..x.len() {
            let n = self.structure.blocks[k].rows;
            let (own, diagonal) = (&mut x[k], &self.diagonal[k]);
            for r in 1..n {
                for c in 0..r {
                    own[r] -= diagonal[r][c] * own[c];
                }
            }
            let own = *own;
            // A force on few bodies has few rows at first.
            if own[..n].iter().all(|x| *x == 0.0) {
                continue;
            }
            let column = &self.structure.columns[k];
            let mut start = column.start;
            for place in &column.places {
                let rows = self.structure.blocks[*place].rows;
                let block = self.lower[start..].chunks_exact(n);
                for (x, row) in x[*place][..rows].iter_mut().zip(block) {
                    *x -= row.iter().zip(&own[..n]).map(|(l, x)| l * x).sum::<f64>();
                }
                start += rows * n;
            }
            self.operations += (2 * n * column.rows.len() + n * n) as u64;
        }
        for (x, inverse) in x.iter_mut().zip(&self.inv_pivots) {
            *x = std::array::from_fn(|r| x[r] * inverse[r]);
        }
        self.substitute_back(x);
    }

    /// Lᵀ x = x.
    pub(super) fn substitute_back(&self, x: &mut [[f64; WIDEST]]) {
        for k in (0..x.len()).rev() {
            let n = self.structure.blocks[k].rows;
            let column = &self.structure.columns[k];
            let mut start = column.start;
            for place in &column.places {
                let rows = self.structure.blocks[*place].rows;
                let (block, other) = (&self.lower[start..start + rows * n], x[*place]);
                for (c, own) in x[k][..n].iter_mut().enumerate() {
                    *own -= block.chunks_exact(n).zip(&other[..rows]).map(|(l, x)| l[c] * x).sum::<f64>();
                }
                start += rows * n;
            }
            let (own, diagonal) = (&mut x[k], &self.diagonal[k]);
            for c in (0..n).rev() {
                for r in c + 1..n {
                    own[c] -= diagonal[r][c] * own[r];
                }
            }
        }
    }

    /// change = right − J M⁻¹ Jᵀ unknown.
    fn subtract_product(&self, work: &mut Work) {
        work.moved.fill([0.0; WIDEST]);
        for (block, x) in self.structure.blocks.iter().zip(&work.unknown) {
            for (copy, part) in &block.parts {
                for r in 0..block.rows {
                    for c in 0..WIDEST {
                        work.moved[*copy][c] += self.parts[*part][r][c] * x[r];
                    }
                }
            }
        }
        for (moved, mobility) in work.moved.iter_mut().zip(&self.mobility) {
            *moved = yielded(mobility, moved);
        }
        for (k, block) in self.structure.blocks.iter().enumerate() {
            work.change[k] = work.right[k];
            for (copy, part) in &block.parts {
                for r in 0..block.rows {
                    work.change[k][r] -= dot(&self.parts[*part][r], &work.moved[*copy]);
                }
            }
        }
    }

    /// max |A λ − b| over all rows, with the part of b that no λ can reach.
    pub fn residual(&mut self, b: &[f64], lambda: &[f64]) -> f64 {
        self.gather(b);
        let mut work = std::mem::replace(&mut self.work, Work::new(0, 0, 0));
        for (block, x) in self.structure.blocks.iter().zip(&mut work.unknown) {
            if let Some(first) = block.first {
                x[..block.rows].copy_from_slice(&lambda[first..first + block.rows]);
            }
        }
        // Forces of welds belong to the solution before its part along the null space was taken out; that part changes no
        // motion, so what the bodies feel is found from the joints alone, with each hub as one.
        let residual = self.whole_residual(&mut work);
        self.work = work;
        residual
    }

    fn whole_residual(&self, work: &mut Work) -> f64 {
        work.moved.fill([0.0; WIDEST]);
        // The first copy of a body gathers for all.
        let firsts = &self.structure.firsts;
        let real = || self.structure.blocks.iter().enumerate().filter(|(_, block)| block.first.is_some());
        for (k, block) in real() {
            for (copy, part) in &block.parts {
                for r in 0..block.rows {
                    for c in 0..WIDEST {
                        work.moved[firsts[*copy]][c] += self.parts[*part][r][c] * work.unknown[k][r];
                    }
                }
            }
        }
        for (copy, (_, count)) in self.structure.copies.iter().enumerate() {
            let whole = yielded(&self.mobility[copy], &work.moved[copy]);
            work.moved[copy] = whole.map(|v| v / *count as f64);
        }
        let mut largest = 0.0_f64;
        for (k, block) in real() {
            let mut left = work.right[k];
            for (copy, part) in &block.parts {
                for r in 0..block.rows {
                    left[r] -= dot(&self.parts[*part][r], &work.moved[firsts[*copy]]);
                }
            }
            // A NaN has to show.
            for value in &left[..block.rows] {
                largest = if value.is_nan() { f64::NAN } else { largest.max(value.abs()) };
            }
        }
        largest
    }

    fn find_null_space(&mut self) {
        self.null.clear(self.structure.rows);
        if self.dropped.is_empty() {
            return;
        }
        let mut x = std::mem::take(&mut self.work.change);
        let mut vector = std::mem::take(&mut self.work.vector);
        vector.resize(self.structure.rows, 0.0);
        for (k, r) in &self.dropped {
            x.fill([0.0; WIDEST]);
            x[*k][*r] = 1.0;
            self.substitute_back(&mut x);
            for (block, x) in self.structure.blocks.iter().zip(&x) {
                if let Some(first) = block.first {
                    vector[first..first + block.rows].copy_from_slice(&x[..block.rows]);
                }
            }
            self.null.add(&vector);
        }
        (self.work.change, self.work.vector) = (x, vector);
    }
}
