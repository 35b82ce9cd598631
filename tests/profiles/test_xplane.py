# SPDX-License-Identifier: Apache-2.0
"""XPlane profiles, as JAX and TensorFlow write them: a real one beside a decoder of its own, and
folders with the JSON of the same profile."""

import collections
import json
import struct

import pytest
from profile_runs import imported, section, steptrace, table
from real_profiles import XPLANE

REAL = XPLANE / "mi300x_jax_conv.xplane.pb"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """{field: [value]} of a message."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = (
                struct.unpack("<d" if kind == 1 else "<f", data[at : at + size])[0],
                at + size,
            )
        found[tag >> 3].append(value)
    return found


def planes(data):
    """(name, [(line's name, [(event's name, begin in ps, duration in ps)])]) of each."""
    for message in fields(data)[1]:
        plane = fields(message)
        names = {}
        for entry in plane[4]:
            pair = fields(entry)
            names[pair[1][0]] = fields(pair[2][0])[2][0].decode()
        lines = []
        for one in plane[3]:
            line = fields(one)
            begin_ps = line[3][0] * 1000
            events = []
            for event in map(fields, line[4]):
                events.append((names[event[1][0]], begin_ps + sum(event[2]), sum(event[3])))
            lines.append((line[2][0].decode(), events))
        yield plane[2][0].decode(), lines


@pytest.mark.skipif(not REAL.exists(), reason="no such profile here")
def test_sums_of_kernels_are_those_of_the_file(tmp_path):
    expected = collections.Counter()
    counts = collections.Counter()
    host = 0
    for name, lines in planes(REAL.read_bytes()):
        for line, events in lines:
            if not name.startswith("/device:GPU:"):
                host += sum(not event[0].startswith("Memory") for event in events)
                continue
            assert line.startswith("Stream #")
            for event, _, duration_ps in events:
                key = name.rpartition(":")[2], event
                assert duration_ps % 1000 == 0
                expected[key] += duration_ps // 1000
                counts[key] += 1
    run = imported(tmp_path, REAL)
    device_of = {row["track"]: row["device"] for row in table(run, "tracks", tmp_path)}
    found = collections.Counter()
    found_counts = collections.Counter()
    found_host = 0
    for row in table(run, "slices", tmp_path):
        device = device_of[row["track"]]
        if device == "":
            found_host += 1
            continue
        assert row["category"] == "kernel"
        found[device, row["name"]] += int(row["dur_ns"])
        found_counts[device, row["name"]] += 1
    assert found == expected
    assert found_counts == counts
    assert found_host == host
    allocated = [row for row in table(run, "memory", tmp_path) if int(row["bytes"]) > 0]
    assert len(allocated) == 115


@pytest.mark.skipif(not REAL.exists(), reason="no such profile here")
def test_a_real_profile_has_no_steps_and_no_advice_for_pytorch(tmp_path):
    run = imported(tmp_path, REAL)
    report = json.loads(steptrace("report", run, "--json"))
    assert "torch" not in json.dumps(report["verdict"]).lower()
    assert table(run, "steps", tmp_path) == []
    devices = section(run, "devices")["devices"]["rows"]
    assert [row["device"] for row in devices] == list(range(8))


def number(field, value):
    value &= (1 << 64) - 1
    return write(field << 3) + write(value)


def write(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return write(field << 3 | 2) + write(len(data)) + data


class Plane:
    def __init__(self, name):
        self.lines, self.events, self.stats = text(2, name), {}, {}

    def event(self, name, begin_ns, dur_ns, **stats):
        made = number(1, self.events.setdefault(name, len(self.events) + 1))
        made += number(2, begin_ns * 1000) + number(3, dur_ns * 1000)
        for key, value in stats.items():
            stat = number(1, self.stats.setdefault(key, len(self.stats) + 1))
            made += text(4, stat + (number(4, value) if isinstance(value, int) else text(5, value)))
        return made

    def line(self, number_of_line, name, events):
        body = number(1, number_of_line) + text(2, name) + number(3, 1000)
        self.lines += text(3, body + b"".join(text(4, one) for one in events))

    def bytes(self):
        made = self.lines
        for field, names in ((4, self.events), (5, self.stats)):
            for name, key in names.items():
                made += text(field, number(1, key) + text(2, number(1, key) + text(2, name)))
        return text(1, made)


STEP_NS = 20_000_000


def training(steps=12):
    """A loop that waits for tf.data, then launches a kernel."""
    host, gpu = Plane("/host:CPU"), Plane("/device:GPU:0")
    rows, kernels = [], []
    for step in range(steps):
        at = step * STEP_NS
        rows.append(host.event("train", at, STEP_NS - 10_000, step_num=step))
        rows.append(host.event("Iterator::Prefetch", at, 16_000_000))
        rows.append(host.event("PjitFunction(step)", at + 16_000_000, 200_000))
        rows.append(host.event("cuLaunchKernel", at + 16_100_000, 50_000, correlation_id=step + 1))
        kernels.append(
            gpu.event("fusion", at + 16_200_000, 3_700_000, correlation_id=step + 1, hlo_op="dot")
        )
    host.line(7, "python", rows)
    gpu.line(15, "Stream #15(Compute)", kernels)
    gpu.line(16, "XLA Modules", [gpu.event("jit_step(1)", 0, steps * STEP_NS)])
    return gpu.bytes() + host.bytes()


def test_tf_data_is_the_data_pipeline(tmp_path):
    (tmp_path / "vm.xplane.pb").write_bytes(training())
    run = imported(tmp_path, tmp_path / "vm.xplane.pb")
    report = json.loads(steptrace("report", run, "--json"))
    shares = {one["name"]: one["share"] for one in report["suspects"]["rows"]}
    assert report["verdict"]["suspect"] == "data_pipeline"
    assert abs(shares["data_pipeline"] - 0.8) < 0.01
    (device,) = section(run, "devices")["devices"]["rows"]
    assert device["events"] == 12


def test_the_json_beside_it_is_left_out(tmp_path):
    folder = tmp_path / "plugins" / "profile" / "2026_11_30_05_20_38"
    folder.mkdir(parents=True)
    (folder / "vm.xplane.pb").write_bytes(training())
    event = {"ph": "X", "pid": 701, "tid": 1, "ts": 1.0, "dur": 2.0, "name": "PjitFunction(f)"}
    for name in ("vm.trace.json", "perfetto_trace.json"):
        (folder / name).write_text(json.dumps({"traceEvents": [event]}))
    run = imported(tmp_path, tmp_path / "plugins")
    causes = collections.Counter(row["cause"] for row in table(run, "data_loss", tmp_path))
    assert causes["same_profile_twice"] >= 1
    assert {row["rank"] for row in table(run, "tracks", tmp_path)} == {"0"}
    names = {row["name"] for row in table(run, "slices", tmp_path)}
    assert "PjitFunction(f)" not in names
    assert len(table(run, "steps", tmp_path)) == 12
