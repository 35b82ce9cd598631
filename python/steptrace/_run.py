# SPDX-License-Identifier: Apache-2.0
"""Runs, read through the executable: no Arrow of ours ever enters the user's process."""

import json
import math
import os
import re

from . import _executable
from ._executable import SteptraceError, SteptraceWarning
from ._inert import inert

__all__ = [
    "Comparison",
    "Report",
    "Run",
    "SteptraceError",
    "SteptraceWarning",
    "compare_runs",
    "list_runs",
    "open_run",
]


class NoSuchRun(SteptraceError):
    """What open_run() was asked for is not there."""


class Report(dict):
    """A report (schema steptrace.report/2) as a dict whose keys are attributes too."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)

    def __dir__(self):
        return sorted(set(super().__dir__()) | {key for key in self if key.isidentifier()})


def _options(columns, where, limit):
    options = []
    if columns is not None:
        options += ["--columns", ",".join(columns)]
    if where:
        options += ["--where=" + where]
    if limit is not None:
        options += ["--limit", str(int(limit))]
    return options


def _is_run(path):
    """Whether a folder is a run's, damaged or not."""
    folders = ("manifest", "journal", "tables")
    return os.path.lexists(os.path.join(path, "run.json")) or any(
        os.path.isdir(os.path.join(path, folder)) for folder in folders
    )


_ROLES = ("loss", "gradient", "weight")


def _with_means(row):
    row["not_finite"] = row["nan"] + row["positive_inf"] + row["negative_inf"]
    finite = row["numel"] - row["not_finite"]
    for name, total in (("mean", "sum"), ("mean_abs", "abs_sum"), ("rms", "square_sum")):
        known = finite > 0 and row[total] is not None
        row[name] = row[total] / finite if known else None
    if row["rms"] is not None:
        row["rms"] = math.sqrt(row["rms"])
    return row


class Run:
    """A run on disk: closed, live or interrupted. It is read anew by each call."""

    def __init__(self, path):
        self._path = os.path.abspath(os.fspath(path))

    @property
    def path(self):
        return self._path

    def __repr__(self):
        return f"<steptrace.Run {inert(self._path)}>"

    @property
    def manifest(self):
        """What the run's writers say of it, together."""
        answer = _executable.ask(["manifest", self._path])
        return json.loads(answer.decode("utf-8"), object_hook=Report)

    @property
    def name(self):
        return self.manifest["name"]

    @property
    def status(self):
        return self.manifest["status"]

    def report(self, price_per_hour=None, last=None):
        """Where the time goes and the verdict; of the newest `last` steps of each rank alone."""
        arguments = ["report", self._path, "--json"]
        if price_per_hour is not None:
            arguments += ["--price-per-hour", repr(float(price_per_hour))]
        if last is not None:
            arguments += ["--last", str(int(last))]
        return json.loads(_executable.ask(arguments).decode("utf-8"), object_hook=Report)

    def _stream(self, table, columns, where, limit):
        options = _options(columns, where, limit)
        return _executable.start(
            ["export", self._path, "--format", "arrow", "-o", "-", "--table", table, *options]
        )

    def table(self, table, columns=None, where=None, limit=None):
        """Rows of a table as a pyarrow.Table; without pyarrow as a list of dicts."""
        if isinstance(columns, str):
            columns = [columns]
        try:
            import pyarrow.ipc
        except ImportError:
            return list(self.rows(table, columns, where, limit))
        process = self._stream(table, columns, where, limit)
        try:
            rows = pyarrow.ipc.open_stream(process.stdout).read_all()
        except pyarrow.ArrowInvalid:
            _executable.finish(process)  # no stream: it says why, in an exception
            raise
        except BaseException:
            _executable.abandon(process)
            raise
        _executable.finish(process)
        rows = rows.unify_dictionaries()
        return rows.select(columns) if columns is not None else rows

    def rows(self, table, columns=None, where=None, limit=None):
        """The rows one by one as dicts; needs nothing but this package."""
        if isinstance(columns, str):
            columns = [columns]
        options = _options(columns, where, limit)
        process = _executable.start(["show", self._path, table, "--json", *options])
        try:
            for line in process.stdout:
                text = line.decode("utf-8").rstrip("\n").rstrip(",")
                if text.startswith("{"):
                    yield json.loads(text)
            _executable.finish(process)
        finally:
            _executable.abandon(process)

    def to_pandas(self, table, columns=None, where=None, limit=None):
        """Rows of a table as a pandas.DataFrame."""
        import pandas

        rows = self.table(table, columns, where, limit)
        return pandas.DataFrame(rows) if isinstance(rows, list) else rows.to_pandas()

    def to_polars(self, table, columns=None, where=None, limit=None):
        """Rows of a table as a polars.DataFrame; needs no pyarrow."""
        import polars

        rows = self.table(table, columns, where, limit)
        if isinstance(rows, list):
            return polars.DataFrame(rows, infer_schema_length=None)
        return polars.from_arrow(rows)

    def tensors(self, module=None, step=None, role=None):
        """Statistics of the model's tensors (`run --tensors`), one by one as dicts: rows of `tensor_stats`
        with not_finite, mean, mean_abs and rms, which are of the finite elements. `module`: a regular
        expression that the name has; `role`: loss, gradient or weight."""
        wanted = None if module is None else re.compile(module)
        conditions = [] if step is None else [f"step = {int(step)}"]
        if role is not None:
            if role not in _ROLES:
                raise ValueError(f"role: {role!r} is none of {', '.join(_ROLES)}")
            conditions.append(f"role = '{role}'")
        for row in self.rows("tensor_stats", where=" and ".join(conditions) or None):
            if wanted is None or wanted.search(row["tensor"]):
                yield _with_means(row)

    @property
    def plot(self):
        """Figures of this run, drawn with matplotlib: run.plot.steps(), …"""
        from ._plot import Plots

        return Plots(self)

    def _listed_beside(self):
        return listed(os.path.dirname(self._path))

    def _open_beside(self, other):
        """A Run as it is; the one that a path means, or a name or an id in this run's folder, else in
        the usual one."""
        if isinstance(other, Run):
            return other
        try:
            return open_run(other, os.path.dirname(self._path))
        except NoSuchRun:
            try:
                return open_run(other)
            except NoSuchRun as none:
                raise NoSuchRun(f"{none}; neither is it beside {self._path}") from None

    def show(self, height=720):
        """The whole report, as `report --html` writes it, for a notebook to show."""
        page = _executable.ask(["report", self._path, "--html", "-"]).decode("utf-8")
        return _Page(page, int(height))

    def _repr_html_(self):
        from . import _html

        return _html.page(self.report())


