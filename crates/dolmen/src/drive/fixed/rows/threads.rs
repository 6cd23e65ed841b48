//! Work on several threads whose result does not hang on their number.
//!
//! Items are dealt out in turn; each is worked on alone, with buffers of its thread. What comes out is in the items, or in the buffers as a
//! largest or a first, which no order changes.

use std::thread;

/// Calls `work` on every item, on as many threads as there are buffers.
pub(in crate::drive::fixed) fn each<T: Send, S: Send>(
    items: impl ExactSizeIterator<Item = T>,
    buffers: &mut [S],
    work: impl Fn(T, &mut S) + Sync,
) {
    let count = buffers.len().min(items.len());
    let Some((own, others)) = buffers.split_first_mut() else { return };
    if count < 2 {
        items.for_each(|item| work(item, own));
        return;
    }
    let mut shares: Vec<Vec<T>> = (0..count).map(|_| Vec::new()).collect();
    for (i, item) in items.enumerate() {
        shares[i % count].push(item);
    }
    let mut shares = shares.into_iter();
    let first = shares.next();
    thread::scope(|scope| {
        for (share, buffer) in shares.zip(others) {
            let work = &work;
            scope.spawn(move || share.into_iter().for_each(|item| work(item, buffer)));
        }
        first.into_iter().flatten().for_each(|item| work(item, own));
    });
}
