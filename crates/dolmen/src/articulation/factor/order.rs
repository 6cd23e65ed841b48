//! In which order to eliminate: those with the fewest neighbours left first, ties by number.

use std::collections::BTreeSet;

/// The order, and for each place in it the later places that its elimination touches, ascending.
pub(super) fn least_degree(neighbours: Vec<BTreeSet<usize>>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let n = neighbours.len();
    let mut graph = neighbours;
    let mut waiting: BTreeSet<(usize, usize)> =
        graph.iter().enumerate().map(|(i, near)| (near.len(), i)).collect();
    let mut order = Vec::with_capacity(n);
    let mut place = vec![0; n];
    let mut touched = Vec::with_capacity(n);
    while let Some((_, next)) = waiting.pop_first() {
        place[next] = order.len();
        order.push(next);
        let near = std::mem::take(&mut graph[next]);
        for &i in &near {
            waiting.remove(&(graph[i].len(), i));
            graph[i].remove(&next);
            graph[i].extend(near.iter().copied().filter(|j| *j != i));
            waiting.insert((graph[i].len(), i));
        }
        touched.push(near.into_iter().collect::<Vec<usize>>());
    }
    for list in &mut touched {
        for i in list.iter_mut() {
            *i = place[*i];
        }
        list.sort_unstable();
    }
    (order, touched)
}
