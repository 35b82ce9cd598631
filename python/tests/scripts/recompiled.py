# SPDX-License-Identifier: Apache-2.0
"""Compiles anew for a text that changes, and for a number up to the limit."""

import json
import os
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch._logging.set_logs(dynamo=50)


def forward(x, tag):
    return x * 2 if tag != "off" else x


def counts(x, calls):
    return x + len(str(calls))


class Unsayable:
    def __str__(self):
        raise ValueError("no text")


def break_reasons():
    """What torch keeps of a reason is not what it was."""
    from torch._dynamo import guards

    real = guards.get_guard_fail_reason

    def reason(manager, code, *more, **named):
        text = real(manager, code, *more, **named)
        guards.guard_failures[guards.orig_code_map[code]][-1] = Unsayable()
        return text

    guards.get_guard_fail_reason = reason


def main():
    if os.environ.get("BREAKS_REASONS"):
        break_reasons()
    x, done = torch.ones(3), 0
    compiled = torch.compile(forward, backend="eager", dynamic=False)
    for number in range(6):
        compiled(x, f"secret {number}")
        done += 1
    counted = torch.compile(counts, backend="eager", dynamic=False)
    for number in range(10):
        counted(x, number)
        done += 1
    print(json.dumps({"line": forward.__code__.co_firstlineno, "calls": done}))


main()
