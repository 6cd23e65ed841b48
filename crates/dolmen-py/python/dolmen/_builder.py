"""Worlds described in Python, in the words of the scene file."""

import json
import math
import os
from collections.abc import Sequence

import numpy as np

from dolmen import _dolmen
from dolmen._errors import InputError


def _plain(value, what):
    """Numbers, arrays and names as JSON has them; refuses what is not finite."""
    if isinstance(value, (str, bool)) or value is None:
        return value
    if isinstance(value, dict):
        return {key: _plain(inner, f"{what}.{key}") for key, inner in value.items() if inner is not None}
    if isinstance(value, _Described):
        return _plain(value.described(), what)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise InputError(f"{what} = {value}: give a finite number")
        return value
    if isinstance(value, Sequence):
        return [_plain(inner, f"{what}[{i}]") for i, inner in enumerate(value)]
    raise InputError(f"{what} is a {type(value).__name__}: give numbers, names, or shapes and motors of this package")


class _Described:
    """Something that a scene describes by a table with a kind."""

    kind = ""

    def __init__(self, **values):
        self._values = {key: value for key, value in values.items() if value is not None}

    def described(self):
        return {"kind": self.kind, **self._values}

    def __repr__(self):
        values = ", ".join(f"{key}={value!r}" for key, value in self._values.items())
        return f"dolmen.{type(self).__name__}({values})"

    def __eq__(self, other):
        return type(self) is type(other) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]


class Shape(_Described):
    """Geometry of a body, m; round shapes stand along z."""


class Sphere(Shape):
    """A ball around the origin."""

    kind = "sphere"

    def __init__(self, radius):
        super().__init__(radius=radius)


class Box(Shape):
    """A box around the origin, by its full lengths."""

    kind = "box"

    def __init__(self, x, y=None, z=None):
        super().__init__(size=(x, y, z) if y is not None else x)


class Capsule(Shape):
    """A cylinder of this length with half balls on its ends."""

    kind = "capsule"

    def __init__(self, radius, length):
        super().__init__(radius=radius, length=length)


class Cylinder(Shape):
    """A cylinder along z, around the origin."""

    kind = "cylinder"

    def __init__(self, radius, length):
        super().__init__(radius=radius, length=length)


class Cone(Shape):
    """A cone along z, its base in the plane z = 0."""

    kind = "cone"

    def __init__(self, radius, height):
        super().__init__(radius=radius, height=height)


class Disc(Shape):
    """A round plate without thickness."""

    kind = "disc"

    def __init__(self, radius):
        super().__init__(radius=radius)


class Ellipsoid(Shape):
    """An ellipsoid, by the full lengths of its axes."""

    kind = "ellipsoid"

    def __init__(self, x, y=None, z=None):
        super().__init__(size=(x, y, z) if y is not None else x)


class Wedge(Shape):
    """Half a box, cut along a diagonal: it falls from its upper edge at the lowest x to its lower edge at the highest x."""

    kind = "wedge"

    def __init__(self, x, y=None, z=None):
        super().__init__(size=(x, y, z) if y is not None else x)


class Hull(Shape):
    """The convex hull of points."""

    kind = "hull"

    def __init__(self, points):
        super().__init__(points=points)


class Mesh(Shape):
    """A closed surface: a file (OBJ, STL), or vertices and triangles."""

    kind = "mesh"

    def __init__(self, path=None, *, vertices=None, triangles=None, scale=None, flip=None):
        path = None if path is None else str(path)
        super().__init__(path=path, vertices=vertices, triangles=triangles, scale=scale, flip=flip)


class HeightField(Shape):
    """The solid below a grid of heights over a rectangle around the origin: rows of numbers, or a file (CSV, PNG)."""

    kind = "height-field"

    def __init__(self, size, heights=None, *, path=None, scale=None, base=None):
        path = None if path is None else str(path)
        super().__init__(size=size, heights=heights, path=path, scale=scale, base=base)


