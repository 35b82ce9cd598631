# SPDX-License-Identifier: Apache-2.0
"""Writes the figures of what stands in sources.py, as this version computes them, into figures/.

usage: freeze.py        Only for what has no baseline yet: what there is, is kept.
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path

import sources
from figures import figures

OUT = sources.HERE / "figures"


def keep(name, made):
    # A fixed time, so that the same figures are the same file.
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (OUT / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(name, file=sys.stderr)


def missing(name):
    return not (OUT / f"{name}.json.gz").exists()


def main():
    OUT.mkdir(exist_ok=True)
    for name, run in sources.recordings().items():
        if missing(name):
            keep(name, figures(sources.report(run)))
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(missing, sources.REAL):
            keep(name, figures(sources.report(sources.imported(name, Path(folder)))))
    if missing("verdict_cases"):
        keep("verdict_cases", {k: figures(v) for k, v in sources.case_reports().items()})


if __name__ == "__main__":
    main()
