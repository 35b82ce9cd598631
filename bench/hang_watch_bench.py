# SPDX-License-Identifier: Apache-2.0
"""What the watch for hangs costs the agent beside a training of short steps: CPU time of all the
agent's threads with it and without it, in turn. Both must have seen every step.

usage: hang_watch_bench.py [--rounds N] [--seconds S] [--json FILE]
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "bench")]
from agent_load_bench import cpu_and_rss  # noqa: E402
from fault_tools import Recording, command_line, wait_for  # noqa: E402

STEP_S = 0.01
WARM_UP_S = 2.0  # the first steps, and what the agent reads once
TRAINING = """
import sys, time
import steptrace
until = time.monotonic() + float(sys.argv[1])
steps = 0
while time.monotonic() < until:
    with steptrace.annotate("work"):
        time.sleep({step_s})
    steptrace.step()
    steps += 1
print(steps)
"""


def share_of_a_core(folder, seconds, *flags):
    """Of the agent, while the training steps."""
    script = folder / "train.py"
    script.write_text(TRAINING.format(step_s=STEP_S))
    command = [sys.executable, str(script), str(seconds + 2 * WARM_UP_S)]
    recording = Recording(folder, command, "--quiet", *flags)
    agent = wait_for(
        lambda: next((p for p in recording.children() if command_line(p)[1:2] == ["agent"]), None)
    )
    time.sleep(WARM_UP_S)
    began, before_ns = time.monotonic(), cpu_and_rss(agent)[0]
    time.sleep(seconds)
    after_ns, wall_s = cpu_and_rss(agent)[0], time.monotonic() - began
    outcome = recording.finish()
    made, seen = int(outcome.stdout), len(outcome.run.rows("steps"))
    # What lies before the first mark and behind the last one is no step.
    assert made - 1 <= seen <= made + 1, (made, seen)
    return (after_ns - before_ns) / 1e9 / wall_s


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    shares = {"with": [], "without": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds):
            for name, flags in (("with", ()), ("without", ("--no-hang-watch",))):
                place = pathlib.Path(folder) / f"{name}-{number}"
                place.mkdir()
                shares[name].append(share_of_a_core(place, arguments.seconds, *flags))
    for name, values in shares.items():
        low, high = min(values), max(values)
        print(
            f"{name + ' the watch:':19} {100 * statistics.median(values):.3f} % of a core "
            f"[{100 * low:.3f}, {100 * high:.3f}]"
        )
    differences = [a - b for a, b in zip(shares["with"], shares["without"])]
    print(f"the watch:          {100 * statistics.median(differences):+.3f} % of a core")
    if arguments.json:
        arguments.json.write_text(json.dumps(shares, indent=2) + "\n")


if __name__ == "__main__":
    main()
