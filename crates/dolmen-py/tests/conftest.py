"""`pytest --long` also runs what takes minutes: all scenes, Ray with nodes that are killed, a notebook, a million simulations."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run what takes minutes")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; runs with --long")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes; run with --long"))
