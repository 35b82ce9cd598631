# SPDX-License-Identifier: Apache-2.0
"""Writes the figures of soaks into docs/reference/robustness.md, with the day.

usage: robustness_page.py FILE...      files that the drivers wrote (--json)
"""

import datetime
import json
import os
import pathlib
import platform
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/robustness.md"
BEGIN, END = "<!-- figures: make soak -->", "<!-- end of figures -->"


def table(outcomes):
    lines = ["| test | tried | held |", "| --- | ---: | ---: |"]
    lines += [f"| {o['test']} | {o['tried']:,} | {o['held']:,} |" for o in outcomes]
    failures = [f"* {failure}" for o in outcomes for failure in o["failures"]]
    return [*lines, *([""] if failures else []), *failures]


def main(paths):
    outcomes = [o for path in paths for o in json.loads(pathlib.Path(path).read_text())]
    day = datetime.date.today().isoformat()
    python = platform.python_version()
    head = f"{day}, {os.cpu_count()} cores, {platform.system()}, CPython {python}:"
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    figures = "\n".join(["", head, "", *table(outcomes), ""])
    PAGE.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
