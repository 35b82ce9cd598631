# SPDX-License-Identifier: Apache-2.0
"""What the trainings of this folder time themselves with, and how they tell the truth of it."""

import contextlib
import time


class Parts:
    """Seconds of each named part of the steps, without those of the first `skip` steps."""

    def __init__(self, skip=5):
        self.seconds = {}
        self.steps = 0
        self.skip = skip
        self.total = 0.0
        self.last = time.perf_counter()

    @contextlib.contextmanager
    def __call__(self, name):
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - begin)

    def add(self, name, seconds):
        if self.steps >= self.skip:
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def step(self):
        now = time.perf_counter()
        if self.steps >= self.skip:
            self.total += now - self.last
        self.last = now
        self.steps += 1

    def share(self, *names):
        return sum(self.seconds.get(name, 0.0) for name in names) / self.total

    def largest(self, *names):
        return max(names, key=lambda name: self.seconds.get(name, 0.0))


def tell(suspect, stage, share, function="-", stage_share=None):
    """`None`: what no timer of the script tells."""
    words = f"TRUTH suspect={suspect} stage={stage} function={function}"
    if share is not None:
        words += f" share={share:.3f}"
    if stage_share is not None:
        words += f" stage_share={stage_share:.3f}"
    print(words, flush=True)
