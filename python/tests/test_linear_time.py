# SPDX-License-Identifier: Apache-2.0
"""The work of `import` and `report` rises linearly in whatever a hostile profile has much of."""

import hostile_lines  # noqa: F401  (adds its own)
import hostile_nesting  # noqa: F401  (adds its own)
import hostile_planes  # noqa: F401  (adds its own)
import pytest
from cli_tools import executable
from effort import Effort
from hostile_dimensions import DIMENSIONS

# Of four times as much: a linear term has 4, one of n log n a little more, a quadratic one 16.
TIMES = 4
MOST_RISE = 8
TRIES = 3


@pytest.fixture(scope="module")
def effort():
    return Effort()


def write(files, folder):
    folder.mkdir()
    for name, content in files.items():
        content = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(content)
    return folder


def efforts(effort, source, run):
    """Of the import, and of the report."""
    steptrace = str(executable())
    imported = effort.of([steptrace, "import", str(source), "-o", str(run)])
    return [imported, effort.of([steptrace, "report", str(run)])]


@pytest.fixture(scope="module")
def least(effort, tmp_path_factory):
    """What is done whatever the profile."""
    place = tmp_path_factory.mktemp("least")
    source = write(DIMENSIONS["events"][1](2), place / "source")
    several = [efforts(effort, source, place / f"run{i}") for i in range(TRIES)]
    return [min(each) for each in zip(*several)]


@pytest.mark.parametrize("name", DIMENSIONS)
def test_four_times_as_much_takes_no_sixteen_times_the_work(name, effort, least, tmp_path):
    size, make = DIMENSIONS[name]
    sources = [write(make(n), tmp_path / f"source{n}") for n in (size, size * TIMES)]
    seen = [[], []]
    for attempt in range(TRIES):
        for source, of_source in zip(sources, seen):
            of_source.append(efforts(effort, source, tmp_path / f"{source.name}_{attempt}"))
        small, large = (
            [min(each) - base for each, base in zip(zip(*of_source), least)] for of_source in seen
        )
        rises = [b <= MOST_RISE * max(a, effort.noise) for a, b in zip(small, large)]
        if all(rises):
            return
    pytest.fail(f"{name}: import and report of n={size} take {small}, of {TIMES} n {large}")
