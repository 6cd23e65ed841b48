//! Corners and edges that meet corners and edges: a local plane between them.

use super::super::tolerance::OPPOSED;
use super::meeting::Meeting;
use crate::math::DVec3;
use crate::narrow_phase::{Contact, ContactFunction, Feature, NormalRule};

/// Two features that meet where neither is on a face of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) guest: Feature,
    pub(super) host: Feature,
    pub(super) at: DVec3,
    /// The edges that lie along each other there, if that is so.
    pub(super) along: Option<[Feature; 2]>,
}

/// The contact along the mean of the outward normals of what meets, `m_b` − `m_a`, if that plane parts the pieces there;
/// else along the first normal of a face, or of an edge of each, that does. None where nothing does: a groove, where the
/// faces beside it are touched.
pub(super) fn local_contact(meeting: &Meeting, corner: &Corner) -> Option<Contact> {
    let [guest, host] = corner.along.unwrap_or([corner.guest, corner.host]);
    let (mean_a, mean_b) = (meeting.guest.mean_normal(guest), meeting.host.mean_normal(host));
    let parts = |n: &DVec3| {
        meeting.guest.is_beyond(corner.guest, *n, meeting.tolerance)
            && meeting.host.is_beyond(corner.host, -*n, meeting.tolerance)
    };
    let between = mean_b - mean_a;
    let mean = Some(between).filter(|n| n.length() > OPPOSED).map(DVec3::normalize).filter(parts);
    let back = meeting.pose.orientation.conjugate();
    let normal = match mean {
        Some(_) => NormalRule::Mean { mean_a: back * mean_a, mean_b },
        None => NormalRule::OfB(first_that_parts(meeting, corner, &parts)?),
    };
    let point_a = match corner.guest {
        Feature::Vertex(v) => meeting.guest.own_vertex(v),
        _ => meeting.back(corner.at),
    };
    let point_b = match corner.host {
        Feature::Vertex(v) => meeting.host.own_vertex(v),
        _ => corner.at,
    };
    let function = ContactFunction { point_a, point_b, normal };
    Some(meeting.finish((corner.guest, corner.host), corner.at, function))
}

fn first_that_parts(meeting: &Meeting, corner: &Corner, parts: &dyn Fn(&DVec3) -> bool) -> Option<DVec3> {
    let of_host = meeting.host.faces_at(corner.host).map(|f| meeting.host.normal(f));
    let of_guest = meeting.guest.faces_at(corner.guest).map(|f| -meeting.guest.normal(f));
    let crosses = meeting.guest.arms(corner.guest).flat_map(|u| {
        meeting.host.arms(corner.host).flat_map(move |v| {
            let cross = u.normalize_or_zero().cross(v.normalize_or_zero()).normalize_or_zero();
            [cross, -cross]
        })
    });
    of_host.chain(of_guest).chain(crosses).filter(|n| *n != DVec3::ZERO).find(parts)
}
