"""Rigid bodies, simulated exactly.

>>> import dolmen
>>> simulation = dolmen.Exact(dolmen.load("bouncing-ball"))
>>> simulation.next_event("collision", until=1.0)["bodies"]
('ball', 'floor')
"""

from dolmen._arrow import Table
from dolmen._builder import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Disc,
    Effort,
    Ellipsoid,
    HeightField,
    Hull,
    Mesh,
    Motion,
    Plane,
    Points,
    Position,
    Shape,
    Sphere,
    Velocity,
    Wedge,
    WorldBuilder,
)
from dolmen._dolmen import Driver, Exact, Fixed, Run, World, __version__, load, loads, scenes
from dolmen._errors import (
    Error,
    ImportNote,
    InputError,
    LawError,
    LawWarning,
    SceneError,
    TimeoutError,
    UnsupportedError,
)
from dolmen._show import Page, render, rollout, show
from dolmen._sweep import Range, sweep

__all__ = [
    "Box",
    "Capsule",
    "Compound",
    "Cone",
    "Cylinder",
    "Disc",
    "Driver",
    "Effort",
    "Ellipsoid",
    "Error",
    "Exact",
    "Fixed",
    "HeightField",
    "Hull",
    "ImportNote",
    "InputError",
    "LawError",
    "LawWarning",
    "Mesh",
    "Motion",
    "Page",
    "Plane",
    "Points",
    "Position",
    "Range",
    "Run",
    "SceneError",
    "Shape",
    "Sphere",
    "Table",
    "TimeoutError",
    "UnsupportedError",
    "Velocity",
    "Wedge",
    "World",
    "WorldBuilder",
    "__version__",
    "load",
    "loads",
    "render",
    "rollout",
    "scenes",
    "show",
    "sweep",
]
