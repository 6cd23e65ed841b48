"""`pytest --long` also runs what takes minutes: all scenes, Ray with nodes that are killed, a notebook, a million simulations."""

import signal

import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run what takes minutes")


def pytest_configure(config):
    # A process that was started in the background ignores the signal of Ctrl-C; the tests of interrupts need it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "long: takes minutes; runs with --long")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes; run with --long"))
