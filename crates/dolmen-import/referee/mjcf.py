"""MJCF against MuJoCo: masses, centres, inertias, axes, forward kinematics, the first second of a fall."""

import mujoco
import numpy as np

from scene import Scene, frame, rotation

OFF = ["--without", "limits", "--without", "actuators", "--without", "contacts"]


def body_name(model, k):
    name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, k)
    return name or f"body {k}"


def joint_names(model):
    names = []
    for k in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k)
        body = model.jnt_bodyid[k]
        place = k - model.body_jntadr[body]
        fallback = f"{body_name(model, body)} joint" + (f" {place + 1}" if place else "")
        names.append(name or fallback)
    return names


def composite(scene, model, data, body):
    """Mass, centre and inertia of all of MuJoCo's bodies that are this body of the scene, in its frame."""
    mass, moment, parts = 0.0, np.zeros(3), []
    links = {entry["link"]: entry for entry in scene.names["links"]}
    for k in range(1, model.nbody):
        entry = links[body_name(model, k)]
        if entry["body"] != body:
            continue
        t = scene.link_in_body(entry)
        r = t[:3, :3] @ rotation(model.body_iquat[k])
        centre = t[:3, :3] @ model.body_ipos[k] + t[:3, 3]
        parts.append((model.body_mass[k], centre, r @ np.diag(model.body_inertia[k]) @ r.T))
        mass += model.body_mass[k]
        moment += model.body_mass[k] * centre
    centre = moment / mass if mass else moment
    inertia = np.zeros((3, 3))
    for m, c, i in parts:
        d = c - centre
        inertia += i + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, inertia


def check(dolmen, file, folder, fall=True, seed=1):
    """The largest relative errors, in a dict."""
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    scene = Scene(dolmen, file, folder, OFF)
    mujoco.mj_forward(model, data)
    size = max(1e-3, model.stat.extent)
    worst = {"mass": 0.0, "centre": 0.0, "inertia": 0.0, "axes": 0.0, "kinematics": 0.0}
    moving = [name for name, body in scene.bodies.items() if body.get("kind") != "fixed"]
    between = {name for name in moving if " behind " in name}
    for name in moving:
        if name in between:
            continue
        mass, centre, inertia = composite(scene, model, data, name)
        own = scene.matter(name)
        worst["mass"] = max(worst["mass"], abs(own[0] - mass) / mass)
        worst["centre"] = max(worst["centre"], np.abs(own[1] - centre).max() / size)
        worst["inertia"] = max(worst["inertia"], np.abs(own[2] - inertia).max() / np.abs(inertia).max())

    names = joint_names(model)
    entries = {entry["joint"]: entry for entry in scene.names["joints"]}
    random = np.random.default_rng(seed)
    for round_ in range(5):
        if round_:
            for k in range(model.njnt):
                at, kind = model.jnt_qposadr[k], model.jnt_type[k]
                if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                    data.qpos[at] = random.uniform(-1, 1)
                elif kind == mujoco.mjtJoint.mjJNT_BALL:
                    q = random.normal(size=4)
                    data.qpos[at:at + 4] = q / np.linalg.norm(q)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        coordinates = {}
        for k, name in enumerate(names):
            at, kind = model.jnt_qposadr[k], model.jnt_type[k]
            if kind == mujoco.mjtJoint.mjJNT_BALL:
                coordinates[name] = rotation(data.qpos[at:at + 4])
            elif kind != mujoco.mjtJoint.mjJNT_FREE and name in entries:
                coordinates[name] = data.qpos[at] - entries[name]["offset"]
        bodies = scene.poses(coordinates)
        for link, t in scene.link_poses(bodies).items():
            k = next(k for k in range(model.nbody) if body_name(model, k) == link)
            error = np.abs(t[:3, 3] - data.xpos[k]).max() / size
            error = max(error, np.abs(t[:3, :3] - data.xmat[k].reshape(3, 3)).max())
            worst["kinematics"] = max(worst["kinematics"], error)
        if round_ == 0:
            worst["axes"] = axes(scene, model, data, names, entries, bodies, size)
    if fall:
        worst["fall"] = falls(scene, model, names, entries, size)
    worst["notes"] = len(scene.notes)
    worst["bodies"], worst["joints"] = len(moving), len(scene.joints)
    return worst


