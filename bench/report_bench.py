# SPDX-License-Identifier: Apache-2.0
"""`steptrace report` on a run of 10^6 steps: seconds and peak memory, beside pyarrow that reads the
same columns and sums them. The sums must agree.

usage: report_bench.py [STEPS]
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from process_cost import measure

ROOT = Path(__file__).resolve().parents[1]
MAKE_RUN = next(iter(sorted(ROOT.glob("build/*/src/store/store_make_run"), reverse=True)), None)
STEPTRACE = ROOT / ".venv" / "bin" / "steptrace"
ROUNDS = 5
CAUSES = ["data_pipeline", "model", "communication", "framework_overhead", "other"]

PEER = """
import json, sys
import pyarrow.compute as pc, pyarrow.dataset as ds
causes = json.loads(sys.argv[2])
columns = [c + "_ns" for c in causes] + ["kind"]
table = ds.dataset(sys.argv[1] + "/tables/steps", partitioning="hive").to_table(columns=columns)
table = table.filter(pc.equal(table["kind"].cast("string"), "train"))
print(json.dumps({c: pc.sum(table[c + "_ns"]).as_py() for c in causes}))
"""


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6
    if MAKE_RUN is None:
        sys.exit("report_bench: store_make_run is not built; run `make test` or build that target")
    with tempfile.TemporaryDirectory(prefix="steptrace-bench-") as folder:
        run = Path(folder) / "run"
        subprocess.run(
            [MAKE_RUN, run, f"steps={steps}", "slices=0"], check=True, stdout=subprocess.DEVNULL
        )
        ours, peer = [], []
        for _ in range(ROUNDS):
            ours.append(measure([STEPTRACE, "report", run, "--json"]))
            peer.append(measure([sys.executable, "-c", PEER, run, json.dumps(CAUSES)]))
        report, sums = json.loads(ours[0][0]), json.loads(peer[0][0])
        assert report["steps"]["count"] == steps, report["steps"]
        told = {s["name"]: s["ns"] for s in report["suspects"]["rows"]}
        # The table has one column for both.
        told["other"] = told.pop("other_work") + told.pop("unattributed")
        assert told == sums
        for name, rows in (("steptrace report", ours), ("pyarrow, sums only", peer)):
            seconds, rss = (statistics.median(r[k] for r in rows) for k in (1, 4))
            print(f"{name:20} {steps} steps: {seconds:6.2f} s, peak {rss:6.0f} MiB")


if __name__ == "__main__":
    main()