class Compound(Shape):
    """Shapes joined rigidly: each a shape, or a dictionary with `shape`, `position`, `orientation`, `density` or `mass`."""

    kind = "compound"

    def __init__(self, parts):
        super().__init__(parts=[part if isinstance(part, dict) else {"shape": part} for part in parts])


class Points(Shape):
    """Points with mass: pairs of mass and position."""

    kind = "points"

    def __init__(self, points):
        super().__init__(points=[{"mass": mass, "position": position} for mass, position in points])


class Plane(Shape):
    """A plane of a fixed body, by its normal and its distance from the origin; `extent` is a table of the scene file."""

    kind = "plane"

    def __init__(self, normal=(0, 0, 1), offset=None, *, point=None, sides=None, extent=None):
        super().__init__(normal=normal, offset=offset, point=point, sides=sides, extent=extent)


class Motor(_Described):
    """What drives a joint."""

    def __init__(self, axis=None, target=None, **values):
        if isinstance(target, _Described) or isinstance(target, dict):
            super().__init__(axis=axis, course=target, **values)
        else:
            super().__init__(axis=axis, target=target, **values)


class Position(Motor):
    """F = −kp (q − target) − kd q̇, up to `limit`."""

    kind = "position"

    def __init__(self, kp, kd=0.0, limit=None, target=0.0, axis=None):
        super().__init__(axis, target, stiffness=kp, damping=kd, largest=limit)


class Velocity(Motor):
    """Keeps q̇ at the target with whatever force that takes, up to `limit`."""

    kind = "velocity"

    def __init__(self, target=0.0, limit=None, axis=None):
        super().__init__(axis, target, largest=limit)


class Effort(Motor):
    """A force (N) or torque (N·m) given outright."""

    kind = "force"

    def __init__(self, target=0.0, axis=None):
        super().__init__(axis, target)


class Motion(Motor):
    """q = target(t), with whatever force that takes: a number or a course of the scene file, such as {"kind": "ramp", "rate": 1}."""

    kind = "motion"

    def __init__(self, target=0.0, axis=None):
        super().__init__(axis, target)


# Keys of a scene whose texts are names of bodies, joints, materials or particles.
_REFERENCES = {
    *("name", "a", "b", "joint", "joints", "body", "bodies", "members", "particles", "sets", "material", "materials", "to", "from"),
}


def _listed(value):
    if value is None:
        return None
    return list(value) if isinstance(value, (list, tuple)) else [value]


