# SPDX-License-Identifier: Apache-2.0
"""Who wrote a profile is told by facts in it, and decides which advice is given."""

import json

import pytest
from imports import rows, steptrace


def meta(name, pid, value, tid=None):
    return {"ph": "M", "name": name, "pid": pid, "tid": tid, "args": {"name": value}}


def call(name, ts, dur, cat=None, pid=1, tid=1, **args):
    made = {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
    return made | ({"cat": cat} if cat else {})


def calls(name, **more):
    return [call(name, 1000.0 + 100 * i, 50.0, **more) for i in range(9)]


PROFILES = {
    "jax": {"traceEvents": [meta("process_name", 1, "/host:CPU"), *calls("PjitFunction(step)")]},
    "tensorflow": {"traceEvents": [meta("process_name", 1, "/host:CPU"), *calls("FunctionRun")]},
    "xla": {"traceEvents": [meta("process_name", 1, "/host:CPU"), *calls("work")]},
    "viztracer": {
        "traceEvents": calls("train (a.py:1)", cat="FEE"),
        "viztracer_metadata": {"version": "1.0"},
    },
    "ray": calls("train", cat="task:execute"),
    "chrome": {"traceEvents": [meta("thread_name", 1, "CrBrowserMain", 1), *calls("Run")]},
    "py_spy": calls("decode", cat="py-spy"),
    "pytorch": {"traceEvents": calls("aten::mm", cat="cpu_op")},
    None: {"traceEvents": calls("work", cat="own")},
}


def said(report):
    """All that is advised, and said beside the figures."""
    told = [one["text"] for one in report["verdict"]["advice"]]
    told += [one["text"] for one in report["notes"]]
    for name in ("rules", "recommendations"):
        advice = [one["advice"] for one in report[name]["rows"]]
        told += [one["text"] if isinstance(one, dict) else one for one in advice if one]
    return told


@pytest.mark.parametrize("writer", PROFILES)
def test_no_advice_of_another_framework(tmp_path, writer):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILES[writer]))
    steptrace("import", path, "-o", tmp_path / "run")
    sources = [json.loads(row["json"]) for row in rows(tmp_path / "run", "run_metadata")]
    assert [one.get("writer") for one in sources if "format" in one] == [writer]
    report = json.loads(steptrace("report", tmp_path / "run", "--json").stdout)
    assert report["run_card"]["writers"] == ([writer] if writer else [])
    words = ("torch", "Profiler", "DataLoader", "profiler.step")
    of_pytorch = [one for one in said(report) if any(word in one for word in words)]
    assert bool(of_pytorch) == (writer == "pytorch"), of_pytorch


@pytest.mark.parametrize("writer", ["viztracer", "ray", "chrome", "py_spy", None])
def test_what_is_of_no_training_has_no_verdict(tmp_path, writer):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILES[writer]))
    report = json.loads(steptrace("report", path, "--folder", tmp_path, "--json").stdout)
    verdict = report["verdict"]
    assert (verdict["status"], verdict["reason"]["id"]) == ("cannot_tell", "no_training")
    assert not verdict["suspect"] and report["steps"]["count"] == 0
    (busy,) = [one for one in verdict["evidence"] if one["kind"] == "profile.busiest"]
    assert busy["values"]["calls"] == 9 and busy["values"]["time"] == 9 * 50_000
    text = steptrace("report", path, "--folder", tmp_path).stdout
    assert "not a training" in text and "9 calls" in text


@pytest.mark.parametrize("writer", ["pytorch", "jax", "tensorflow", "xla"])
def test_a_profile_of_a_framework_is_of_a_training(tmp_path, writer):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILES[writer]))
    report = json.loads(steptrace("report", path, "--folder", tmp_path, "--json").stdout)
    assert (report["verdict"]["reason"] or {}).get("id") != "no_training"


def with_unknown(steps, dur):
    """Steps of 1 ms that operators fill, and beside them a kind that nobody knows."""
    events = []
    for i in range(steps):
        at = 1000.0 + 1000 * i
        events.append(call(f"ProfilerStep#{i}", at, 1000.0, cat="user_annotation"))
        events.append(call("aten::mm", at, 1000.0, cat="cpu_op"))
        events.append(call("job", at, dur, cat="npu_of_tomorrow", tid=2))
    return {"schemaVersion": 1, "traceEvents": events}


@pytest.mark.parametrize("dur, caps", [(500.0, True), (20.0, False)])
def test_what_is_not_recognised_is_counted_and_caps_what_is_claimed(tmp_path, dur, caps):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(with_unknown(8, dur)))
    report = json.loads(steptrace("report", path, "--folder", tmp_path, "--json").stdout)
    assert report["import"]["unrecognised"] == [{"kind": "npu_of_tomorrow", "count": 8}]
    (loss,) = [r for r in report["data_loss"]["rows"] if r["cause"] == "unrecognised_event"]
    assert loss["count"] == 8 and "npu_of_tomorrow" in json.dumps(loss)
    verdict = report["verdict"]
    assert verdict["suspect"] == "model"
    assert (verdict["kind"] == "verdict.model_unrecognised") == caps
    assert verdict["healthy"] == (not caps)
    assert ("step.unrecognised" in [one["kind"] for one in verdict["evidence"]]) == caps


def test_a_profile_of_known_kinds_says_so(tmp_path):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILES["pytorch"]))
    report = json.loads(steptrace("report", path, "--folder", tmp_path, "--json").stdout)
    section = report["import"]
    assert (section["status"], section["reason"]["id"]) == ("not_found", "all_recognised")
    assert section["unrecognised"] == []
