//! Names in the order in which people count: b2 before b10.

use std::cmp::Ordering;

/// Digits as numbers, all else by character; names that differ in nothing but zeros before a number by their text.
pub(crate) fn counted(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (m, n) = (digits(left), digits(right));
        let order = if m > 0 && n > 0 {
            let [p, q] = [&left[..m], &right[..n]].map(|number| number.trim_start_matches('0'));
            (left, right) = (&left[m..], &right[n..]);
            p.len().cmp(&q.len()).then(p.cmp(q))
        } else {
            let (mut rest_a, mut rest_b) = (left.chars(), right.chars());
            let order = match (rest_a.next(), rest_b.next()) {
                (None, None) => return a.cmp(b),
                (p, q) => p.cmp(&q),
            };
            (left, right) = (rest_a.as_str(), rest_b.as_str());
            order
        };
        if order.is_ne() {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in names count, however long they are and wherever they stand; the order is one.
    #[test]
    fn names_are_in_the_order_of_counting() {
        let sorted = [
            "",
            "2",
            "10",
            "b",
            "b2",
            "b02",
            "b2a",
            "b10",
            "b99999999999999999999999",
            "ball 9/x",
            "ball 10/x",
            "é1",
            "é20",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                // Between `b2` and `b02` the text decides.
                let wanted = if [*a, *b].iter().all(|name| ["b2", "b02"].contains(name)) {
                    a.cmp(b)
                } else {
                    i.cmp(&j)
                };
                assert_eq!(counted(a, b), wanted, "{a} and {b}");
            }
        }
    }
}
