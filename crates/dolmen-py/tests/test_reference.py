"""The reference in the book is that of the package."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")
ROOT = Path(__file__).parents[3]


def test_the_reference_of_the_book_is_that_of_the_package():
    script = ROOT / "crates" / "dolmen-py" / "reference.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, encoding="utf-8", check=True)
    page = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    assert made.stdout == page, f"make it anew: python {script.relative_to(ROOT)} > docs/python-api.md"
