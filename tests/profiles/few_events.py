# SPDX-License-Identifier: Apache-2.0
"""Traces of a few events, as text that a test can damage."""

import json

from imports import rows

EVENTS = 6
ALL = [f"op{number}" for number in range(EVENTS)]


def event(number, **changes):
    made = {
        "ph": "X",
        "cat": "cpu_op",
        "name": f"op{number}",
        "pid": 1,
        "tid": 2,
        "ts": 1_700_000_000_000_000 + number * 10,
        "dur": 5,
        "args": {"External id": number},
    }
    made.update(changes)
    return json.dumps({key: value for key, value in made.items() if value is not None})


def document(events, after=""):
    return '{"schemaVersion": 1, "traceEvents": [\n' + ",\n".join(events) + "\n]}\n" + after


def sound(count=EVENTS):
    return [event(number) for number in range(count)]


def names(run):
    return [row["name"] for row in rows(run, "slices")]


def write(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path
