# SPDX-License-Identifier: Apache-2.0
"""Figures of a run in Python, comparisons, and show()."""

import json
import os
import shutil
import subprocess

import pytest
import run_manifest
from test_cli import executable
from test_store_readable import make_run

import steptrace
from steptrace._format import duration

VIEWS = [
    "breakdown",
    "steps",
    "histogram",
    "data_pipeline",
    "system",
    "devices",
    "operators",
    "precision",
    "kernels",
    "critical_path",
    "memory",
    "distributed",
    "modules",
    "timeline",
    "rules",
    "runs",
]
HOSTILE = "<script>alert('$x^2$')</script>\n" + 2000 * "k"


def event(name, category, begin_us, duration_us, tid, **args):
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "ts": begin_us,
        "dur": duration_us,
        "pid": 1 if category != "kernel" else 0,
        "tid": tid,
        "args": args,
    }


def profile():
    """Two steps of an operator that launches a kernel each; one name is hostile."""
    events = []
    for step in range(2):
        at = 1000 * step
        events += [
            event(f"ProfilerStep#{step}", "user_annotation", at, 900, 1),
            event("aten::mm", "cpu_op", at + 10, 300, 1, **{"External id": step + 1}),
            event("cudaLaunchKernel", "cuda_runtime", at + 20, 50, 1, correlation=step + 7),
            event(HOSTILE, "kernel", at + 100, 400, 7, correlation=step + 7, device=0, stream=7),
        ]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": events}