def axes(scene, model, data, names, entries, bodies, size):
    worst = 0.0
    index = {"x": 0, "y": 1, "z": 2, "turn-x": 0, "turn-y": 1, "turn-z": 2}
    for k, name in enumerate(names):
        entry = entries.get(name)
        if entry is None or entry["axis"] is None:
            continue
        joint = scene.joints[entry["in_scene"]]
        t = bodies[joint["a"]] @ frame(joint["frame_a"])
        axis = entry["sign"] * t[:3, index[entry["axis"]]]
        worst = max(worst, np.abs(axis - data.xaxis[k]).max())
        if entry["axis"].startswith("turn"):
            away = t[:3, 3] - data.xanchor[k]
            worst = max(worst, np.linalg.norm(away - axis * (axis @ away)) / size)
    return worst


def falls(scene, model, names, entries, size):
    """Joint coordinates over a second against MuJoCo's RK4 at 1e-4 s."""
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= (flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS
                               | flags.mjDSBL_ACTUATION | flags.mjDSBL_EQUALITY)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 1e-4
    model.opt.density = model.opt.viscosity = 0
    model.opt.wind[:] = 0
    model.dof_armature[:] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))  # bodies with diagonal inertia have it precomputed
    model.tendon_stiffness[:] = 0
    model.tendon_damping[:] = 0
    model.body_gravcomp[:] = 0
    for k in range(model.njnt):
        if model.jnt_type[k] in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            at = model.jnt_dofadr[k]
            model.dof_damping[at:at + (6 if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE else 3)] = 0
            model.jnt_stiffness[k] = 0
    data = mujoco.MjData(model)
    # Many models stand upright at zero: a start in motion moves them all.
    data.qvel[:] = np.random.default_rng(7).uniform(-1, 1, model.nv)
    mujoco.mj_forward(model, data)
    # Without the armature that was taken out some dampers are beyond an explicit method: then without springs, in both.
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    springs = np.abs(np.linalg.eigvals(np.linalg.solve(mass, np.diag(model.dof_damping)))).max(initial=0) * 1e-4 < 0.5
    if not springs:
        model.dof_damping[:] = 0
        model.jnt_stiffness[:] = 0
    velocities = start_velocities(scene, model, data)
    steps = {}
    for step in range(10001):
        if step % 1000 == 0:
            mujoco.mj_kinematics(model, data)
            steps[step] = (data.xpos.copy(), data.xmat.copy())
        mujoco.mj_step(model, data)
    samples = scene.run(1.0, 11, springs, velocities)
    worst = 0.0
    for t, links in sorted(samples.items()):
        xpos, xmat = steps[round(t * 1e4)]
        for k in range(1, model.nbody):
            name = body_name(model, k)
            if name in links:
                own = links[name]
                worst = max(worst, np.abs(own[:3, 3] - xpos[k]).max() / size)
                worst = max(worst, np.abs(own[:3, :3] - xmat[k].reshape(3, 3)).max())
    return worst


def start_velocities(scene, model, data):
    """Of each body of the scene: velocity of its centre of mass and spin, from those of MuJoCo's body frame."""
    result = {}
    for k in range(1, model.nbody):
        entry = next(e for e in scene.names["links"] if e["link"] == body_name(model, k))
        if entry["body"] is None or entry["fixed"] or entry["body"] in result:
            continue
        six = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, k, six, 0)
        spin, velocity = six[:3], six[3:]
        body = scene.bodies[entry["body"]]
        t = scene.body_pose(entry["body"])
        centre = t[:3, :3] @ np.array(body.get("centre_of_mass", [0, 0, 0]), float) + t[:3, 3]
        result[entry["body"]] = (velocity + np.cross(spin, centre - data.xpos[k]), spin)
    return result
