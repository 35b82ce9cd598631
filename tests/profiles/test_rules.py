# SPDX-License-Identifier: Apache-2.0
"""The rules on Debugger's files, imported, against the reference of rules_reference.py."""

import json
import os
import pathlib
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import modern_rules_reference as modern_reference
import rules_reference as reference
from real_profiles import SAGEMAKER

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIMENSIONS = {
    "CPUUtilization": "cpu",
    "I/OWaitPercentage": "io",
    "GPUUtilization": "gpu",
    "GPUMemoryUtilization": "gpu_memory",
}


def binary():
    """The steptrace that is under test: STEPTRACE_BIN, the package's, or the newest build's."""
    if os.environ.get("STEPTRACE_BIN"):
        return os.environ["STEPTRACE_BIN"]
    installed = pathlib.Path(sys.executable).parent / "steptrace"
    if installed.exists():
        return str(installed)
    built = sorted(ROOT.glob("build/*/bin/steptrace"), key=lambda p: p.stat().st_mtime)
    if not built:
        pytest.skip("no steptrace was built; run `make build`")
    return str(built[-1])


def steptrace(*arguments, cwd):
    done = subprocess.run(
        [binary(), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rules_of(source, tmp_path, *options):
    steptrace("import", source, "-o", tmp_path / "run", cwd=tmp_path)
    text = steptrace("rules", tmp_path / "run", "--json", *options, cwd=tmp_path)
    answer = json.loads(text)
    return {rule["name"]: rule for rule in answer["rules"]}, answer


def samples_of(files):
    """Every sample once, as (ns, dimension, node, device, value)."""
    found = set()
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line, parse_float=Decimal)
            except ValueError:
                continue  # a line that was cut off
            dimension = DIMENSIONS.get(row["Dimension"])
            if dimension is None:
                continue
            device = int("".join(c for c in row["Name"] if c.isdigit()))
            ns = int(Decimal(row["Timestamp"]) * 10**9)
            found.add((ns, dimension, row["NodeId"], device, Fraction(row["Value"])))
    return sorted(found)


def steps_and_loadings(rng, start_ns, seconds):
    """A training from the third minute on, and two loaders beside it; whole microseconds."""
    steps, loadings = [], []
    at = start_ns + 150 * 10**9
    while at < start_ns + seconds * 10**9:
        dur = rng.randint(250_000, 260_000) * 1000 * (4 if rng.random() < 0.03 else 1)
        kind = "eval" if len(steps) % 40 == 39 else "train"
        steps.append(reference.Step(at, dur, 0, 0, kind, 0))
        at += dur + 1000
    for pid in (910, 911):
        at = start_ns + rng.randint(0, 10**6) * 1000
        while at < start_ns + seconds * 10**9:
            loadings.append(reference.Loading(at, rng.randint(1, 400_000) * 1000, 0, pid))
            at += rng.randint(300_000, 1_900_000) * 1000
    return steps, loadings


def write_framework(folder, steps, loadings):
    """Debugger's timeline of one process, as its Python part writes it."""
    base_us = min(s.ts for s in steps) // 1000 - 10**9
    meta = {"name": "process_name", "ph": "M"}
    events = [{**meta, "pid": 0, "args": {"start_time_since_epoch_in_micros": base_us}}]
    names = ("Step:ModeKeys.TRAIN", "Step:ModeKeys.EVAL", "DataLoaderWorker")
    for pid, name in enumerate(names, 1):
        events.append({**meta, "pid": pid, "args": {"name": name}})

    def add(phase, event, **args):
        times = {"ts": event.ts // 1000 - base_us, "dur": event.dur // 1000}
        events.append({"name": names[phase - 1], "pid": phase, "ph": "X", **times, "args": args})

    for number, step in enumerate(steps):
        add(2 if step.kind == "eval" else 1, step, pid=905, step_num=str(number))
    for one in loadings:
        add(3, one, pid=one.pid)
    pevents = folder / "profiler-output" / "framework" / "pevents" / "2023111422"
    pevents.mkdir(parents=True)
    end_us = max(s.ts + s.dur for s in steps) // 1000
    text = "[\n" + ",\n".join(map(json.dumps, events)) + "\n]\n"
    (pevents / f"{end_us}_905-algo-1_pythontimeline.json").write_text(text, encoding="utf-8")


def compare(found, samples, parameters):
    for rule in reference.PARAMETERS:
        triggered, datapoints = reference.count(rule, samples, parameters.get(rule, {}))
        assert (found[rule]["triggered"], found[rule]["datapoints"]) == (triggered, datapoints), (
            rule
        )
        assert found[rule]["status"] == ("issues_found" if triggered else "ok")


def options_of(parameters):
    return [
        word
        for rule, values in parameters.items()
        for name, value in values.items()
        for word in ("--set", f"{rule}.{name}={value}")
    ]


def write_job(folder, ticks, seed):
    """A job of Debugger's layout: 2 GPUs, 4 cores, every 500 ms, one file a minute."""
    rng = random.Random(seed)
    start = 1_700_000_040  # a full minute
    files = {}
    for tick in range(ticks):
        milliseconds = 100 + tick * 500
        phase = tick // 200 % 3
        for dimension, name, levels in (
            ("GPUUtilization", "gpu", (4, 90, 40)),
            ("GPUMemoryUtilization", "gpu", (20, 45, 30)),
            ("CPUUtilization", "cpu", (95, 40, 60)),
            ("I/OWaitPercentage", "cpu", (55, 1, 2)),
        ):
            for device in range(2 if name == "gpu" else 4):
                value = min(10000, max(0, levels[phase] * 100 + rng.randint(-400, 400)))
                row = {
                    "Type": name,
                    "Name": f"{name}{device}",
                    "Dimension": dimension,
                    "Value": value / 100,
                    "NodeId": "algo-1",
                    "Timestamp": start + milliseconds / 1000,
                }
                minute = start + milliseconds // 60000 * 60
                files.setdefault(minute, []).append(json.dumps(row))
    system = folder / "profiler-output" / "system" / "incremental"
    system.mkdir(parents=True)
    for minute, lines in files.items():
        (system / f"{minute}.algo-1.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sorted(system.glob("*.json"))


def test_a_whole_job_with_the_defaults(tmp_path):
    files = write_job(tmp_path / "job", 1300, seed=5)
    found, _ = rules_of(tmp_path / "job", tmp_path, "--mode", "compat")
    samples = samples_of(files)
    compare(found, samples, {})
    assert found["LowGPUUtilization"]["triggered"] > 0  # the job is made so
    assert found["LowGPUUtilization"]["datapoints"] == 1300


def test_all_twelve_as_published(tmp_path):
    files = write_job(tmp_path / "job", 900, seed=9)
    samples = samples_of(files)
    steps, loadings = steps_and_loadings(random.Random(9), samples[0][0], 440)
    write_framework(tmp_path / "job", steps, loadings)
    parameters = {
        "LowGPUUtilization": {"window": 100, "patience": 200},
        "LoadBalancing": {"patience": 200},
        "Dataloader": {"patience": 20},
        "StepOutlier": {"n_outliers": 5},
        "MaxInitializationTime": {"threshold": 0.5},
    }
    found, answer = rules_of(
        tmp_path / "job", tmp_path, "--mode", "compat", *options_of(parameters)
    )
    expected = reference.count_all(reference.Job(samples, steps, loadings), parameters)
    counts = {name: (rule["triggered"], rule["datapoints"]) for name, rule in found.items()}
    assert counts == expected and len(counts) == 12
    assert all(expected[rule][0] > 0 for rule in ("StepOutlier", "MaxInitializationTime"))
    train, evaluations = answer["step_durations"]["data"]
    assert [train["kind"], evaluations["kind"]] == ["TRAIN", "EVAL"]
    check_histogram(train, [s.dur / 1e9 for s in steps if s.kind == "train"])


def check_histogram(row, seconds):
    """100 bins of what is no outlier, counted by their boundaries."""
    histogram, counts = row["histogram_s"], row["histogram_s"]["counts"]
    kept = sorted(seconds)[: len(seconds) - row["outliers"]]
    assert (histogram["low"], histogram["high"]) == (kept[0], kept[-1])
    assert len(counts) == 100 and sum(counts) == len(kept)
    width = (kept[-1] - kept[0]) / 100
    for last in (0, 37, 98):
        border = kept[0] + (last + 1) * width
        assert abs(sum(counts[: last + 1]) - sum(s < border for s in kept)) <= 1


def test_all_twelve_fixed(tmp_path):
    files = write_job(tmp_path / "job", 900, seed=10)
    found, answer = rules_of(tmp_path / "job", tmp_path)
    expected = modern_reference.count_all(modern_reference.Run(reference.Job(samples_of(files))))
    for name, (status, triggered, datapoints) in expected.items():
        assert found[name]["status"] == status, name
        if status != "not_applicable":
            counts = found[name]["triggered"], found[name]["datapoints"]
            assert counts == (triggered, datapoints), name
    assert expected["LowGPUUtilization"][1] > 0
    gpu = answer["gpu_utilization"]["data"][0]["histogram"]
    values = [v for _, dim, _, device, v in samples_of(files) if (dim, device) == ("gpu", 0)]
    assert gpu["counts"] == [
        sum(2 * i <= v < 2 * i + 2 or (i == 49 and v == 100) for v in values) for i in range(50)
    ]
    assert any("GPU use of node 0 fluctuates" in one["text"] for one in answer["usage_findings"])


def test_a_whole_job_with_other_parameters(tmp_path):
    parameters = {
        "LowGPUUtilization": {"window": 100, "patience": 200, "threshold_p95": 50},
        "BatchSize": {"window": 100, "patience": 200},
        "CPUBottleneck": {"patience": 200, "threshold": 30},
        "IOBottleneck": {"patience": 200, "threshold": 30},
        "GPUMemoryIncrease": {"patience": 200, "increase": 2},
    }
    files = write_job(tmp_path / "job", 900, seed=6)
    found, _ = rules_of(tmp_path / "job", tmp_path, "--mode", "compat", *options_of(parameters))
    compare(found, samples_of(files), parameters)
    assert all(found[rule]["triggered"] > 0 for rule in ("CPUBottleneck", "GPUMemoryIncrease"))


@pytest.mark.skipif(not SAGEMAKER.is_dir(), reason=f"{SAGEMAKER} is not there")
def test_real_system_metrics(tmp_path):
    parameters = {
        "LowGPUUtilization": {"window": 2, "patience": 0},
        "BatchSize": {"window": 1, "patience": 0},
        "CPUBottleneck": {"patience": 0, "threshold": 0, "cpu_threshold": 2, "gpu_threshold": 50},
        "IOBottleneck": {"patience": 0, "threshold": 0},
        "GPUMemoryIncrease": {"window": 2, "patience": 0, "increase": 1},
    }
    folder = SAGEMAKER / "test_traces" / "system"
    found, answer = rules_of(folder, tmp_path, "--mode", "compat", *options_of(parameters))
    compare(found, samples_of(sorted(folder.glob("incremental/*.json"))), parameters)
    assert answer["gpu_utilization"]["applicable"] is True


@pytest.mark.skipif(not SAGEMAKER.is_dir(), reason=f"{SAGEMAKER} is not there")
def test_real_steps(tmp_path):
    folder = SAGEMAKER / "merge_traces"
    marks = 0
    for path in folder.rglob("*.json"):
        for event in json.loads(path.read_text(encoding="utf-8")):
            marks += event.get("ph") == "X" and "Step:ModeKeys" in event.get("name", "")
    found, _ = rules_of(folder, tmp_path, "--mode", "compat")
    # A mark that touches the full minute is seen by two scans.
    assert marks <= found["StepOutlier"]["datapoints"] <= 2 * marks
    assert found["MaxInitializationTime"]["datapoints"] == found["StepOutlier"]["datapoints"]


def test_bad_settings_are_one_line(tmp_path):
    write_job(tmp_path / "job", 3, seed=1)
    steptrace("import", tmp_path / "job", "-o", tmp_path / "run", cwd=tmp_path)
    for setting in ("Nothing.x=1", "BatchSize.nothing=1", "BatchSize.window=-1", "BatchSize"):
        done = subprocess.run(
            [binary(), "rules", str(tmp_path / "run"), "--set", setting],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert done.stdout == ""


def test_the_modern_mode_and_the_text(tmp_path):
    write_job(tmp_path / "job", 700, seed=2)
    found, answer = rules_of(tmp_path / "job", tmp_path)
    assert found["LowGPUUtilization"]["mode"] == "modern"
    assert found["Dataloader"]["status"] == "not_applicable" and found["Dataloader"]["reason"]
    assert answer["cost"]["applicable"] is False
    (tmp_path / "steptrace.toml").write_text(
        '[[instances]]\nname = "box"\ncores = 4\nmemory_gib = 16\ngpus = 2\nprice_per_hour = 3.6\n',
        encoding="utf-8",
    )
    text = steptrace("rules", tmp_path / "run", cwd=tmp_path)
    assert "1 x box" in text and "LowGPUUtilization" in text
    assert max(map(len, text.splitlines())) <= 80
    again = steptrace("report", tmp_path / "run", "--section", "rules", cwd=tmp_path)
    assert again == text


def profile_of(path, busy_us, device=0):
    """Four steps of 100 ms, of which a device is busy for so long each."""
    events = []
    for step in range(4):
        at = 1_700_000_000_000_000 + step * 100_000
        for category, name, begin, length, place in (
            ("user_annotation", f"ProfilerStep#{step}", at, 100_000, {"pid": 1, "tid": 1}),
            ("kernel", "k", at + 5_000, busy_us, {"pid": device, "tid": 7}),
        ):
            event = {"ph": "X", "cat": category, "name": name, "ts": begin, "dur": length}
            events.append({**event, **place, "args": {"device": device, "stream": 7}})
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def rule_of(report, name):
    rules = report["rules"]  # of a report a section, of the rules' own page a list
    rules = rules["rows"] if isinstance(rules, dict) else rules
    return next(rule for rule in rules if rule["name"] == name)


def test_a_profile_is_judged_by_what_its_devices_did(tmp_path):
    for busy_us, status in ((40_000, "issues_found"), (90_000, "ok")):
        path = profile_of(tmp_path / f"busy{busy_us}.json", busy_us)
        run = tmp_path / f"run{busy_us}"
        subprocess.run([binary(), "import", path, "-o", run], check=True, capture_output=True)
        told = {}
        for command in ("rules", "report"):
            done = subprocess.run(
                [binary(), command, run, "--json"], capture_output=True, check=True
            )
            told[command] = rule_of(json.loads(done.stdout), "LowGPUUtilization")
        assert told["rules"] == told["report"]
        assert (told["rules"]["status"], told["rules"]["datapoints"]) == (status, 4)
        if status == "issues_found":
            (evidence,) = told["rules"]["evidence"]
            assert "p95 40 %" in evidence["text"] and evidence["rows"]["count"] == 4
            shown = subprocess.run(
                [binary(), "show", run, "steps", "--where", evidence["rows"]["where"], "--json"],
                capture_output=True,
                text=True,
                check=True,
            )
            assert len(json.loads(shown.stdout)) == 4


@pytest.mark.parametrize(("grows", "status"), [(80, "issues_found"), (0, "ok")])
def test_a_profile_is_judged_by_what_it_allocates(tmp_path, grows, status):
    """Six steps, each of which keeps so many of a device's 1,000 bytes."""
    events = []
    for step in range(6):
        at = 1_700_000_000_000_000 + step * 100_000
        mark = {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "ts": at}
        events.append({**mark, "dur": 100_000, "pid": 1, "tid": 1})
        record = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]"}
        for after, total in ((10, 100 + step * grows + 50), (20, 100 + (step + 1) * grows)):
            args = {"Total Allocated": total, "Bytes": 1, "Device Id": 0, "Device Type": 1}
            events.append({**record, "ts": at + after, "pid": 1, "tid": 1, "args": args})
    path = tmp_path / "memory.json"
    device = {"id": 0, "name": "A100", "totalGlobalMem": 1000}
    path.write_text(
        json.dumps({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events})
    )
    subprocess.run([binary(), "import", path, "-o", tmp_path / "run"], check=True)
    told = {}
    for command in ("rules", "report"):
        done = subprocess.run(
            [binary(), command, tmp_path / "run", "--json"], capture_output=True, check=True
        )
        told[command] = rule_of(json.loads(done.stdout), "GPUMemoryIncrease")
    assert told["rules"] == told["report"]
    assert (told["rules"]["status"], told["rules"]["datapoints"]) == (status, 6), told["rules"]
    if grows:
        (evidence,) = told["rules"]["evidence"]
        # At most 100 + 80 (step + 1) are held of 1,000 bytes in each: from 18 to 58 %.
        assert "grew by 40 points in 6 steps, to 58 %" in evidence["text"]
        assert (evidence["rows"]["table"], evidence["rows"]["count"]) == ("steps", 6)
        assert evidence["subject"] == {
            "rule": "GPUMemoryIncrease",
            "ranks": [{"first": 0, "last": 0}],
            "devices": [0],
        }


def test_what_a_mode_cannot_use_is_refused(tmp_path):
    run = tmp_path / "run"
    path = profile_of(tmp_path / "profile.json", 1000)
    subprocess.run([binary(), "import", path, "-o", run], check=True, capture_output=True)
    for words, part in (
        (["--preset", "sdk"], "--mode compat"),
        (["--mode", "modern", "--preset", "code"], "--mode compat"),
        (["--set", "LowGPUUtilization.window=0"], "a whole number from 1"),
        (["--set", "GPUMemoryIncrease.window=1"], "a whole number from 2"),
        (["--set", "StepOutlier.stddev=nan"], "a number over 0"),
    ):
        done = subprocess.run([binary(), "rules", run, *words], capture_output=True, text=True)
        assert done.returncode == 2, words
        assert part in done.stderr and done.stderr.count("\n") == 1, done.stderr
    compat = ["--mode", "compat", "--preset", "sdk", "--set", "LowGPUUtilization.window=0"]
    assert subprocess.run([binary(), "rules", run, *compat], capture_output=True).returncode == 0
