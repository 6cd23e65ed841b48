//! Broad phases against brute force, swept boxes against sampled motion, bounding volumes against what they bound.

mod broad_phase {
    mod allocation;
    mod dynamic_tree;
    mod methods;
    mod swept;
    mod volume;
}
mod clouds;
