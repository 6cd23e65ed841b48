"""SDFormat against Drake: masses, centres, inertias, forward kinematics."""

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from scene import Scene

OFF = ["--without", "limits", "--without", "actuators", "--without", "contacts", "--meshes", "box"]


def check(dolmen, file, folder, seed=1):
    plant = MultibodyPlant(0.0)
    models = Parser(plant).AddModels(str(file))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    scene = Scene(dolmen, file, folder, OFF)
    bodies, joints = {}, {}
    for model in models:
        scope = plant.GetModelInstanceName(model)
        bodies.update({f"{scope}::{plant.get_body(b).name()}": plant.get_body(b) for b in plant.GetBodyIndices(model)})
        joints.update({f"{scope}::{plant.get_joint(j).name()}": plant.get_joint(j) for j in plant.GetJointIndices(model)})
    entries = {entry["joint"]: entry for entry in scene.names["joints"]}
    worst = {"mass": 0.0, "centre": 0.0, "inertia": 0.0, "kinematics": 0.0}
    parts = {}
    for entry in scene.names["links"]:
        if entry["body"] is None or entry["fixed"]:
            continue
        inertia = bodies[entry["link"]].default_spatial_inertia()
        parts.setdefault(entry["body"], []).append((scene.link_in_body(entry), inertia))
    size = 1.0
    for name, list_ in parts.items():
        mass = sum(i.get_mass() for _, i in list_)
        if mass == 0:
            continue
        centres = [t[:3, :3] @ i.get_com() + t[:3, 3] for t, i in list_]
        centre = sum(i.get_mass() * c for (_, i), c in zip(list_, centres)) / mass
        total = np.zeros((3, 3))
        for (t, i), c in zip(list_, centres):
            d = c - centre
            own = i.Shift(i.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            total += t[:3, :3] @ own @ t[:3, :3].T + i.get_mass() * (d @ d * np.eye(3) - np.outer(d, d))
        own = scene.matter(name)
        worst["mass"] = max(worst["mass"], abs(own[0] - mass) / mass)
        worst["centre"] = max(worst["centre"], np.abs(own[1] - centre).max() / size)
        worst["inertia"] = max(worst["inertia"], np.abs(own[2] - total).max() / np.abs(total).max())
    random = np.random.default_rng(seed)
    for round_ in range(5):
        coordinates = {name: 0.0 for name in entries}
        for name, joint in joints.items():
            if joint.num_positions() == 1:
                value = random.uniform(-1, 1) if round_ else 0.0
                joint.set_default_positions([value])
                coordinates[name] = value
            elif joint.num_positions() == 2:
                value = random.uniform(-1, 1, 2) if round_ else np.zeros(2)
                joint.set_default_positions(value)
                coordinates[f"{name} 1"], coordinates[f"{name} 2"] = value
        context = plant.CreateDefaultContext()
        for name, joint in joints.items():
            if name in coordinates and joint.num_positions() == 1:
                joint.GetOnePosition(context)
        for link, t in scene.link_poses(scene.poses(coordinates)).items():
            own = plant.EvalBodyPoseInWorld(context, bodies[link]).GetAsMatrix4()
            worst["kinematics"] = max(worst["kinematics"], np.abs(t - own).max() / size)
    worst["notes"], worst["joints"] = len(scene.notes), len(scene.joints)
    worst["bodies"] = sum(body.get("kind") != "fixed" for body in scene.bodies.values())
    return worst
