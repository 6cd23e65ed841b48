"""Jacobians, mass matrix and inverse dynamics of trees of bodies, in the coordinates of their joints.

With V the twists of all dynamic bodies, what joints forbid and the rates u of what they leave are rows of one square matrix:
A V = (0, u) - known. Its inverse gives V = J u + v and, once more differentiated, the accelerations.
"""

import numpy as np

from dolmen._errors import InputError


def _numbers(given, what):
    try:
        return np.asarray(given, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}") from None


class _Tree:
    def __init__(self, simulation):
        made = simulation._articulation()
        self.bodies, self.count = made["bodies"], made["coordinates"]
        self.offsets, self.masses = made["offsets"], made["masses"]
        self.inertias = made["inertias"].reshape(-1, 3, 3)
        rows = made["rows"]
        if rows.shape[0] != rows.shape[1]:
            raise InputError(f"{rows.shape[0]} equations and coordinates of {rows.shape[1]} velocities: the joints are no tree")
        try:
            self.inverse = np.linalg.inv(rows) if rows.size else rows
        except np.linalg.LinAlgError:
            raise InputError("a joint has no coordinate as it stands: a universal joint that is bent by a right angle") from None
        self.first = rows.shape[0] - self.count

    @property
    def jacobian(self):
        return self.inverse[:, self.first :]

    def twists(self, accelerations=None):
        """Accelerations of all bodies by those of the coordinates."""
        right = -self.offsets[:, 1]
        right[self.first :] += accelerations
        return self.inverse @ right


def rates(simulation):
    """The rates of the coordinates."""
    tree, state = _Tree(simulation), simulation.state
    made = simulation._articulation()
    twists = state[tree.bodies, 7:13].reshape(-1)
    return (made["rows"] @ twists + tree.offsets[:, 0])[tree.first :]


def jacobian(simulation, rank, point):
    """Velocity and spin of a body by the rates of the coordinates."""
    tree = _Tree(simulation)
    if rank not in tree.bodies:
        return np.zeros((6, tree.count))
    place = 6 * tree.bodies.index(rank)
    found = np.array(tree.jacobian[place : place + 6])
    if point is not None:
        arm = np.asarray(point, float) - simulation.positions[rank]
        if not np.isfinite(arm).all():
            raise InputError(f"point {point}: give finite numbers")
        # v + spin x arm, column by column.
        found[:3] += np.cross(found[3:].T, arm).T
    return found


def mass_matrix(simulation):
    """Of kinetic energy in the rates of the coordinates."""
    tree = _Tree(simulation)
    columns = tree.jacobian.reshape(len(tree.bodies), 6, tree.count)
    linear, angular = columns[:, :3], columns[:, 3:]
    found = np.einsum("b,bik,bil->kl", tree.masses, linear, linear)
    found += np.einsum("bik,bij,bjl->kl", angular, tree.inertias, angular)
    return 0.5 * (found + found.T)


def inverse_dynamics(simulation, accelerations, forces):
    """J^T (M a + spin x I spin - F)."""
    tree = _Tree(simulation)
    asked = _numbers(accelerations, "accelerations")
    if asked.shape != (tree.count,) or not np.isfinite(asked).all():
        raise InputError(f"accelerations of shape {asked.shape}: give {tree.count} finite numbers, as `coordinates` has them")
    motion = tree.twists(asked).reshape(len(tree.bodies), 6)
    loads = np.zeros((len(tree.bodies), 6))
    loads[:, :3] = tree.masses[:, None] * (motion[:, :3] - np.array(simulation.world.gravity))
    spins = simulation.spins[tree.bodies]
    turned = np.einsum("bij,bj->bi", tree.inertias, spins)
    loads[:, 3:] = np.einsum("bij,bj->bi", tree.inertias, motion[:, 3:]) + np.cross(spins, turned)
    if forces is not None:
        given = _numbers(forces, "forces")
        count = len(simulation.world.names)
        if given.ndim != 2 or given.shape[0] != count or given.shape[1] not in (3, 6) or not np.isfinite(given).all():
            raise InputError(f"forces of shape {given.shape}: give ({count}, 3) or ({count}, 6) finite numbers")
        loads[:, : given.shape[1]] -= given[tree.bodies]
    return tree.jacobian.T @ loads.reshape(-1)
