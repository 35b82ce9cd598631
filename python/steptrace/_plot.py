# SPDX-License-Identifier: Apache-2.0
"""Figures of a run, drawn with the user's matplotlib from the report and the run's tables.

Each view is a method of `run.plot` and returns a matplotlib Figure, which a notebook shows by
itself and `savefig` writes. Nothing global is touched: no pyplot, no backend, no style. A view
whose source is not in the run is a figure that says so.
"""

from io import BytesIO

from ._executable import SteptraceError

__all__ = ["Plots"]

# Okabe and Ito's palette: told apart without red and green.
_COLOURS = {
    "data_pipeline": "#E69F00",
    "model": "#0072B2",
    "communication": "#CC79A7",
    "framework_overhead": "#D55E00",
    "other": "#8A8F98",
}
_FIRST, _SECOND, _THIRD, _QUIET = "#0072B2", "#E69F00", "#CC79A7", "#C9CDD3"
_NAME_LENGTH = 48
_MS = 1e6

# What `system` draws when nobody asks: is something full?
_SYSTEM = (
    "cpu.busy_share",
    "cpu.iowait_share",
    "memory.used_bytes",
    "memory.used_share",
    "disk.read_bytes_per_s",
    "network.receive_bytes_per_s",
    "gpu.utilization*",
    "gpu.memory_used*",
)

_figure_class = None


def _new_figure(rows, width=8.0):
    """An empty figure that is as high as its rows need, in inches."""
    global _figure_class
    if _figure_class is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise SteptraceError("plot: no matplotlib; pip install matplotlib")

        class RunFigure(Figure):
            """A Figure that notebooks show without pyplot's help."""

            def _repr_png_(self):
                png = BytesIO()
                self.savefig(png, format="png", dpi=110)
                return png.getvalue()

        _figure_class = RunFigure
    return _figure_class(figsize=(width, 1.1 + 0.34 * rows), layout="constrained")


def _words(name):
    return str(name).replace("_", " ")


def _short(name):
    """One line of a name from a trace; `$` would begin a formula."""
    text = " ".join(str(name).split()).replace("$", r"\$")
    return text if len(text) <= _NAME_LENGTH else text[: _NAME_LENGTH - 1] + "…"


def _names_of(rows):
    """Names of operators or kernels; with the rank before them where there are several."""
    if len({row["rank"] for row in rows}) < 2:
        return [row["name"] for row in rows]
    return ["rank {rank}: {name}".format(**row) for row in rows]


def _bare_axes(figure, title):
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes


def _nothing(title, why):
    figure = _new_figure(2)
    axes = figure.add_subplot()
    axes.axis("off")
    axes.set_title(title, loc="left", fontsize=10)
    axes.text(0.0, 0.5, why, transform=axes.transAxes, color="#5A6069")
    return figure


