# SPDX-License-Identifier: Apache-2.0
"""Figures of a run, drawn with the user's matplotlib from the report and the run's tables.

Each view is a method of `run.plot` and returns a matplotlib Figure, which a notebook shows by
itself and `savefig` writes. Nothing global is touched: no pyplot, no backend, no style. A view
whose source is not in the run is a figure that says so.
"""

import os

from ._colours import COLOURS, MANY
from ._figure import (
    bare_axes,
    bars,
    columns,
    in_lines,
    names_of,
    new_figure,
    nothing,
    short,
    whole_numbers,
)
from ._format import duration, percent, words
from ._stages import STAGE_COLOURS, SUSPECT_COLOURS

__all__ = ["Plots"]

_MS = 1e6
_HOST, _DEVICE = COLOURS["cat-0"], COLOURS["cat-1"]
_COMPUTING, _COMMUNICATION = COLOURS["model"], COLOURS["communication"]
_QUIET = COLOURS["other"]
_RUN_TIME = "time since the start of the run (s)"

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
    axes.plot(times, values, color=_HOST)
    place = f"node {row['node']}"
    if row.get("device") is not None:
        place += f", device {row['device']}"
    axes.set_title(f"{short(row['metric'])}, {place}, {unit}", fontsize=8, loc="left")
    highest = max([v for v in values if v == v], default=0)
    axes.set_ylim(0, 100 if unit == "%" else 1.1 * highest or 1)
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


# status: colour, marker, words; in the order in which they are shown. The marker tells without colour.
_RULE_STATES = {
    "issues_found": (COLOURS["data"], "^", "issue found"),
    "error": (COLOURS["cat-5"], "X", "error"),
    "ok": (COLOURS["overhead"], "o", "no issue"),
    "not_applicable": (_QUIET, "s", "not applicable"),
}
# What a run without a verdict is said to be.
_STATUS = {"unreadable": "damaged: steptrace ls says why"}
_LINE = 110  # letters that fit beside a rule's name


def _place(order, status):
    return order.index(status) if status in order else len(order)


def _why(rule):
    text = rule["reason"] or "no reason given"
    if rule["status"] == "issues_found":
        text = rule["evidence"][0]["text"] if rule["evidence"] else rule["advice"]
    elif rule["status"] == "ok":
        return ""
    return ": " + short(text, _LINE)


def _is(row, run):
    return os.path.realpath(row["path"]) == os.path.realpath(run.path)


def _colour_of(row):
    return SUSPECT_COLOURS.get(row["suspect"], _QUIET)


def _paths(modules):
    """Each module with where it lies, `layer1 / conv1`: its own name and the one around it."""
    by_rank = {}
    for module in modules:
        above = by_rank.setdefault(module["rank"], [])
        above.append(module)
        parent = module["parent"]
        around = "" if parent is None else above[parent]["name"] + " / "
        yield module, around + module["name"]


def _curves(memory, wanted):
    """The report's points of some (rank, device) as the figure draws them."""
    devices = {(d["rank"], max(d["device"], -1)): d["curve"] for d in memory.get("devices", ())}
    return {
        key: [(point["ts_ns"] / 1e9, point["allocated_bytes"] / 2**20) for point in devices[key]]
        for key in wanted
        if devices.get(key)
    }


def _beside(rank, name):
    """What a rank does beside computing and communicating; of a profile that is one sum, `other`."""
    if rank.get("other_ns") is not None:
        return rank["other_ns"] if name == "other" else 0
    return sum(one["ns"] for one in rank.get("suspects") or [] if one["name"] == name)


def _of_operator(row):
    """A call and the operator that makes it: the same call of several operators is a row for each."""
    name, operator = row["name"], row["operator"]
    return f"{name} of {operator}" if name and operator else name or operator or "-"


def _of_precision(device, name):
    """ms of a device's computing kernels; 0 where it has none of that precision."""
    return (
        sum(row["ns"] for row in device["precisions"] if (row["precision"] or None) == name) / _MS
    )


