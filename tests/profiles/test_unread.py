# SPDX-License-Identifier: Apache-2.0
"""Files of other profilers are refused by their likely name, with what works instead."""

import gzip
import marshal
import pickle

import pytest
from imports import steptrace

FILES = {
    "train.prof": (
        marshal.dumps({("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})}),
        "cProfile",
        "steptrace run",
    ),
    "pyspy.json": (
        b'{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}',
        "speedscope",
        "--format chrometrace",
    ),
    "snapshot.pickle": (
        pickle.dumps({"segments": [], "device_traces": []}),
        "memory snapshot",
        "profile_memory=True",
    ),
    "memory.raw.json.gz": (
        gzip.compress(b"[[-1, 1, 16384, 0], [17, 2, 2048, 2]]"),
        "memory timeline",
        "profile_memory=True",
    ),
    "execution_trace.json.gz": (
        gzip.compress(b'{"schema": "1.1.1-chakra.0.0.4", "nodes": [{"ctrl_deps": 1}]}'),
        "execution trace",
        "export_chrome_trace",
    ),
    "results.json": (b'{"rocprofiler-sdk-tool": []}', "rocprofv3", "pftrace"),
    "events.out.tfevents.1": (
        b"\x18" + bytes(11) + b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2",
        "TensorBoard",
        "plugins/profile",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_unsupported_format_is_refused_by_name(tmp_path, name):
    content, *words = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    failed = steptrace("import", path, "-o", tmp_path / "out" / "run", ok=False)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    for word in words:
        assert word in failed.stderr
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
