"""A scene made by `dolmen import`, read without Dolmen: poses of its bodies from joint coordinates, and back."""

import csv
import json
import pathlib
import subprocess
import tomllib

import numpy as np


def rotation(q):
    """The matrix of a quaternion [w, x, y, z]."""
    w, x, y, z = np.asarray(q, float) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def pose(r=None, p=(0, 0, 0)):
    t = np.eye(4)
    t[:3, 3] = p
    if r is not None:
        t[:3, :3] = r
    return t


def inverse(t):
    return pose(t[:3, :3].T, -t[:3, :3].T @ t[:3, 3])


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    x = np.zeros((3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    x[axis, axis] = 1
    x[i, i] = x[j, j] = c
    x[i, j], x[j, i] = -s, s
    return x


def frame(table):
    """A frame of a joint: z along `axis`, x in its plane with `across`."""
    z = np.array(table.get("axis", [0, 0, 1]), float)
    z /= np.linalg.norm(z)
    x = np.array(table["across"], float)
    x -= z * (z @ x)
    x /= np.linalg.norm(x)
    return pose(np.column_stack([x, np.cross(z, x), z]), table.get("at", [0, 0, 0]))


class Scene:
    """What `dolmen import` makes of a file, and where the links and joints of the file are in it."""

    def __init__(self, dolmen, file, folder, options=()):
        self.dolmen, self.folder = dolmen, pathlib.Path(folder)
        out, names = self.folder / "scene.toml", self.folder / "names.json"
        command = [dolmen, "import", str(file), "--out", str(out), "--names", str(names), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        self.notes = [line for line in done.stderr.splitlines() if line.startswith("  ")]
        self.table = tomllib.loads(out.read_text())
        self.names = json.loads(names.read_text())
        self.bodies = {body["name"]: body for body in self.table.get("body", [])}
        self.joints = {joint["name"]: joint for joint in self.table.get("joint", [])}
        self.parent = {}
        for joint in self.joints.values():
            if joint["name"] in {entry["in_scene"] for entry in self.names["joints"]}:
                self.parent[joint["a"]] = joint

    def body_pose(self, name):
        body = self.bodies.get(name)
        if body is None:
            return None
        q = body.get("orientation", {}).get("quaternion", [1, 0, 0, 0])
        return pose(rotation(q), body.get("position", [0, 0, 0]))

    def link_in_body(self, entry):
        return pose(rotation(entry["quaternion"]), entry["position"])

    def matter(self, name):
        """Mass, centre and inertia about the centre, in the body's frame."""
        body = self.bodies[name]
        inertia = np.array(body["inertia"], float)
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
        return body["mass"], np.array(body.get("centre_of_mass", [0, 0, 0]), float), inertia

    def poses(self, coordinates):
        """Poses of all bodies for coordinates {joint of the file: value less its offset}; balls by their rotation."""
        found = {}

        def find(name):
            if name in found:
                return found[name]
            joint = self.parent.get(name)
            if joint is None:
                found[name] = self.body_pose(name)
                return found[name]
            motion = pose()
            six = {}
            for entry in self.names["joints"]:
                if entry["in_scene"] != joint["name"]:
                    continue
                value = coordinates[entry["joint"]]
                if entry["axis"] is None:
                    six["ball"] = value
                else:
                    six[entry["axis"]] = entry["sign"] * value
            motion[:3, 3] = [six.get(k, 0.0) for k in "xyz"]
            r = turn(0, six.get("turn-x", 0)) @ turn(1, six.get("turn-y", 0)) @ turn(2, six.get("turn-z", 0))
            if joint["kind"] == "screw":
                motion[2, 3] = joint["pitch"] * six["turn-z"] / (2 * np.pi)
            if "ball" in six:
                a = frame(joint["frame_a"])[:3, :3]
                r = a.T @ six["ball"] @ a
            motion[:3, :3] = r
            outer = find(joint["b"]) if "b" in joint else pose()
            found[name] = outer @ frame(joint["frame_b"]) @ motion @ inverse(frame(joint["frame_a"]))
            return found[name]

        for name in self.bodies:
            find(name)
        return found

    def link_poses(self, bodies):
        """Poses of the links of the file that move."""
        result = {}
        for entry in self.names["links"]:
            if entry["body"] in bodies and not entry["fixed"]:
                result[entry["link"]] = bodies[entry["body"]] @ self.link_in_body(entry)
        return result

    def run(self, seconds, samples, springs=True, velocities=None):
        """Runs the scene with joints alone: poses of the links at each instant."""
        table = json.loads(json.dumps(self.table))
        tree = {entry["in_scene"] for entry in self.names["joints"]}
        table["joint"] = [j for j in table.get("joint", []) if j["name"] in tree]
        for joint in table["joint"]:
            joint.pop("friction", None)
            if not springs:
                joint.pop("spring", None)
        if not table["joint"]:
            table.pop("joint")
        for body in table.get("body", []):
            if body["name"] in (velocities or {}):
                body["velocity"], body["spin"] = (list(map(float, v)) for v in velocities[body["name"]])
        table.setdefault("contact", {})["enabled"] = False
        table["run"] = {"duration": seconds, "samples": samples}
        path = self.folder / "fall.json"
        path.write_text(json.dumps(table))
        out = self.folder / "run"
        done = subprocess.run([self.dolmen, "run", str(path), "--out", str(out), "--overwrite", "--quiet"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        times = {}
        with open(out / "states.csv", newline="") as file:
            for row in csv.DictReader(file):
                name = row["body"]
                r = rotation([float(row[k]) for k in ("qw", "qx", "qy", "qz")])
                centre = np.array([float(row[k]) for k in "xyz"])
                own = self.bodies[name]
                if own.get("kind") != "fixed":
                    centre = centre - r @ np.array(own.get("centre_of_mass", [0, 0, 0]), float)
                times.setdefault(float(row["t"]), {})[name] = pose(r, centre)
        return {t: self.link_poses(bodies) for t, bodies in times.items()}
