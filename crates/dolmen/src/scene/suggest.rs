//! "Did you mean …?": the nearest of the words that would have been right.

/// Words that people bring from other programs, and what Dolmen calls the thing.
const OTHER_NAMES: [(&str, &str); 53] = [
    ("bodies", "body"),
    ("forces", "force"),
    ("particle", "particles"),
    ("objects", "body"),
    ("g", "gravity"),
    ("t_end", "duration"),
    ("end_time", "duration"),
    ("dt", "step"),
    ("time_step", "step"),
    ("timestep", "step"),
    ("min_step", "first_step"),
    ("max_step", "largest_step"),
    ("rtol", "tolerance"),
    ("atol", "absolute"),
    ("center", "centre"),
    ("center_of_mass", "centre_of_mass"),
    ("com", "centre_of_mass"),
    ("rotation", "orientation"),
    ("attitude", "orientation"),
    ("linear_velocity", "velocity"),
    ("angular_velocity", "spin"),
    ("omega", "spin"),
    ("geometry", "shape"),
    ("type", "kind"),
    ("static", "fixed"),
    ("ball", "sphere"),
    ("cuboid", "box"),
    ("cube", "box"),
    ("pull", "push"),
    ("disk", "disc"),
    ("k", "stiffness"),
    ("rest_length", "length"),
    ("sigma", "length"),
    ("epsilon", "depth"),
    ("label", "name"),
    ("renormalize", "renormalise"),
    ("materials", "material"),
    ("bounce", "restitution"),
    ("bounciness", "restitution"),
    ("elasticity", "restitution"),
    ("mu", "friction"),
    ("dynamic_friction", "kinetic_friction"),
    ("rolling_friction", "rolling_resistance"),
    ("spinning_friction", "spinning_resistance"),
    ("ground", "plane"),
    ("half_space", "plane"),
    ("circular", "circle"),
    ("layers", "groups"),
    ("mask", "collides_with"),
    ("min", "minimum"),
    ("max", "maximum"),
    ("average", "mean"),
    ("multiply", "product"),
];

/// The word of `known` that `word` was most likely meant to be; none when nothing is near.
///
/// Near is a Damerau–Levenshtein distance of at most a third of the longer word, small and capital letters
/// and `-`, `_` and blanks being the same. Ties go to the first.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Distance is quadratic in length: no word of the format is nearly as long as this.
    const LONGEST: usize = 100;
    if word.len() > LONGEST {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = plain(word);
    let other = OTHER_NAMES.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        if Some(candidate) == other {
            return Some(candidate);
        }
        let candidate_plain = plain(candidate);
        let distance = strsim::damerau_levenshtein(&word, &candidate_plain);
        let longer = word.chars().count().max(candidate_plain.chars().count());
        // One letter of three is a third; two letters of two are another word.
        let near = distance <= longer.div_ceil(3) && distance < longer;
        if near && best.is_none_or(|(smallest, _)| distance < smallest) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The remedy for a wrong word: the nearest right one, else all of them.
pub fn help(word: &str, known: &[&str]) -> Option<String> {
    const MOST: usize = 40;
    match nearest(word, known.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if known.is_empty() => None,
        None => {
            let listed: Vec<String> = known.iter().take(MOST).map(|word| format!("`{word}`")).collect();
            let more = if known.len() > MOST { ", …" } else { "" };
            Some(format!("possible here: {}{more}", listed.join(", ")))
        }
    }
}