class Comparison(Report):
    """Two runs part by part: {runs, headline, notes, back, rows, comparability}, as `report --compare --json` prints it.

    `a` and `b` are the runs. Each of rows has kind (step, suspect, sub_stage, phase), name, a and b
    {ns, share, share_low, share_high}, and change_ns with its 95 % interval, change_low_ns and
    change_high_ns: b less a. comparability has what each run tells of itself, a and b, and in which
    of it they are known to differ, unlike.
    """

    __slots__ = ("a", "b")

    def __init__(self, a, b):
        answer = _executable.ask(["report", a.path, "--compare", b.path, "--json"])
        super().__init__(json.loads(answer.decode("utf-8"), object_hook=Report))
        self.a, self.b = a, b

    def __str__(self):
        return inert(self["headline"]["text"])

    def show(self, height=720):
        """Both runs side by side, as `report --compare --html` writes it, for a notebook."""
        arguments = ["report", self.a.path, "--compare", self.b.path, "--html", "-"]
        return _Page(_executable.ask(arguments).decode("utf-8"), int(height))

    def _repr_html_(self):
        from . import _html

        return _html.comparison(self, self.a.report(), self.b.report())


class _Page:
    """A page of its own inside a notebook: its styles and scripts stay in its frame."""

    def __init__(self, page, height):
        self._page = page
        self._height = height

    def _repr_html_(self):
        from html import escape

        return (
            f'<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:{self._height}px;border:0" '
            f'srcdoc="{escape(self._page)}"></iframe>'
        )


def open_run(run=None, folder=None):
    """The Run that a path, a name or an id means; the newest without one."""
    if run is not None:
        path = os.fspath(run)
        if _is_run(path):
            return Run(path)  # whether it can be read or not: who reads it says so
    runs = listed(folder)  # newest first
    if run is None and runs:
        return Run(runs[0]["path"])
    name = str(run).rstrip("/")  # as a shell completes it
    # What one run alone has goes before a name, which any newer run may have as well.
    for called in (lambda r: os.path.basename(r["path"]), lambda r: r["id"], lambda r: r["name"]):
        for found in runs:
            if name == called(found):
                return Run(found["path"])
    wanted = "no runs" if run is None else f"{run}: no such run, neither as a path nor"
    raise NoSuchRun(f"{wanted} in {folder or 'steptrace-runs'}; `steptrace ls` lists them")


def compare_runs(a, b, folder=None):
    """The Comparison of two runs, each a Run or what open_run() takes."""
    a, b = (run if isinstance(run, Run) else open_run(run, folder) for run in (a, b))
    return Comparison(a, b)


def list_runs(folder=None):
    """The runs in a folder, newest first; what cannot be read is left out."""
    return [Run(found["path"]) for found in listed(folder) if found["status"] != "unreadable"]


def listed(folder):
    """What `steptrace ls` says of each run, newest first."""
    if folder is not None and not os.path.isdir(folder):
        return []
    arguments = ["ls", "--json"] if folder is None else ["ls", os.fspath(folder), "--json"]
    return json.loads(_executable.ask(arguments).decode("utf-8"))
