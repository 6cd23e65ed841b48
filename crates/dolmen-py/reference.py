"""Writes the reference of the package for the book: signatures of the stubs, texts of the package itself.

    python crates/dolmen-py/reference.py > docs/python-api.md
"""

import ast
import inspect
from pathlib import Path

import dolmen
import dolmen.gym

HEAD = """# Reference of the Python package

Made by `crates/dolmen-py/reference.py` from the package itself; [Python](python.md) tells how it is used. Lengths are in m, times in s, forces in N,
angles in rad. Arrays have a row for each of `world.names`.
"""

GROUPS = {
    "Worlds": ["load", "loads", "scenes", "World", "WorldBuilder"],
    "Shapes": ["Sphere", "Box", "Capsule", "Cylinder", "Cone", "Disc", "Ellipsoid", "Wedge", "Hull", "Mesh", "HeightField", "Compound", "Points", "Plane"],
    "Motors": ["Position", "Velocity", "Effort", "Motion"],
    "Simulations": ["Exact", "Fixed", "Driver"],
    "Runs, pictures, pages": ["Run", "Table", "show", "Page", "render"],
    "Many at once": ["rollout", "sweep", "Range"],
    "Exceptions and warnings": [
        "Error",
        "InputError",
        "SceneError",
        "UnsupportedError",
        "TimeoutError",
        "LawError",
        "LawWarning",
        "ImportNote",
    ],
}
# Of the module `dolmen.gym`.
ENVIRONMENTS = [
    *("SceneEnv", "VectorEnv", "observe_joints", "observe_bodies", "observe_contacts"),
    *("pendulum", "swing_up", "hopper", "hop", "gripper", "grip_and_lift"),
]
# Named elsewhere, or bases alone.
UNLISTED = {"Shape", "__version__"}


def arguments(function):
    """The arguments of a function of the stubs, without their types."""
    bare = ast.parse(ast.unparse(function)).body[0].args
    for argument in [*bare.posonlyargs, *bare.args, *bare.kwonlyargs, bare.vararg, bare.kwarg]:
        if argument is not None:
            argument.annotation = None
    text = ast.unparse(bare)
    for first in ("self", "cls"):
        text = text.removeprefix(f"{first}, ").removeprefix(first)
    return text


def sentence(item):
    """The text of an object, in one line."""
    text = inspect.getdoc(item) or ""
    # Signatures that the compiled part puts in front.
    return " ".join(text.split())


def is_property(function):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def members(node, item):
    for function in node.body:
        if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
            continue
        shown = function.name if is_property(function) else f"{function.name}({arguments(function)})"
        yield shown, sentence(inspect.getattr_static(item, function.name, None))


def entries(module, stub, names):
    """What a page says of some names of a module."""
    stub = ast.parse((Path(dolmen.__file__).parent / stub).read_text(encoding="utf-8"))
    nodes = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for name in names:
        node, item = nodes.get(name), getattr(module, name)
        shown, text = name, sentence(item)
        if isinstance(node, ast.FunctionDef):
            shown = f"{name}({arguments(node)})"
        elif node is not None:
            starts = [f for f in node.body if isinstance(f, ast.FunctionDef) and f.name in ("__init__", "__new__")]
            shown = f"{name}({arguments(starts[0])})" if starts else name
            made = sentence(inspect.getattr_static(item, "__new__", None))
            if starts and text == "" and made:
                text = made
        yield f"### `{shown}`\n\n{text}\n"
        rows = list(members(node, item)) if isinstance(node, ast.ClassDef) else []
        if rows:
            yield "".join(f"- `{member}`: {about}\n" if about else f"- `{member}`\n" for member, about in rows)


def reference():
    """The page."""
    listed = {name for names in GROUPS.values() for name in names}
    missing = set(dolmen.__all__) - listed - UNLISTED
    assert not missing, f"the reference has no place for {sorted(missing)}"
    page = [HEAD]
    for group, names in GROUPS.items():
        page += [f"## {group}\n", *entries(dolmen, "__init__.pyi", names)]
    page += ["## Environments: `dolmen.gym`\n", *entries(dolmen.gym, "gym.pyi", ENVIRONMENTS)]
    return "\n".join(page)


if __name__ == "__main__":
    print(reference(), end="")
