# SPDX-License-Identifier: Apache-2.0
"""Adds up the results that GoogleTest, ctest and pytest left in a folder; exit 1 on any failure.

usage: count_tests.py FOLDER     FOLDER holds */*.json (GoogleTest), ctest-*.log, *.xml (JUnit),
                                 pages-browser.json (Playwright), flaky-*.txt (names, by flaky_tests.py)
                                 and NAME.broken for each check that failed
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def googletest(path):
    """(passed, failed, skipped) of one GoogleTest JSON file."""
    counts = [0, 0, 0]
    for suite in json.loads(path.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                counts[1] += 1
            elif case.get("result") == "SKIPPED":
                counts[2] += 1
            else:
                counts[0] += 1
    return counts


def failures(path):
    """The names of what failed in one GoogleTest JSON file."""
    suites = json.loads(path.read_text())["testsuites"]
    cases = [case for suite in suites for case in suite["testsuite"]]
    return [f"{case['classname']}.{case['name']}" for case in cases if case.get("failures")]


def tries(paths):
    """GoogleTest's files by program, in the order of its tries: it numbers them from the second on."""
    programs = {}
    for path in paths:
        numbered = re.fullmatch(r"(.+)_(\d+)", path.stem)
        first = numbered and path.with_stem(numbered[1])
        again = bool(first) and first.exists()
        program, number = (first, int(numbered[2])) if again else (path, 0)
        programs.setdefault(program, []).append((number, path))
    return [[path for _, path in sorted(files)] for files in programs.values()]


def ctest_failures_without_cases(path):
    """Test programs that ctest saw fail; one that crashed left no JSON of its cases."""
    match = re.search(r"(\d+) tests failed out of", path.read_text())
    return int(match.group(1)) if match else 0


def junit(path):
    """(passed, failed, skipped) of one JUnit file."""
    counts = [0, 0, 0]
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        total, skipped = int(suite.get("tests")), int(suite.get("skipped") or 0)
        failed = int(suite.get("failures") or 0) + int(suite.get("errors") or 0)
        counts = [a + b for a, b in zip(counts, (total - failed - skipped, failed, skipped))]
    return counts


def second_tries(suite):
    """The titles of what passed at a second try alone, of a suite of Playwright's JSON and those within."""
    titles = [
        spec["title"]
        for spec in suite.get("specs", [])
        for test in spec["tests"]
        if test["status"] == "flaky"
    ]
    return titles + [title for inner in suite.get("suites", []) for title in second_tries(inner)]


def flaky(folder, programs):
    """The names of all that passed at a second try alone."""
    names = [files[0].stem for files in programs if len(files) > 1 and not failures(files[-1])]
    for path in sorted(folder.glob("flaky-*.txt")):
        names += path.read_text().split("\n")[:-1]
    pages = folder / "pages-browser.json"
    return names + (second_tries(json.loads(pages.read_text())) if pages.exists() else [])


def main(folder):
    total = [0, 0, 0]
    programs = tries(sorted(folder.glob("*/*.json")))
    rows = [(files[-1], googletest(files[-1])) for files in programs]
    for files in programs:
        if len(files) > 1:
            failed = ", ".join(case for path in files[:-1] for case in failures(path))
            print(f"count_tests: {files[0].stem} was tried {len(files)} times, for {failed}")
    rows += [(p, junit(p)) for p in sorted(folder.glob("*.xml"))]
    for _, counts in rows:
        total = [a + b for a, b in zip(total, counts)]
    crashed = sum(ctest_failures_without_cases(p) for p in folder.glob("ctest-*.log"))
    total[1] = max(total[1], crashed + sum(c[1] for p, c in rows if p.suffix == ".xml"))
    for check in sorted(folder.glob("*.broken")):
        print(f"count_tests: the check '{check.stem}' failed")
        total[1] += 1
    python_results = ("python.xml", "profiles.xml", "e2e-waiting.xml", "e2e.xml")
    wanted_results = ("*/*.json", *python_results, "pages-*.xml")
    for wanted in wanted_results:
        if not list(folder.glob(wanted)):
            print(f"count_tests: no results like {wanted}: its tests did not run")
            total[1] += 1
    chance = flaky(folder, programs)
    print(f"flaky: {len(chance)}" + "".join(f"\n  {name}" for name in chance))
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
