//! Bounding volumes
