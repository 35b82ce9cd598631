# SPDX-License-Identifier: Apache-2.0
"""Runs the cells of a notebook that `steptrace report --notebook` writes, and stores what they show.

No Jupyter is needed: a cell's output is what it prints, and its last expression as HTML, as a picture or as text. A
figure that shows nothing is left out, with its heading. The notebook comes in on standard input; {notebook, complaint}
goes out.
"""

import ast
import base64
import contextlib
import io
import json
import sys
import warnings


def _evaluated(source, namespace):
    """The value of a cell's last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


def _shown(value):
    data = {}
    if hasattr(value, "_repr_png_"):
        data["image/png"] = base64.b64encode(value._repr_png_()).decode("ascii")
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_()
    data["text/plain"] = repr(value)
    return data


def _outputs(source, namespace, count):
    """Outputs as nbformat 4.5 has them; None: a figure that shows nothing."""
    outputs, printed = [], io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = _evaluated(source, namespace)
        if getattr(value, "shows_nothing", False):
            return None
        data = _shown(value) if value is not None else None
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
    if data is not None:
        result = {"output_type": "execute_result", "execution_count": count}
        outputs.append({**result, "data": data, "metadata": {}})
    return outputs


def with_results(notebook):
    """The notebook with outputs, and in one line why some are missing; empty: none is."""
    namespace, cells, count, complaint = {"__name__": "__main__"}, [], 0, ""
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        try:
            outputs = _outputs(cell["source"], namespace, count + 1)
        except Exception as error:  # the cells after it may well run
            complaint = complaint or str(error) or type(error).__name__
            cells.append(cell)
            continue
        if outputs is None:
            cells.pop()  # what introduces it
            continue
        count += 1
        cells.append({**cell, "execution_count": count, "outputs": outputs})
    return {**notebook, "cells": cells}, complaint


def main():
    warnings.simplefilter("ignore")
    out = sys.stdout
    notebook, complaint = with_results(json.load(sys.stdin))
    json.dump({"notebook": notebook, "complaint": complaint}, out)
