"""URDF against Pinocchio: masses, centres, inertias, axes, forward kinematics, the first second of a fall by its own algorithm."""

import numpy as np
import pinocchio

from scene import Scene, frame

OFF = ["--without", "limits", "--without", "actuators", "--without", "contacts", "--meshes", "box"]


def check(dolmen, file, folder, seed=1):
    model = pinocchio.buildModelFromUrdf(str(file), mimic=False)
    data = model.createData()
    scene = Scene(dolmen, file, folder, OFF)
    neutral = pinocchio.neutral(model)
    pinocchio.framesForwardKinematics(model, data, neutral)
    frames = {f.name: k for k, f in enumerate(model.frames) if f.type == pinocchio.FrameType.BODY}
    links = {entry["link"]: entry for entry in scene.names["links"]}
    entries = {entry["joint"]: entry for entry in scene.names["joints"]}
    extent = [np.linalg.norm(data.oMf[k].translation) for k in frames.values()]
    size = max(0.1, max(extent))
    worst = {"mass": 0.0, "centre": 0.0, "inertia": 0.0, "axes": 0.0, "kinematics": 0.0}

    # Pinocchio, too, puts links that are fixed to each other into one body; its frame is that of the joint.
    for body in {e["body"] for e in links.values() if e["body"] and not e["fixed"]}:
        first = next(e for e in links.values() if e["body"] == body)
        joint = model.frames[frames[first["link"]]].parentJoint
        inertia = model.inertias[joint]
        to_joint = model.frames[frames[first["link"]]].placement.homogeneous @ np.linalg.inv(scene.link_in_body(first))
        if inertia.mass == 0:
            continue
        mass, centre, moments = scene.matter(body)
        r = to_joint[:3, :3]
        centre = r @ centre + to_joint[:3, 3]
        worst["mass"] = max(worst["mass"], abs(mass - inertia.mass) / inertia.mass)
        worst["centre"] = max(worst["centre"], np.abs(centre - inertia.lever).max() / size)
        largest = np.abs(inertia.inertia).max()
        if largest < 1e-15:
            continue  # no body has such an inertia: a note says what was taken
        worst["inertia"] = max(worst["inertia"], np.abs(r @ moments @ r.T - inertia.inertia).max() / largest)

    random = np.random.default_rng(seed)
    for round_ in range(5):
        q = neutral.copy()
        coordinates = {name: 0.0 for name in entries}
        for k, name in enumerate(model.names):
            if k == 0:
                continue
            value = random.uniform(-1, 1) if round_ else 0.0
            at = model.joints[k].idx_q
            if model.joints[k].nq == 1:
                q[at] = value
            elif model.joints[k].nq == 2:
                q[at], q[at + 1] = np.cos(value), np.sin(value)
            coordinates[name] = value
        pinocchio.framesForwardKinematics(model, data, q)
        bodies = scene.poses(coordinates)
        for link, t in scene.link_poses(bodies).items():
            own = data.oMf[frames[link]].homogeneous
            worst["kinematics"] = max(worst["kinematics"], np.abs(t[:3, 3] - own[:3, 3]).max() / size,
                                      np.abs(t[:3, :3] - own[:3, :3]).max())
        if round_ == 0:
            worst["axes"] = axes(scene, model, data, entries, bodies)
    worst["notes"] = len(scene.notes)
    worst["bodies"] = sum(body.get("kind") != "fixed" for body in scene.bodies.values())
    worst["joints"] = len(scene.joints)
    return worst


def axes(scene, model, data, entries, bodies):
    """The axis of each joint against that of Pinocchio's motion subspace, in the world."""
    worst = 0.0
    for name, entry in entries.items():
        if entry["axis"] is None or not model.existJointName(name):
            continue
        k = model.getJointId(name)
        pinocchio.computeJointJacobians(model, data, pinocchio.neutral(model))
        column = data.J[:, model.joints[k].idx_v]
        joint = scene.joints[entry["in_scene"]]
        t = bodies[joint["a"]] @ frame(joint["frame_a"])
        index = {"x": 0, "y": 1, "z": 2}[entry["axis"][-1]]
        own = entry["sign"] * t[:3, index]
        expected = column[3:] if entry["axis"].startswith("turn") else column[:3]
        worst = max(worst, np.abs(own - expected).max())
    return worst
