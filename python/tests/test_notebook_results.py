# SPDX-License-Identifier: Apache-2.0
"""What the cells of a notebook show, stored without Jupyter."""

from steptrace._notebook import with_results


def code(source):
    return {"cell_type": "code", "source": source, "outputs": [], "execution_count": None}


def prose(source):
    return {"cell_type": "markdown", "source": source}


def cells_of(*cells):
    notebook, complaint = with_results({"cells": list(cells), "nbformat": 4})
    assert notebook["nbformat"] == 4
    return notebook["cells"], complaint


def test_a_cell_shows_what_it_prints_and_its_last_value():
    (first, second), complaint = cells_of(code("a = 2\nprint('two')"), code("print(a)\na * 3"))
    assert complaint == "" and (first["execution_count"], second["execution_count"]) == (1, 2)
    assert first["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "two\n"}]
    assert second["outputs"][0]["text"] == "2\n"
    assert second["outputs"][1]["data"] == {"text/plain": "6"}


def test_a_picture_and_a_page_are_stored_as_such():
    define = "class A:\n  def _repr_png_(self): return b'png'\nclass B:\n  def _repr_html_(self): return '<b>'"
    cells, _ = cells_of(code(define), code("A()"), code("B()"))
    assert cells[1]["outputs"][0]["data"]["image/png"] == "cG5n"
    assert cells[2]["outputs"][0]["data"]["text/html"] == "<b>"


def test_a_figure_that_shows_nothing_goes_with_what_introduces_it():
    empty = "class A: shows_nothing = True\nA()"
    cells, complaint = cells_of(prose("# All"), prose("## Devices"), code(empty), prose("## Steps"))
    assert [cell["source"] for cell in cells] == ["# All", "## Steps"] and complaint == ""


def test_a_cell_that_fails_has_no_output_and_the_rest_has():
    cells, complaint = cells_of(code("raise ValueError('no matplotlib')"), code("1 / 0"), code("3"))
    assert complaint == "no matplotlib"
    assert [len(cell["outputs"]) for cell in cells] == [0, 0, 1]
    assert cells[2]["execution_count"] == 1
