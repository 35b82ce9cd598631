# SPDX-License-Identifier: Apache-2.0
"""The tests of tools/flaky_tests.txt, which alone are tried a second time.

usage: flaky_tests.py              checks the list; exit 1 with a line per entry that is none
       flaky_tests.py SUITE        prints a regular expression of the names of a suite; nothing where there are none

Its hooks of pytest, which the folders of tests import, rerun the listed tests once and write those that needed it to
$FLAKY_LOG.
"""

import datetime
import os
import re
import sys
from pathlib import Path

LIST = Path(__file__).with_name("flaky_tests.txt")
SUITES = ("unit", "python", "pages")
ENTRY = re.compile(r"(?P<day>\d{4}-\d\d-\d\d) (?P<suite>\w+) (?P<name>.+?): (?P<why>\S.*)")


def lines():
    return [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]


def problem(line):
    """Why a line is no entry; None: it is one."""
    entry = ENTRY.fullmatch(line)
    if not entry:
        return "not of the form DAY SUITE NAME: WHY"
    if entry["suite"] not in SUITES:
        return f"no suite {entry['suite']}; one of {', '.join(SUITES)}"
    try:
        datetime.date.fromisoformat(entry["day"])
    except ValueError:
        return f"{entry['day']} is no day"
    return None


def names(suite):
    entries = [ENTRY.fullmatch(line) for line in lines()]
    return [entry["name"] for entry in entries if entry and entry["suite"] == suite]


def pytest_collection_modifyitems(items):
    import pytest

    listed = names("python")
    for item in items:
        if any(item.nodeid.endswith(name) for name in listed):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter):
    stats = terminalreporter.stats
    failed = {report.nodeid for kind in ("failed", "error") for report in stats.get(kind, [])}
    needed = {report.nodeid for report in stats.get("rerun", [])} - failed
    log = os.environ.get("FLAKY_LOG")
    if log:
        with open(log, "w", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in sorted(needed))


def main(arguments):
    if arguments:
        listed = names(arguments[0])
        if listed:
            print("|".join(f"^{re.escape(name)}$" for name in listed))
        return 0
    wrong = [(line, problem(line)) for line in lines()]
    wrong = [f"{LIST.name}: '{line}': {why}" for line, why in wrong if why]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
