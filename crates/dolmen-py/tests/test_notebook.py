"""A notebook: cells run in a kernel of their own, and a run is shown in one."""

import pytest

import dolmen as dm

pytestmark = pytest.mark.long
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")


def test_a_run_is_shown_in_a_cell(tmp_path):
    try:
        dm.show(dm.Exact(dm.load("bouncing-ball")).record(until=0.1, every=0.1))
    except dm.Error as error:
        pytest.skip(str(error))
    cells = [
        "import dolmen as dm",
        "run = dm.Exact(dm.load('bouncing-ball')).record(until=1.0, every=0.02)",
        "dm.show(run)",
        "dm.render(dm.Exact(dm.load('bouncing-ball')), 64, 48).shape",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [cell.outputs for cell in notebook.cells]
    assert "<iframe" in outputs[2][0]["data"]["text/html"]
    assert outputs[3][0]["data"]["text/plain"] == "(48, 64, 3)"