class WorldBuilder:
    """Bodies, joints, forces and settings, in any order; `build` makes a world of them.

    Every argument has the name and the meaning of the scene file, and is checked as that is.
    """

    def __init__(self, *, gravity=(0.0, 0.0, 0.0), title=None, base="."):
        self._scene = {"format": 1}
        if title is not None:
            self._scene["title"] = title
        self._scene["gravity"] = _plain(gravity, "gravity")
        self._base = str(base)

    def _add(self, key, what, values):
        table = {name: _plain(value, f"{what}.{name}") for name, value in values.items() if value is not None}
        self._scene.setdefault(key, []).append(table)

    def body(self, name, shape=None, *, kind=None, density=None, mass=None, position=None, **values):
        """Adds a body and returns its name. `kind` is "fixed" for one that never moves; other values are those of [[body]]."""
        given = {"name": name, "kind": kind, "shape": shape, "density": density, "mass": mass, "position": position}
        self._add("body", name, {**given, **values})
        return name

    def fixed(self, name, shape=None, **values):
        """Adds a body that never moves."""
        return self.body(name, shape, kind="fixed", **values)

    def material(self, name, **values):
        """Describes a material, by the name that bodies give."""
        materials = self._scene.setdefault("material", [])
        materials.append({"name": name, **_plain(values, name)})

    def contact(self, **values):
        """Sets what happens where bodies meet: restitution, friction, law …"""
        self._scene.setdefault("contact", {}).update(_plain(values, "contact"))

    def accuracy(self, **values):
        """Sets how motion is computed: tolerance, integrator …"""
        self._scene.setdefault("accuracy", {}).update(_plain(values, "accuracy"))

    def duration(self, seconds):
        """Sets how long the scene is meant to run, s."""
        self._scene.setdefault("run", {})["duration"] = _plain(seconds, "duration")

    def particles(self, name, **values):
        """Adds a set of particles and returns its name."""
        self._add("particles", name, {"name": name, **values})
        return name

    def force(self, kind, **values):
        """Adds a force of the scene file: "spring", "drag", "push", "torque", "wind" …"""
        self._add("force", f"force {kind}", {"kind": kind, **values})

    def joint(self, name, kind, a=None, b=None, *, motor=None, limit=None, spring=None, friction=None, **values):
        """Adds a joint of any kind between two bodies, or a body and the world, and returns its name."""
        given = {"name": name, "kind": kind, "a": a, "b": b}
        more = {"motor": motor, "limit": limit, "spring": spring, "friction": friction}
        self._add("joint", name, {**given, **values, **{key: _listed(value) for key, value in more.items()}})
        return name

    def hinge(self, name, a, b=None, **values):
        """Adds a joint that turns about its axis."""
        return self.joint(name, "hinge", a, b, **values)

    def slider(self, name, a, b=None, **values):
        """Adds a joint that moves along its axis."""
        return self.joint(name, "slider", a, b, **values)

    def ball(self, name, a, b=None, **values):
        """Adds a joint that keeps two points together."""
        return self.joint(name, "ball", a, b, **values)

    def weld(self, name, a, b=None, **values):
        """Adds a joint that locks everything."""
        return self.joint(name, "weld", a, b, **values)

    def rod(self, name, a, b=None, **values):
        """Adds a rod that keeps two points at their distance."""
        return self.joint(name, "rod", a, b, **values)

    def sensor(self, name, kind, **values):
        """Adds a sensor of the scene file and returns its name: "joint", "load", "point", "imu", "contact", "ray"."""
        self._add("sensor", name, {"name": name, "kind": kind, **values})
        return name

    def include(self, path, prefix=""):
        """Adds bodies, joints, forces, materials, sensors and particles of a scene file, or of a robot (URDF, MJCF, SDFormat); `prefix` goes
        before their names. Settings of the file (gravity, contact …) stay behind."""
        world = _dolmen.load(path)
        other = json.loads(world._to_json())
        folder = world.source[1]
        lists = ("material", "material_pair", "body", "particles", "joint", "force", "sensor")
        names = {entry["name"] for key in lists for entry in other.get(key, []) if "name" in entry}

        def renamed(value, key=None):
            if isinstance(value, dict):
                return {inner: renamed(values, inner) for inner, values in value.items()}
            if isinstance(value, list):
                return [renamed(inner, key) for inner in value]
            if key in _REFERENCES and isinstance(value, str):
                # The beginning of names and a star means several.
                is_meant = value in names or (value.endswith("*") and any(name.startswith(value[:-1]) for name in names))
                return prefix + value if is_meant else value
            return self._moved(value, folder) if key == "path" and isinstance(value, str) else value

        for key in lists:
            if other.get(key):
                self._scene.setdefault(key, []).extend(renamed(other[key]))

    def _moved(self, file, folder):
        """A file beside another scene, seen from the folder of this one."""
        moved = os.path.relpath(os.path.join(folder, file), self._base)
        if moved.startswith(os.pardir):
            raise InputError(f"{file} lies in {folder}, outside of {os.path.abspath(self._base)}; give a folder above both: WorldBuilder(base=…)")
        return moved

    def build(self):
        """The world of all that. Raises `SceneError` with every mistake."""
        text = json.dumps(self._scene, indent=1)
        read = _dolmen.loads(text, "world.json", self._base)
        # As a scene file has it, so that later messages show a line of one.
        return _dolmen.loads(read.to_toml(), "world.toml", self._base)
