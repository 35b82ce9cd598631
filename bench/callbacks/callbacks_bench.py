# SPDX-License-Identifier: Apache-2.0
"""What NVTX and NCCL's profiler plugin cost the library that calls them, in instructions, counted by
callgrind: the same on every machine. Beside no tool at all, and for NCCL a plugin that does nothing.
What was recorded is counted in the ring. Exit 1: over budget, or a wrong answer.

usage: callbacks_bench.py [--json FILE]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
PROBE = TREE / "python" / "steptrace" / "_probe.abi3.so"
SOURCE = pathlib.Path(__file__).with_name("callback_loops.cc")
# The control of ring 0: its head is at byte 0 (src/wire/ring_layout.h).
CONTROL = 4096
TIMES = 1600
# (contender, function that is counted, records that it leaves, budget in instructions a time). A
# tenth above what they take: what goes back is seen here.
CONTENDERS = [
    ("nvtx_none", "CountedNvtx", 0, None),
    ("nvtx", "CountedNvtx", 2 * TIMES, 540),
    ("nccl_none", "CountedNccl", 0, None),
    ("nccl_empty", "CountedNccl", 0, None),
    # The communicator; the collective and its proxy operation, with the details of each.
    ("nccl", "CountedNccl", 1 + 4 * TIMES, 3670),
    # Three time ranges a step with their details; every sixteenth one brings a collective.
    ("nccl_steps", "CountedNcclSteps", 1 + 6 * TIMES + 4 * TIMES // 16, 2630),
    ("nccl_over", "CountedNcclOver", 1 + 6 * 32 + 4, 185),
]


def count(binary, contender, function):
    """Instructions of the function, and the records in the ring; of no tool none."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as rings:
        environment = {
            **os.environ,
            "STEPTRACE_RING_DIR": rings,
            "STEPTRACE_PROBE": str(PROBE),
        }
        command = [
            *["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"],
            *["--collect-atstart=no", f"--toggle-collect={function}"],
            *[str(binary), contender, str(TIMES)],
        ]
        result = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        if result.returncode != 0:
            sys.exit(f"callbacks_bench: {contender}: {result.stderr.strip()}")
        collected = int(re.search(r"Collected : (\d+)", result.stderr).group(1))
        records = 0
        for ring in pathlib.Path(rings).glob("*.ring"):
            with open(ring, "rb") as file:
                file.seek(CONTROL)
                records += struct.unpack("<Q", file.read(8))[0]
    return collected, records


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None or shutil.which("c++") is None:
        print("callbacks_bench: valgrind or a compiler is missing: nothing was measured")
        return 0
    results, kept = {}, True
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "callback_loops"
        build = ["c++", "-std=c++20", "-O2", "-I", TREE / "src", SOURCE, "-o", binary, "-ldl"]
        subprocess.run([str(word) for word in build], check=True)
        for contender, function, expected, budget in CONTENDERS:
            collected, records = count(binary, contender, function)
            each = collected / TIMES
            results[contender] = {"instructions": each, "records": records}
            wrong = records != expected
            over = budget is not None and each > budget
            kept = kept and not wrong and not over
            print(
                f"{contender:12} {each:7.1f} instructions each, {records} records"
                + (f", expected {expected}" * wrong)
                + (f", budget {budget}" * (budget is not None))
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