def _bars(title, names, parts, unit):
    """Horizontal bars, the first name on top; parts: (label, values, colour or colours), stacked."""
    figure = _new_figure(len(names) + (1 if len(parts) > 1 else 0))
    axes = _bare_axes(figure, title)
    places = range(len(names))
    left = [0.0] * len(names)
    for label, values, colour in parts:
        axes.barh(places, values, left=left, color=colour, label=label, height=0.7)
        left = [a + b for a, b in zip(left, values)]
    axes.set_yticks(list(places), labels=[_short(name) for name in names], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    if len(parts) > 1:
        figure.legend(frameon=False, fontsize=8, ncols=len(parts), loc="outside lower right")
    return figure


def _columns(run, table, columns, where=None):
    """Rows as lists by column, with pyarrow or without."""
    rows = run.table(table, columns, where)
    if isinstance(rows, list):
        return {name: [row[name] for row in rows] for name in columns}
    return {name: rows.column(name).to_pylist() for name in columns}


def _chosen(metric, wanted):
    return any(
        metric.startswith(name[:-1]) if name.endswith("*") else metric == name for name in wanted
    )


def _draw_series(axes, row, duration_s):
    """One metric over the run, from 0; shares in per cent, bytes in the unit that fits."""
    unit, scale = row["unit"], 1.0
    if unit == "share":
        unit, scale = "%", 100.0
    elif unit.startswith("bytes"):
        power = next((p for p in (3, 2, 1) if (row["max"] or 0) >= 1024**p), 0)
        unit = unit.replace("bytes", ("B", "KiB", "MiB", "GiB")[power])
        scale = 1024.0**-power
    values = [float("nan") if v is None else v * scale for v in row["sparkline"]]
    times = [duration_s * (i + 0.5) / len(values) for i in range(len(values))]
    axes.plot(times, values, color=_FIRST)
    place = f"node {row['node']}"
    if row.get("device") is not None:
        place += f", device {row['device']}"
    axes.set_title(f"{row['metric']}, {place}, {unit}", fontsize=8, loc="left")
    highest = max([v for v in values if v == v], default=0)
    axes.set_ylim(0, 100 if unit == "%" else 1.1 * highest or 1)
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


class Plots:
    """Views of a run as matplotlib figures."""

    def __init__(self, run):
        self._run = run

    def breakdown(self):
        """Where the mean step goes, by suspect, in ms."""
        report = self._run.report()
        mean_ns = (report["steps"]["duration_ns"] or {}).get("mean")
        if not mean_ns:
            return _nothing("Where a step goes", report["verdict"]["headline"])
        suspects = report["suspects"]
        names = [f"{_words(s['name'])} {100 * s['share']:.0f} %" for s in suspects]
        values = [s["share"] * mean_ns / _MS for s in suspects]
        colours = [_COLOURS.get(s["name"], _QUIET) for s in suspects]
        title = "Where a step goes: " + _short(report["verdict"]["headline"])
        return _bars(title, names, [("", values, colours)], "ms of a step")

    def steps(self):
        """Duration of each step over the run, by rank, in ms."""
        rows = _columns(self._run, "steps", ["rank", "ts_ns", "dur_ns", "kind"])
        if not rows["ts_ns"]:
            return _nothing("Steps", "No steps were seen in this run.")
        figure = _new_figure(7)
        axes = _bare_axes(figure, "Duration of steps")
        groups = {}
        for rank, ts_ns, dur_ns, kind in zip(*rows.values()):
            groups.setdefault((kind, rank), []).append((ts_ns / 1e9, dur_ns / _MS))
        for index, ((kind, rank), points) in enumerate(sorted(groups.items())):
            colour = _QUIET if kind != "train" else f"C{index % 10}"
            axes.plot(*zip(*points), ".", markersize=3, color=colour, label=f"{kind}, rank {rank}")
        axes.set_xlabel("s of the run")
        axes.set_ylabel("ms")
        axes.set_ylim(bottom=0)
        if len(groups) <= 10:
            axes.legend(frameon=False, fontsize=8, markerscale=3)
        return figure

    def histogram(self):
        """Distribution of the durations of steady training steps, with median and 95th percentile."""
        rows = _columns(self._run, "steps", ["dur_ns"], where="kind = 'train'")
        durations = [dur_ns / _MS for dur_ns in rows["dur_ns"]]
        if not durations:
            return _nothing("Steps", "No steady training steps were seen in this run.")
        figure = _new_figure(6)
        axes = _bare_axes(figure, f"Steady training steps: {len(durations)}")
        axes.hist(durations, bins=min(60, max(1, len(durations))), color=_FIRST)
        spread = self._run.report()["steps"]["duration_ns"] or {}
        for name, style in (("p50", "-"), ("p95", "--")):
            if spread.get(name):
                axes.axvline(spread[name] / _MS, color=_SECOND, linestyle=style, label=name)
        axes.legend(frameon=False, fontsize=8)
        axes.set_xlabel("ms")
        axes.set_ylabel("steps")
        return figure

    def data_pipeline(self):
        """What the step's wait for data consists of, by stage, as a share of the step."""
        pipeline = self._run.report()["data_pipeline"]
        stages = [stage for stage in pipeline["stages"] if stage["ns"]]
        if not pipeline["applicable"] or not stages:
            return _nothing("Data pipeline", "No step waited for data.")
        title = "Data pipeline: {starved_waits} of {waits} waits met an empty queue".format(
            **pipeline
        )
        values = [100 * stage["share"] for stage in stages]
        names = [_words(stage["name"]) for stage in stages]
        return _bars(title, names, [("", values, _COLOURS["data_pipeline"])], "% of the step")

    def system(self, metrics=_SYSTEM):
        """Metrics of the nodes and devices over the run; a name that ends with `*` is a prefix."""
        report = self._run.report()
        rows = [
            row for row in report["system"] if row["sparkline"] and _chosen(row["metric"], metrics)
        ]
        if not rows:
            return _nothing("System", "None of these metrics was collected.")
        duration_s = report["run"]["duration_ns"] / 1e9
        figure = _new_figure(2.6 * len(rows))
        figure.suptitle("System", x=0.01, ha="left", fontsize=10)
        grid = figure.subplots(len(rows), 1, sharex=True, squeeze=False)
        for axes, row in zip(grid[:, 0], rows):
            _draw_series(axes, row, duration_s)
        axes.set_xlabel("s of the run")
        return figure

    def devices(self):
        """Each device's window: computing, exposed communication, exposed copies, idle."""
        devices = self._run.report()["devices"]
        if not devices:
            return _nothing("Devices", "The run holds no device activity.")
        members = [
            ("computing", "compute_ns", _FIRST),
            ("exposed communication", "exposed_communication_ns", _THIRD),
            ("exposed copies", "exposed_memory_ns", _SECOND),
            ("idle", "idle_ns", _QUIET),
        ]
        names = ["rank {rank}, device {device}".format(**d) for d in devices]
        parts = [
            (label, [d["window"][member] / _MS for d in devices], colour)
            for label, member, colour in members
        ]
        return _bars("Devices", names, parts, "ms of the window")

    def operators(self, top=15):
        """The operators with most self time, on the host and on the device."""
        rows = self._run.report()["operators"]
        if not rows:
            return _nothing("Operators", "The run holds no operators.")
        rows = sorted(rows, key=lambda r: -(r["host_self_ns"] + r["device_self_ns"]))[:top]
        parts = [
            ("host", [r["host_self_ns"] / _MS for r in rows], _FIRST),
            ("device", [r["device_self_ns"] / _MS for r in rows], _SECOND),
        ]
        return _bars("Operators, self time", _names_of(rows), parts, "ms")

    def kernels(self, top=15):
        """The kernels with most time."""
        rows = self._run.report()["kernels"]
        if not rows:
            return _nothing("Kernels", "The run holds no kernels.")
        rows = sorted(rows, key=lambda r: -r["total_ns"])[:top]
        values = [r["total_ns"] / _MS for r in rows]
        colours = [_THIRD if r["role"] == "communication" else _FIRST for r in rows]
        return _bars("Kernels", _names_of(rows), [("", values, colours)], "ms")

    def critical_path(self, top=15):
        """What lies on the critical path, by cause and name."""
        path = self._run.report()["critical_path"]
        if not path.get("rows"):
            return _nothing("Critical path", path.get("note") or "The run holds no profile.")
        rows = sorted(path["rows"], key=lambda r: -r["ns"])[:top]
        names = [
            "{}: {}".format(_words(r["cause"]), r["name"] or r["operator"] or "-") for r in rows
        ]
        return _bars("Critical path", names, [("", [r["ns"] / _MS for r in rows], _FIRST)], "ms")

    def memory(self):
        """Allocated memory of each device over time, in MiB."""
        rows = _columns(self._run, "memory", ["ts_ns", "device", "total_allocated_bytes"])
        lines = {}
        for ts_ns, device, allocated in zip(*rows.values()):
            if allocated is not None:
                lines.setdefault(device, []).append((ts_ns / 1e9, allocated / 2**20))
        if not lines:
            return _nothing("Memory", "The run holds no allocations.")
        figure = _new_figure(7)
        axes = _bare_axes(figure, "Allocated memory")
        for device, points in sorted(lines.items(), key=str):
            name = "host" if device is None or device < 0 else f"device {device}"
            axes.plot(*zip(*points), drawstyle="steps-post", linewidth=1, label=name)
        axes.set_xlabel("s of the run")
        axes.set_ylabel("MiB")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8)
        return figure

    def distributed(self):
        """The ranks beside each other: computing, overlap, exposed transfer, waiting."""
        section = self._run.report()["distributed"]
        ranks = [rank for rank in section["ranks"] if rank.get("computation_ns") is not None]
        if not section["applicable"] or not ranks:
            return _nothing("Ranks", section.get("note") or "One rank, or no collectives.")
        members = [
            ("computing alone", "computation_ns", _FIRST),
            ("overlap", "overlap_ns", "#56B4E9"),
            ("exposed communication", "exposed_ns", _THIRD),
        ]
        names = ["rank {rank}".format(**rank) for rank in ranks]
        parts = [
            (label, [(rank.get(member) or 0) / _MS for rank in ranks], colour)
            for label, member, colour in members
        ]
        return _bars("Ranks", names, parts, "ms")

    def compare(self, other):
        """This run's mean step beside another's, by suspect, in ms."""
        reports = [self._run.report(), other.report()]
        means = [(report["steps"]["duration_ns"] or {}).get("mean") for report in reports]
        if not all(means):
            return _nothing("Compare", "One of the runs has no steps.")
        names = ["{}: {:.3g} ms".format(r["run"]["name"], m / _MS) for r, m in zip(reports, means)]
        parts = []
        for index, suspect in enumerate(reports[0]["suspects"]):
            values = [r["suspects"][index]["share"] * m / _MS for r, m in zip(reports, means)]
            parts.append((_words(suspect["name"]), values, _COLOURS.get(suspect["name"], _QUIET)))
        return _bars("Mean step", names, parts, "ms of a step")