class Plots:
    """Views of a run as matplotlib figures."""

    def __init__(self, run):
        self._run = run

    def breakdown(self):
        """Where the mean step goes, by suspect, in ms."""
        report = self._run.report()
        mean_ns = (report["steps"]["duration_ns"] or {}).get("mean")
        if not mean_ns:
            return nothing("Where a step goes", report["verdict"]["headline"])
        suspects = report["suspects"]["rows"]
        names = [f"{words(s['name'])} {percent(s['share'])}" for s in suspects]
        values = [s["share"] * mean_ns / _MS for s in suspects]
        colours = [SUSPECT_COLOURS.get(s["name"], _QUIET) for s in suspects]
        title = in_lines("Where a step goes: " + short(report["verdict"]["headline"], 120))
        return bars(title, names, [("", values, colours)], "ms per step")

    def steps(self):
        """Duration of each step over the run, by rank, in ms."""
        rows = columns(self._run, "steps", ["rank", "ts_ns", "dur_ns", "kind"])
        if not rows["ts_ns"]:
            return nothing("Steps", "No steps were seen in this run.")
        figure = new_figure(7)
        axes = bare_axes(figure, "Duration of steps")
        groups = {}
        for rank, ts_ns, dur_ns, kind in zip(*rows.values()):
            groups.setdefault((kind, rank), []).append((ts_ns / 1e9, dur_ns / _MS))
        for index, ((kind, rank), points) in enumerate(sorted(groups.items())):
            colour = _QUIET if kind != "train" else MANY[index % len(MANY)]
            axes.plot(
                *zip(*points), ".", markersize=3, color=colour, label=short(f"{kind}, rank {rank}")
            )
        axes.set_xlabel(_RUN_TIME)
        axes.set_ylabel("ms")
        # The longest steps stand below the edge, not half behind it.
        axes.set_ylim(0, 1.05 * max(rows["dur_ns"]) / _MS or 1)
        if len(groups) <= 10:
            axes.legend(frameon=False, fontsize=8, markerscale=3)
        return figure

    def histogram(self):
        """Distribution of the durations of steady training steps, with median and 95th percentile."""
        rows = columns(self._run, "steps", ["dur_ns"], where="kind = 'train'")
        durations = [dur_ns / _MS for dur_ns in rows["dur_ns"]]
        if not durations:
            return nothing("Steps", "No steady training steps were seen in this run.")
        figure = new_figure(6)
        axes = bare_axes(figure, f"Steady training steps: {len(durations)}")
        axes.hist(durations, bins=min(60, max(1, len(durations))), color=_COMPUTING)
        whole_numbers(axes.yaxis)
        spread = self._run.report()["steps"]["duration_ns"] or {}
        for name, style in (("p50", "-"), ("p95", "--")):
            if spread.get(name):
                axes.axvline(spread[name] / _MS, color=COLOURS["data"], linestyle=style, label=name)
        axes.legend(frameon=False, fontsize=8)
        axes.set_xlabel("ms")
        axes.set_ylabel("steps")
        return figure

    def data_pipeline(self):
        """What the step's wait for data consists of, by stage, as a share of the step."""
        pipeline = self._run.report()["data_pipeline"]
        stages = [stage for stage in pipeline["stages"] if stage["ns"]]
        if not stages:
            return nothing("Data pipeline", "No step waited for data.")
        title = "Data pipeline"
        if pipeline["waits"]:  # a profile has none
            title += ": next batch not ready in {starved_waits} of {waits} waits".format(**pipeline)
        stages = sorted(stages, key=lambda stage: -stage["ns"])
        values = [100 * stage["share"] for stage in stages]
        names = [words(stage["name"]) for stage in stages]
        colours = [STAGE_COLOURS.get(s["name"], SUSPECT_COLOURS["data_pipeline"]) for s in stages]
        return bars(title, names, [("", values, colours)], "% of the step")

    def system(self, metrics=_SYSTEM):
        """Metrics of the nodes and devices over the run; a name that ends with `*` is a prefix."""
        report = self._run.report()
        rows = [
            row
            for row in report["system"]["rows"]
            if row["sparkline"] and _chosen(row["metric"], metrics)
        ]
        if not rows:
            return nothing("System", "None of these metrics was collected.")
        duration_s = report["run"]["duration_ns"] / 1e9
        figure = new_figure(2.6 * len(rows))
        figure.suptitle("System", x=0.01, ha="left", fontsize=10)
        grid = figure.subplots(len(rows), 1, sharex=True, squeeze=False)
        for axes, row in zip(grid[:, 0], rows):
            _draw_series(axes, row, duration_s)
        axes.set_xlabel(_RUN_TIME)
        return figure

    def devices(self):
        """Each device's window: computing, exposed communication, exposed copies, idle."""
        devices = self._run.report()["devices"]["rows"]
        if not devices:
            return nothing("Devices", "The run holds no device activity.")
        members = [
            ("computing", "compute_ns", _COMPUTING),
            ("exposed communication", "exposed_communication_ns", _COMMUNICATION),
            ("exposed copies", "exposed_memory_ns", STAGE_COLOURS["device_copy"]),
            ("idle", "idle_ns", _QUIET),
        ]
        names = ["rank {rank}, device {device}".format(**d) for d in devices]
        parts = [
            (label, [d["window"][member] / _MS for d in devices], colour)
            for label, member, colour in members
        ]
        return bars("Devices", names, parts, "ms within the capture window")

    def precision(self):
        """What each device's computing kernels compute in, as far as their names tell."""
        devices = [d for d in self._run.report()["devices"]["rows"] if d["precisions"]]
        if not devices:
            return nothing("Kernel precision", "The run holds no kernels that compute.")
        sums = {}
        for device in devices:
            for row in device["precisions"]:
                name = row["precision"] or None
                sums[name] = sums.get(name, 0) + row["ns"]
        ranked = sorted(sums, key=lambda name: -sums[name])
        told = [name for name in ranked if name is not None]
        colours = {name: MANY[i % len(MANY)] for i, name in enumerate(told)}
        parts = [
            (
                name or "unknown",
                [_of_precision(d, name) for d in devices],
                colours.get(name, _QUIET),
            )
            for name in ranked
        ]
        names = ["rank {rank}, device {device}".format(**d) for d in devices]
        return bars("Kernel precision", names, parts, "ms in computing kernels")

    def operators(self, top=15):
        """The operators with most self time, on the host and on the device."""
        rows = self._run.report()["operators"]["rows"]
        if not rows:
            return nothing("Operators", "The run holds no operators.")
        rows = sorted(rows, key=lambda r: -(r["host_self_ns"] + r["device_self_ns"]))[:top]
        parts = [
            ("host", [r["host_self_ns"] / _MS for r in rows], _HOST),
            ("device", [r["device_self_ns"] / _MS for r in rows], _DEVICE),
        ]
        return bars("Operators, self time", names_of(rows), parts, "ms")

    def kernels(self, top=15):
        """The kernels with most time."""
        rows = self._run.report()["kernels"]["rows"]
        if not rows:
            return nothing("Kernels", "The run holds no kernels.")
        rows = sorted(rows, key=lambda r: -r["total_ns"])[:top]
        values = [r["total_ns"] / _MS for r in rows]
        colours = [_COMMUNICATION if r["role"] == "communication" else _COMPUTING for r in rows]
        return bars("Kernels", names_of(rows), [("", values, colours)], "ms")

    def modules(self, top=15):
        """The modules with most own time, without those nested in them, on host and device."""
        modules = self._run.report()["modules"]["rows"]
        if not modules:
            return nothing(
                "Modules",
                "The run holds no modules: they come from a profile with with_stack or with_modules.",
            )
        rows = [{**module, "name": path} for module, path in _paths(modules)]
        rows = sorted(rows, key=lambda r: -(r["host_self_ns"] + r["device_self_ns"]))[:top]
        parts = [
            ("host", [r["host_self_ns"] / _MS for r in rows], _HOST),
            ("device", [r["device_self_ns"] / _MS for r in rows], _DEVICE),
        ]
        return bars("Modules, own time", names_of(rows), parts, "ms")

    def critical_path(self, top=15):
        """What lies on the critical path, by cause and name."""
        path = self._run.report()["critical_path"]
        if not path.get("rows"):
            reason = (path.get("reason") or {}).get("text")
            return nothing("Critical path", reason or "The run holds no profile.")
        rows = sorted(path["rows"], key=lambda r: -r["ns"])[:top]
        names = [f"{r['cause'].replace('_', ' ')}: {_of_operator(r)}" for r in rows]
        return bars("Critical path", names, [("", [r["ns"] / _MS for r in rows], _HOST)], "ms")

    def memory(self):
        """Allocated memory of each rank's devices over time, in MiB.

        Of a profile that tells no totals: what was allocated since its begin, as in the report.
        """
        wanted = ["ts_ns", "rank", "device", "total_allocated_bytes"]
        rows = columns(self._run, "memory", wanted)
        lines, without = {}, set()
        for ts_ns, rank, device, allocated in zip(*rows.values()):
            key = (rank, -1 if device is None else max(device, -1))
            if allocated is None:
                without.add(key)
            else:
                lines.setdefault(key, []).append((ts_ns / 1e9, allocated / 2**20))
        since_begin = without - lines.keys()
        # Of the host the records' totals are the allocator's alone, without mapped memory.
        host = {key for key in lines if key[1] < 0}
        if since_begin or host:
            lines.update(_curves(self._run.report()["memory"], since_begin | host))
        if not lines:
            return nothing("Memory", "The run holds no allocations.")
        several = len({rank for rank, _ in lines}) > 1
        figure = new_figure(7)
        # Of a large job the report has some ranks' curves alone.
        without_curve = len({rank for rank, _ in since_begin | host} - {rank for rank, _ in lines})
        left_out = f" (without {without_curve} ranks, whose curves the report leaves out)"
        axes = bare_axes(figure, "Allocated memory" + (left_out if without_curve else ""))
        for (rank, device), points in sorted(lines.items(), key=lambda line: line[0]):
            name = "host" if device < 0 else f"device {device}"
            if several:
                name = f"rank {rank}, {name}"
            if (rank, device) in since_begin:
                name += ", since its begin"
            axes.plot(*zip(*points), drawstyle="steps-post", linewidth=1, label=name)
        axes.set_xlabel(_RUN_TIME)
        axes.set_ylabel("MiB")
        if not since_begin:  # what was there before and is released counts below 0
            axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8)
        return figure

    def distributed(self):
        """The ranks side by side: computing, overlap, exposed communication, and the rest."""
        section = self._run.report()["distributed"]
        ranks = [rank for rank in section["ranks"] if rank.get("computation_ns") is not None]
        if section["status"] == "not_applicable" or not ranks:
            reason = (section["reason"] or {}).get("text")
            return nothing("Ranks", reason or "One rank, or no collectives.")
        members = [
            ("computing alone", "computation_ns", _COMPUTING),
            ("overlap", "overlap_ns", COLOURS["cat-4"]),
            ("exposed communication", "exposed_ns", _COMMUNICATION),
        ]
        names = ["rank {rank}".format(**rank) for rank in ranks]
        parts = [
            (label, [(rank.get(member) or 0) / _MS for rank in ranks], colour)
            for label, member, colour in members
        ]
        parts += [
            (words(name), [_beside(rank, name) / _MS for rank in ranks], colour)
            for name, colour in [*SUSPECT_COLOURS.items(), ("other", _QUIET)]
            if name not in ("model", "communication")
        ]
        return bars("Ranks", names, parts, "ms")

    def timeline(self, from_ns=None, to_ns=None):
        """Slices of a time range, a line for each track and depth, in ms from its begin.

        from_ns, to_ns: ns since the run's begin; without them three steps from the middle.
        """
        from . import _plot_timeline

        return _plot_timeline.draw(self._run, from_ns, to_ns)

    def rules(self):
        """What each rule says: its status, and why."""
        rules = self._run.report()["rules"]["rows"]
        if not rules:
            return nothing("Rules", "The report holds no rules.")
        order = list(_RULE_STATES)
        rules = sorted(rules, key=lambda r: (_place(order, r["status"]), r["name"]))
        found = sum(rule["status"] == "issues_found" for rule in rules)
        figure = new_figure(len(rules), width=11.0)
        axes = bare_axes(figure, f"Profiler rules: {found} of {len(rules)} found an issue")
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        for place, rule in enumerate(rules):
            colour, marker, status = _RULE_STATES.get(rule["status"], _RULE_STATES["error"])
            axes.plot([0.0], [place], marker, color=colour, markersize=8, clip_on=False)
            axes.text(0.02, place, status + _why(rule), fontsize=8, va="center")
        axes.set_yticks(range(len(rules)), labels=[short(r["name"]) for r in rules], fontsize=8)
        axes.set_xticks([])
        axes.tick_params(left=False)
        axes.set_xlim(0, 1)
        axes.set_ylim(len(rules) - 0.4, -0.6)
        return figure

    def runs(self, top=30):
        """The runs of this run's folder, newest first: how long each took, and its verdict."""
        folder = os.path.dirname(self._run.path)
        rows = self._run._listed_beside()
        if not rows:
            return nothing("Runs", "No runs lie in the folder of this run.")
        longest = max((row["duration_ns"] or 0) for row in rows[:top])
        unit, scale = ("min", 60e9) if longest >= 600e9 else ("s", 1e9)
        title = f"Runs in {short(folder)}: {len(rows)}"
        if len(rows) > top:
            title += f", the newest {top}"
        rows = rows[:top]
        values = [(row["duration_ns"] or 0) / scale for row in rows]
        names = [("▸ " if _is(row, self._run) else "") + str(row["name"]) for row in rows]
        figure = bars(title, names, [("", values, [_colour_of(row) for row in rows])], unit)
        axes = figure.axes[0]
        for place, row in enumerate(rows):
            text = words(row["verdict"]) or _STATUS.get(row["status"], words(row["status"]))
            axes.text(values[place], place, "  " + short(text), fontsize=8, va="center")
        axes.margins(x=0.35)
        return figure

    def compare(self, other):
        """This run's mean step beside another's, by suspect, in ms.

        other: a Run, or a path, or the name or id of one beside this run, else of one in the usual
        folder.
        """
        other = self._run._open_beside(other)
        reports = [self._run.report(), other.report()]
        means = [(report["steps"]["duration_ns"] or {}).get("mean") for report in reports]
        if not all(means):
            return nothing("Compare", "One of the runs has no steps.")
        names = [f"{r['run']['name']}: {duration(m)}" for r, m in zip(reports, means)]
        parts = []
        for index, suspect in enumerate(reports[0]["suspects"]["rows"]):
            values = [
                r["suspects"]["rows"][index]["share"] * m / _MS for r, m in zip(reports, means)
            ]
            parts.append(
                (words(suspect["name"]), values, SUSPECT_COLOURS.get(suspect["name"], _QUIET))
            )
        return bars("Mean step", names, parts, "ms per step")
