"""The Python of the book runs, in the order of its pages, and prints what they say."""

import contextlib
import io
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


def blocks(page, language):
    parts = page.read_text(encoding="utf-8").split(f"```{language}\n")[1:]
    return [part.split("```")[0] for part in parts]


@pytest.mark.parametrize("name", ["python.md", "from-python.md"])
def test_programs_of_the_page_run(name, tmp_path, monkeypatch):
    page = DOCS / name
    if name == "from-python.md":
        pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    names = {}
    printed = io.StringIO()
    programs = blocks(page, "python")
    assert programs
    with contextlib.redirect_stdout(printed):
        for program in programs:
            exec(compile(program, str(page), "exec"), names)
    assert printed.getvalue() == "".join(blocks(page, "text"))
