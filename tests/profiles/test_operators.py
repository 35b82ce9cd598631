# SPDX-License-Identifier: Apache-2.0
"""Operators, kernels, memory and modules of the report against the slow exact reference: on real
profiles, and on made ones that hold what those lack."""

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import operators_reference as reference
import pytest
from real_profiles import KINETO

STEPTRACE = os.environ.get("STEPTRACE_EXECUTABLE", Path(sys.executable).parent / "steptrace")
FILES = sorted(KINETO.glob("*.json.gz")) if KINETO.is_dir() else []
SECTIONS = ("operators", "kernels", "memory", "modules")


def import_and_report(source, folder):
    run = folder / "run"
    subprocess.run([STEPTRACE, "import", source, "-o", run], check=True, capture_output=True)
    whole = {}
    for section in SECTIONS:
        command = [STEPTRACE, "report", run, "--section", section, "--json"]
        out = subprocess.run(command, check=True, capture_output=True).stdout
        whole.update(json.loads(out))
    whole["text"] = {}
    for section in SECTIONS:
        command = [STEPTRACE, "report", run, "--section", section, "--top", "7"]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        whole["text"][section] = out
    return whole


def made(path, seed):
    """A profile of random calls: nested operators, modules, launches, memory and flows."""
    draw = random.Random(seed)
    events, clock, ids = [], {"now": 1000}, {"next": 1}

    def us(nanoseconds):
        return nanoseconds / 1000

    def number():
        ids["next"] += 1
        return ids["next"]

    def event(category, name, begin, end, tid, **args):
        at = {"pid": 9, "tid": tid, "ts": us(begin), "dur": us(end - begin)}
        events.append({"ph": "X", "cat": category, "name": name, **at, "args": args})
        return events[-1]

    def spend(most=300):
        clock["now"] += draw.randrange(1, most)
        return clock["now"]

    live = []

    def record(tid):
        allocate = not live or draw.random() < 0.6
        size = 512 * draw.randrange(1, 9)
        device = draw.choice([0, 0, 1])
        if allocate:
            live.append((draw.randrange(16, 1 << 40) * 16, size, device))
            address = live[-1][0]
        else:
            address, size, device = live.pop(draw.randrange(len(live)))
            size = -size
        args = {"Device Type": 1, "Device Id": device, "Bytes": size, "Addr": address}
        total = sum(s for _, s, d in live if d == device)
        args |= {"Total Allocated": total + 4096, "Total Reserved": total // 4096 * 8192}
        if draw.random() < 0.05:
            del args["Addr"]
        instant = {"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": tid}
        events.append({**instant, "ts": us(spend(20)), "args": args})

    def launch(tid, external):
        begin, correlation = clock["now"], number()
        name = draw.choice(["cudaLaunchKernel", "cuLaunchKernel", "cudaMemcpyAsync", "cudaMalloc"])
        category = "cuda_driver" if name.startswith("cuL") else "cuda_runtime"
        args = {"correlation": correlation}
        if category == "cuda_runtime":
            args["External id"] = external
        event(category, name, begin, spend(50), tid, **args)
        if name == "cudaMalloc":
            return
        kind = "gpu_memcpy" if name == "cudaMemcpyAsync" else "kernel"
        shape = {"grid": [draw.randrange(1, 3), 1, 1], "block": [64, 1, 1]}
        shape |= {"registers per thread": 32, "shared memory": draw.choice([0, 128])}
        if draw.random() < 0.8:
            shape |= {"blocks per SM": draw.choice([0.5, 2.25]), "est. achieved occupancy %": 37}
        at = spend(30)
        stream = draw.choice([7, 20])
        work = event(
            kind,
            draw.choice(["ampere_s16816gemm", "void relu<float>(float*)", "copy"]),
            at,
            at + draw.randrange(1, 500),
            stream,
            device=0,
            stream=stream,
            correlation=correlation,
            **(shape if kind == "kernel" else {"bytes": 64}),
        )
        work["pid"] = 0

    def call(tid, depth, flows):
        begin = clock["now"]
        external = number()
        name = draw.choice(["aten::mm", "aten::add", "aten::empty", "Optimizer.step#X"])
        if depth > 0 and draw.random() < 0.3:
            name = "aten::empty"
        args = {"External id": external}
        if draw.random() < 0.7:
            args["Input Dims"] = [[draw.randrange(2)], []]
        if draw.random() < 0.3:
            args["Call stack"] = draw.choice(["a.py(1): f;b.py(2): <module>", "c.py(3): g"])
        at = len(events)
        spend(30)
        inside(tid, depth, external, flows)
        spend(30)
        whole = event("cpu_op", name, begin, clock["now"], tid, **args)
        events.insert(at, events.pop())  # written by begin
        if flows and draw.random() < 0.5:
            flow = number()
            start = {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": flow, "pid": 9}
            events.insert(at + 1, {**start, "tid": tid, "ts": whole["ts"]})
            flows.append(flow)

    def inside(tid, depth, external, flows):
        for _ in range(draw.randrange(3)):
            spend(20)
            choice = draw.random()
            if depth < 3 and choice < 0.5:
                call(tid, depth + 1, flows)
            elif choice < 0.8:
                launch(tid, external)
            else:
                record(tid)

    def module(tid, depth, flows):
        begin, at = clock["now"], len(events)
        spend(20)
        for _ in range(draw.randrange(1, 4)):
            if depth < 3 and draw.random() < 0.5:
                module(tid, depth + 1, flows)
            else:
                call(tid, 0, flows)
            spend(20)
        kind = draw.choice(["Linear", "Net"])
        args = {"Python module id": draw.randrange(2)}
        event("python_function", f"nn.Module: {kind}_{args['Python module id']}", begin, 0, tid)
        events[-1]["dur"] = us(clock["now"] - begin)
        events[-1]["args"] = args
        events.insert(at, events.pop())

    def backward(tid, flow):
        begin, at = clock["now"], len(events)
        spend(20)
        inner, inner_at = clock["now"], len(events)
        launch(tid, number())
        spend(20)
        event("cpu_op", "MmBackward0", inner, clock["now"], tid, **{"External id": number()})
        events.insert(inner_at, events.pop())
        end = {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": flow, "pid": 9, "bp": "e"}
        events.insert(inner_at + 1, {**end, "tid": tid, "ts": us(inner)})
        spend(20)
        name = "autograd::engine::evaluate_function: MmBackward0"
        event("cpu_op", name, begin, clock["now"], tid, **{"External id": number()})
        events.insert(at, events.pop())

    for step in range(12):
        begin, flows = spend(), [None]
        module(1, 0, flows)
        record(1)
        for flow in flows[1:]:
            backward(2, flow)
            spend(20)
        call(1, 0, [])
        event("user_annotation", f"ProfilerStep#{step}", begin, spend(), 1)
    metadata = {"distributedInfo": {"rank": 3, "world_size": 8}, "deviceProperties": [{"id": 0}]}
    path.write_text(json.dumps({"schemaVersion": 1, **metadata, "traceEvents": events}))
    return path


@pytest.fixture(scope="module", params=[*FILES, 1, 2, 3], ids=lambda p: str(getattr(p, "name", p)))
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    source = request.param
    if isinstance(source, int):
        source = made(folder / "made.pt.trace.json", source)
    return reference.Profile(source), import_and_report(source, folder)


def same(sums, row):
    return {key: row[key] for key in sums} == dict(sums)


def test_operators(case):
    profile, report = case
    expected = reference.operators(profile)
    rows = {row["name"]: row for row in report["operators"]["rows"]}
    assert rows.keys() == expected.keys()
    for name, row in rows.items():
        assert same(expected[name]["sums"], row), name
        shapes = {json.dumps(s["input_shapes"]): s for s in row["shapes"]}
        assert shapes.keys() == expected[name]["shapes"].keys()
        assert all(same(sums, shapes[key]) for key, sums in expected[name]["shapes"].items())
        stacks = {tuple(s["call_stack"]): s for s in row["stacks"]}
        assert stacks.keys() == expected[name]["stacks"].keys()
        assert all(same(sums, stacks[key]) for key, sums in expected[name]["stacks"].items())
    shares = sum(row["host_self_share"] for row in rows.values())
    assert math.isclose(shares, 1) or not rows  # of devices alone
    (totals,) = report["operator_totals"]["rows"]
    assert totals["device_outside_ns"] == reference.outside(profile)


def close(expected, row):
    for key, value in expected.items():
        if isinstance(value, float):
            assert math.isclose(row[key], value, rel_tol=1e-12), key
        else:
            assert row[key] == value, key


def test_kernels(case):
    profile, report = case
    expected = reference.kernels(profile)
    rows = {row["name"]: row for row in report["kernels"]["rows"]}
    assert rows.keys() == expected.keys()
    for name, (sums, launches, streams) in expected.items():
        close(sums, rows[name])
        found = {
            (
                launch["operator"],
                json.dumps(launch["grid"]),
                json.dumps(launch["block"]),
                launch["registers_per_thread"],
                launch["shared_memory_bytes"],
            ): launch
            for launch in rows[name]["launches"]
        }
        assert found.keys() == launches.keys(), name
        for key, of_launch in launches.items():
            close(of_launch, found[key])
        on = {s["stream"]: (s["calls"], s["total_ns"]) for s in rows[name]["streams"]}
        assert on == streams


def test_memory(case):
    profile, report = case
    expected = reference.memory(profile)
    devices = {device["device"]: device for device in report["memory"]["devices"]}
    assert devices.keys() == expected.keys()
    epoch = None
    for number, want in expected.items():
        got = devices[number]
        assert got["records"] == want["records"]
        assert got["records_without_address"] == want["without_address"]
        operators = {row["name"]: row for row in got["operators"]}
        assert operators.keys() == want["operators"].keys()
        for name, sums in want["operators"].items():
            assert same(sums, operators[name]), name
        assert got["blocks_paired"] == want["paired"]
        assert got["blocks_reused"] == want["reused"]
        assert got["blocks_unreleased"] == want["unreleased"]
        assert got["blocks_released_only"] == want["released_only"]
        at, peak = want["peak"]
        assert got["peak"]["allocated_bytes"] == peak
        assert got["peak"]["peak_reserved_bytes"] == want["peak_reserved"]
        shift = at - got["peak"]["ts_ns"]  # the run's epoch, one for all devices
        assert epoch in (None, shift)
        epoch = shift
        points = set(want["curve"])
        curve = [(p["ts_ns"] + shift, p["allocated_bytes"]) for p in got["curve"]]
        assert len(curve) <= 1024
        assert all(point in points for point in curve)
        levels = [level for _, level in want["curve"]]
        assert max(level for _, level in curve) == max(levels)
        assert min(level for _, level in curve) == min(levels)
    calls = {
        row["name"]: [row["calls"], row["total_ns"], row["max_ns"]]
        for row in report["memory"]["allocator"]
    }
    assert calls == reference.allocator(profile)


def test_modules(case):
    profile, report = case
    if report["modules"]["rows"] and report["modules"]["rows"][0]["source"] != "ranges":
        pytest.skip("modules of this profile come from call stacks")
    expected = reference.modules(profile)
    after = reference.backward(profile)
    paths, rows = [], {}
    for row in report["modules"]["rows"]:
        outer = () if row["parent"] is None else paths[row["parent"]]
        paths.append((*outer, row["name"]))
        rows[paths[-1]] = row
    assert rows.keys() == expected.keys()
    for path, sums in expected.items():
        assert same(sums, rows[path]), path
        if profile.flows["s"]:
            assert same(after.get(path, {}), rows[path]["backward"]), path
            if path not in after:
                assert rows[path]["backward"]["operators"] == 0


def test_text_fits_a_terminal(case):
    _, report = case
    for section, text in report["text"].items():
        lines = text.splitlines()
        assert len(lines) > 2, section
        assert all(len(line) <= 80 for line in lines), section
