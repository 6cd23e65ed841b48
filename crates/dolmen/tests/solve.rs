//! Complementarity problems: published ones, all subsets as a referee, singular matrices, Coulomb's cone.

#[path = "solve/cone.rs"]
mod cone;
#[path = "solve/lcp.rs"]
mod lcp;
