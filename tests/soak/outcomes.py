# SPDX-License-Identifier: Apache-2.0
"""What a soak finds: per test how often it was tried and held, and each case that did not."""

import dataclasses
import json
import pathlib
import sys


@dataclasses.dataclass
class Outcome:
    test: str
    tried: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def saw(self, case, problems):
        """Counts a case; `problems`: a line for each way in which it did not hold."""
        self.tried += 1
        self.failures += [f"{case}: {problem}" for problem in problems]
        for problem in problems:
            print(f"  {self.test}, {case}: {problem}", flush=True)

    @property
    def broken(self):
        return len({failure.split(": ", 1)[0] for failure in self.failures})


def finish(outcomes, path):
    """Prints a line per test, writes them as JSON where a path is given, and ends with 1 if a case
    failed or a test tried nothing."""
    for outcome in outcomes:
        print(f"{outcome.test}: {outcome.tried} tried, {outcome.tried - outcome.broken} held")
    if path:
        rows = [dataclasses.asdict(o) | {"held": o.tried - o.broken} for o in outcomes]
        pathlib.Path(path).write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if any(o.failures or not o.tried for o in outcomes) else 0)