def ask(*arguments, cwd):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("STEPTRACE_")}
    return subprocess.run(
        [str(executable()), *map(str, arguments)],
        cwd=cwd,
        env=plain,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run with steps and counters, and one of a profile."""
    folder = tmp_path_factory.mktemp("pages")
    assert make_run(folder / "demo").returncode == 0
    (folder / "trace.json").write_text(json.dumps(profile()))
    assert ask("import", "trace.json", "-o", "profile", cwd=folder).returncode == 0
    return {"demo": steptrace.open(folder / "demo"), "profile": steptrace.open(folder / "profile")}


def title_of(figure):
    return figure.axes[0].get_title(loc="left")


@pytest.mark.parametrize("name", ["demo", "profile"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_picture_of_every_run(runs, name, view):
    figure = getattr(runs[name].plot, view)()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_bars_are_the_report(runs):
    report = runs["profile"].report()
    axes = runs["profile"].plot.kernels().axes[0]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [row["total_ns"] / 1e6 for row in report["kernels"]["rows"]]
    (label,) = [text.get_text() for text in axes.get_yticklabels()]
    assert label.startswith("<script>alert(") and len(label) < 60, "one short line of text"


def test_the_largest_stage_of_the_data_pipeline_comes_first(runs):
    from steptrace._plot import Plots

    shares = {"decode": 0.2, "cpu_shortage": 0.5, "collate": 0.1}
    stages = [{"name": n, "share": s, "ns": int(s * 100)} for n, s in shares.items()]
    pipeline = {"status": "found", "waits": 0, "stages": stages}
    run = type("Run", (), {"report": lambda self: {"data_pipeline": pipeline}})()
    axes = Plots(run).data_pipeline().axes[0]
    assert [bar.get_width() for bar in axes.patches] == [50, 20, 10]
    assert axes.get_yticklabels()[0].get_text() == "CPU contention"


def test_a_rank_that_loads_data_longest_has_the_longest_bar():
    from steptrace._plot import Plots

    def rank(number, exposed, **ns):
        suspects = [{"name": name, "ns": v} for name, v in ns.items()]
        known = {"computation_ns": 2e6, "overlap_ns": 0, "exposed_ns": exposed}
        return {"rank": number, **known, "suspects": suspects}

    ranks = [rank(0, 5e6, data_pipeline=1e6), rank(1, 1e6, data_pipeline=7e6, other_work=1e6)]
    ranks.append({**rank(2, 2e6, unattributed=9e6), "other_ns": 4e6})
    section = {"status": "found", "ranks": ranks}
    run = type("Run", (), {"report": lambda self: {"distributed": section}})()
    widths = [bar.get_width() for bar in Plots(run).distributed().axes[0].patches]
    assert [sum(widths[place::3]) for place in range(3)] == [8, 11, 8]


def test_a_legend_names_only_what_is_drawn():
    from steptrace._figure import bars

    parts = [("host", [2.0, 1.0], "k"), ("device", [0, 0], "r")]
    (legend,) = bars("Operators", ["a", "b"], parts, "ms").legends
    assert [text.get_text() for text in legend.get_texts()] == ["host"]


def test_steps_are_the_table(runs):
    axes = runs["demo"].plot.steps().axes[0]
    drawn = sorted(y for line in axes.lines for y in line.get_ydata())
    rows = runs["demo"].table("steps", ["dur_ns"]).column("dur_ns").to_pylist()
    assert drawn == sorted(dur_ns / 1e6 for dur_ns in rows)


def allocations(sizes, totals=True):
    """A profile that allocates and releases on device 0, a ms apart; without totals as of 2021."""
    events, held = [event("ProfilerStep#0", "user_annotation", 0, 9000, 1)], 0
    for at, size in enumerate(sizes, 1):
        held += size
        args = {"Device Type": 1, "Device Id": 0, "Bytes": size, "Addr": 4096}
        if totals:
            args |= {"Total Allocated": held, "Total Reserved": 2 * held}
        instant = {"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event"}
        events.append({**instant, "ts": 1000 * at, "pid": 1, "tid": 1, "args": args})
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": events}


def lines_of(tmp_path, **profiles):
    """What the figure of memory draws of profiles by name: MiB by label."""
    for name, made in profiles.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(made))
    files = [f"{name}.json" for name in profiles]
    imported = ask("import", *files, "-o", "run", cwd=tmp_path)
    assert imported.returncode == 0, imported.stderr
    run = steptrace.open(tmp_path / "run")
    lines = run.plot.memory().axes[0].lines
    assert all(list(line.get_xdata()) == sorted(line.get_xdata()) for line in lines)
    return run, {line.get_label(): list(line.get_ydata()) for line in lines}


def test_each_rank_has_its_own_line_of_memory(tmp_path):
    mib = 2**20
    _, drawn = lines_of(
        tmp_path,
        rank0=allocations([mib, mib, -mib]),
        rank1=allocations([8 * mib, -4 * mib, -4 * mib]),
    )
    assert drawn == {"rank 0, device 0": [1, 2, 1], "rank 1, device 0": [8, 4, 0]}


def test_memory_without_totals_is_the_curve_of_the_report(tmp_path):
    mib = 2**20
    run, drawn = lines_of(tmp_path, rank0=allocations([3 * mib, -mib, -4 * mib], totals=False))
    (device,) = run.report()["memory"]["devices"]
    assert device["curve_from_zero"]
    (line,) = drawn.items()
    assert line == (
        "device 0, since its begin",
        [point["allocated_bytes"] / mib for point in device["curve"]],
    )
    assert line[1][-1] == -2, "released is more than the profile saw allocated"


def test_missing_sections_are_named(runs):
    figure = runs["demo"].plot.kernels()
    assert title_of(figure) == "Kernels"
    assert figure.axes[0].texts[0].get_text() == "The run holds no kernels."


def test_compare_has_both_runs(runs):
    for other in (runs["demo"], str(runs["demo"].path)):
        labels = [t.get_text() for t in runs["demo"].plot.compare(other).axes[0].get_yticklabels()]
        assert len(labels) == 2


def test_a_folder_goes_before_a_name(runs, tmp_path):
    """As on the command line: what one run alone has goes before what any newer run may have."""
    shutil.copytree(runs["profile"].path, tmp_path / "old")
    shutil.copytree(runs["demo"].path, tmp_path / "new")
    named = run_manifest.read(tmp_path / "new")
    for name in ("old", run_manifest.read(tmp_path / "old")["id"]):
        named["name"] = name
        run_manifest.write(tmp_path / "new", named)
        assert steptrace.open("new", tmp_path).name == name
        assert steptrace.open(name, tmp_path).path == str(tmp_path / "old")
        assert steptrace.open(name + "/", tmp_path).path == str(tmp_path / "old")
    named["name"] = "another"
    run_manifest.write(tmp_path / "new", named)
    assert steptrace.open("another", tmp_path).path == str(tmp_path / "new")


def test_compare_looks_for_a_name_beside_the_run_first(runs, tmp_path, monkeypatch):
    beside, usual = tmp_path / "elsewhere", tmp_path / "steptrace-runs"
    shutil.copytree(runs["demo"].path, beside / "one")
    shutil.copytree(runs["profile"].path, beside / "other")
    shutil.copytree(runs["demo"].path, usual / "other")
    shutil.copytree(runs["demo"].path, usual / "third")
    monkeypatch.chdir(tmp_path)
    run = steptrace.open(beside / "one")

    def labels(other):
        return [t.get_text() for t in run.plot.compare(other).axes[0].get_yticklabels()]

    assert labels("other") == labels(beside / "other") != labels(usual / "other")
    assert labels("third") == labels(usual / "third")
    with pytest.raises(steptrace.SteptraceError, match="nosuch: no such run"):
        run.plot.compare("nosuch")

    def refuses(folder):
        raise steptrace.SteptraceError(f"{folder}: Permission denied")

    monkeypatch.setattr(steptrace._run, "listed", refuses)
    with pytest.raises(steptrace.SteptraceError, match="elsewhere: Permission denied"):
        run.plot.compare("third")


def rectangles(figure):
    """(begin, length, middle) of what the timeline draws, in ms and lines."""
    return [
        (x0, x1 - x0, round((y0 + y1) / 2))
        for bars in figure.axes[0].collections
        for path in bars.get_paths()
        for (x0, y0), (x1, y1) in [path.get_extents().get_points()]
    ]


def test_timeline_has_the_slices_of_the_time_range(runs):
    run = runs["profile"]
    rows = run.table("slices", ["ts_ns", "dur_ns"]).to_pylist()
    begin = min(row["ts_ns"] for row in rows)
    figure = run.plot.timeline(begin, begin + 1_000_000)
    inside = [row for row in rows if row["ts_ns"] < begin + 1_000_000]
    drawn = sorted((round(x, 6), round(length, 6)) for x, length, _ in rectangles(figure))
    assert drawn == sorted(
        (round((row["ts_ns"] - begin) / 1e6, 6), row["dur_ns"] / 1e6) for row in inside
    )
    labels = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert "device 0, stream 7" in labels
    texts = [t.get_text() for t in figure.axes[0].texts]
    assert "step 0" in texts and all("\n" not in text and len(text) < 60 for text in texts)


def test_timeline_without_a_time_range_takes_steps_from_the_middle(runs):
    steps = runs["demo"].table("steps", ["step", "rank", "ts_ns", "dur_ns"], "kind = 'train'")
    steps = sorted((s for s in steps.to_pylist() if s["rank"] == 0), key=lambda s: s["ts_ns"])
    first = steps[(len(steps) - 3) // 2]
    figure = runs["demo"].plot.timeline()
    assert title_of(figure).startswith(
        f"Timeline: steps {first['step']} to {first['step'] + 2}, from {first['ts_ns'] / 1e9:.6g} s"
    )


def test_timeline_counts_only_slices_within_its_time_range(runs, monkeypatch):
    """A time range late in a long run: what ended before it takes nobody's place."""
    from steptrace import _plot_timeline

    run = runs["demo"]
    rows = sorted(run.rows("slices", ["ts_ns", "dur_ns"]), key=lambda row: row["ts_ns"])
    begin = rows[-5]["ts_ns"]
    end = begin + 10_000_000
    inside = sum(begin <= row["ts_ns"] < end for row in rows)
    reaching = sum(row["ts_ns"] < begin < row["ts_ns"] + row["dur_ns"] for row in rows)
    ended = sum(row["ts_ns"] + row["dur_ns"] <= begin and row["dur_ns"] >= 5000 for row in rows)
    most = max(inside, reaching)
    assert ended > most, "else the test shows nothing"
    monkeypatch.setattr(_plot_timeline, "_MOST_SLICES", most)
    assert "only the first" not in run.plot.timeline(begin, end).axes[0].get_title(loc="left")
    monkeypatch.setattr(_plot_timeline, "_MOST_SLICES", inside - 1)
    assert "only the first" in run.plot.timeline(begin, end).axes[0].get_title(loc="left")


def test_the_timeline_keeps_the_longest_of_a_pixel_and_what_overlaps_apart():
    from steptrace import _plot_timeline

    stretch = 2_000_000  # a pixel is 1000 ns
    line = [(10, 400, "a"), (500, 300, "b"), (5000, 2000, "c"), (-700, 1000, "before")]
    drawn = _plot_timeline._drawn(line, 0, stretch)
    assert sorted(drawn) == [(0, 300, "before"), (0, 1000, "a"), (5000, 2000, "c")]
    kernels = [(0, 10, 7, 0, "k1", ""), (5, 10, 7, 0, "k2", ""), (12, 10, 7, 0, "k3", "")]
    assert _plot_timeline._lanes(kernels, {7}) == {
        (7, 0): [(0, 10, "k1"), (12, 10, "k3")],
        (7, 1): [(5, 10, "k2")],
    }


@pytest.mark.parametrize("stretch", [(5, None), (None, 5), (5, 5)])
def test_half_a_time_range_is_refused(runs, stretch):
    with pytest.raises(steptrace.SteptraceError, match=r"timeline: .*; give"):
        runs["demo"].plot.timeline(*stretch)


def test_rules_say_what_the_report_says(runs):
    rules = runs["demo"].report()["rules"]["rows"]
    figure = runs["demo"].plot.rules()
    names = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert sorted(names) == sorted(rule["name"] for rule in rules)
    texts = dict(zip(names, (t.get_text() for t in figure.axes[0].texts)))
    for rule in rules:
        if rule["status"] == "not_applicable":
            assert texts[rule["name"]].startswith("not applicable: " + rule["reason"][:40])
        if rule["status"] == "issues_found":
            assert texts[rule["name"]].startswith("issue found: ")


def test_the_runs_of_the_folder_and_which_is_damaged(runs, tmp_path):
    for name in ("one", "two", "bad"):
        shutil.copytree(runs["demo"].path, tmp_path / name)
    run_manifest.damage(tmp_path / "bad")
    with pytest.raises(steptrace.SteptraceError, match=r"json: not a manifest .*recover"):
        _ = steptrace.open(tmp_path / "bad").name
    figure = steptrace.open(tmp_path / "one").plot.runs()
    assert title_of(figure).endswith(": 3")
    names = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    told = dict(zip(names, (t.get_text().strip() for t in figure.axes[0].texts)))
    assert told.pop("bad").startswith("damaged")
    assert told == {"▸ made": "data pipeline 61 %", "made": "data pipeline 61 %"}
    taken_s = runs["demo"].report()["run"]["duration_ns"] / 1e9
    assert {bar.get_width() for bar in figure.axes[0].patches} == {taken_s, 0.0}


def test_compare_is_what_the_command_says(runs):
    both = steptrace.compare(runs["demo"].path, runs["profile"])
    printed = ask("report", both.a.path, "--compare", both.b.path, "--json", cwd=runs["demo"].path)
    assert both == json.loads(printed.stdout)
    assert str(both) == both.headline.text and both.rows[0].kind == "step"
    page = both._repr_html_()
    assert both.headline.text in page and page.count("<p><b>A</b>") == 1 and "Suspects" in page
    assert both.show()._repr_html_().startswith("<iframe sandbox=")
    with pytest.raises(steptrace.SteptraceError, match="no such run"):
        steptrace.compare(runs["demo"], "nosuch")


def test_a_profile_of_one_step_has_no_intervals(runs, tmp_path):
    made = profile()
    made["traceEvents"] = made["traceEvents"][:4]
    (tmp_path / "one.json").write_text(json.dumps(made))
    imported = ask("import", "one.json", "-o", "one", cwd=tmp_path)
    assert imported.returncode == 0, imported.stderr
    both = steptrace.compare(runs["demo"], tmp_path / "one")
    assert {(row.change_low_ns, row.change_high_ns) for row in both.rows} == {(None, None)}
    assert both.headline.text.endswith("; with so few steps this may be chance.")
    assert "not known: too few steps" in both._repr_html_()
    text = ask("report", both.a.path, "--compare", both.b.path, cwd=tmp_path).stdout
    assert "not known" in text and "Of so few steps no interval is known." in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_names_in_a_comparison_are_text(runs, tmp_path):
    shutil.copytree(runs["demo"].path, tmp_path / "evil")
    manifest = run_manifest.read(tmp_path / "evil")
    manifest["name"] = "<img src=x onerror=alert(1)>"
    run_manifest.write(tmp_path / "evil", manifest)
    page = steptrace.compare(runs["demo"], tmp_path / "evil")._repr_html_()
    assert "&lt;img" in page and "<img" not in page


def test_without_matplotlib_one_line(runs, monkeypatch):
    import sys

    from steptrace import _figure

    monkeypatch.setattr(_figure, "_figure_class", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(steptrace.SteptraceError, match="pip install matplotlib"):
        runs["demo"].plot.kernels()


def test_microseconds_have_their_sign_in_pages():
    assert [duration(ns) for ns in (1_500, -3_000, 999_900, 12)] == [
        "1.5 µs",
        "-3 µs",
        "1 ms",
        "12 ns",
    ]


def test_show_is_a_frame_of_its_own(runs):
    page = runs["profile"].show()._repr_html_()
    assert page.startswith("<iframe sandbox=") and page.count("<script>") == 0


def test_the_page_is_whole_and_its_names_are_text(runs, tmp_path):
    out = tmp_path / "out.html"
    written = ask("report", runs["profile"].path, "--html", out, cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    assert written.stderr == f"steptrace: wrote {out}\n"
    text = out.read_text()
    begin = '<script type="application/json" id="steptrace-report">'
    content = json.loads(embedded := text.split(begin)[1].split("</script>")[0])
    rows = content["report"]["kernels"]["rows"]
    assert rows[0]["name"] == runs["profile"].report().kernels.rows[0].name
    assert len(content["steps"]["dur_ns"]) == 2
    assert HOSTILE[:8] not in embedded
    assert "http://" not in text.replace("http://www.w3.org/", "")  # nothing is fetched


def test_the_page_of_two_runs_holds_both_and_their_comparison(runs, tmp_path):
    out = tmp_path / "two.html"
    pair = [runs["demo"], runs["profile"]]
    written = ask("report", pair[0].path, "--compare", pair[1].path, "--html", out, cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    begin = '<script type="application/json" id="steptrace-report">'
    content = json.loads(out.read_text().split(begin)[1].split("</script>")[0])
    assert len(content["runs"]) == 2
    for one, run in zip(content["runs"], pair):
        assert one["report"]["run"]["id"] == run.manifest["id"]
        assert one["report"]["verdict"] == run.report()["verdict"]
        assert len(one["steps"]["dur_ns"]) == run.table("steps", ["dur_ns"]).num_rows
    assert content["comparison"] == steptrace.compare(*pair)


def test_names_of_a_megabyte_leave_the_page_small(tmp_path):
    name = 1_000_000 * "m"
    events = [
        event("aten::mm", "cpu_op", 10, 300, 1, **{"External id": 1}),
        event("cudaLaunchKernel", "cuda_runtime", 20, 50, 1, correlation=7),
        event(name, "kernel", 100, 400, 7, correlation=7, device=0, stream=7),
    ]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    assert ask("import", trace, "--output", tmp_path / "run", cwd=tmp_path).returncode == 0
    out = tmp_path / "out.html"
    assert ask("report", tmp_path / "run", "--html", out, cwd=tmp_path).returncode == 0
    text = out.read_text()
    assert 5000 * "m" not in text
    assert "[1000000 bytes, text " in text
