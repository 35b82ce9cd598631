# SPDX-License-Identifier: Apache-2.0
"""A program whose stacks prove themselves: each function's name is its caller's and one letter more.

usage: knows_its_stack.py FILE [--depth N] [--idle DEPTH]

Writes itself to FILE and runs that: every line that calls names whom it calls, so that a sampled
stack is right if and only if the line of each frame names the function of the next. Calls go
directly, through C (map), and through generators. With --idle it goes that deep once and works there.
"""

import argparse
import runpy

KINDS = ("direct", "c", "generator")


def _function(name, depth, kinds):
    """The function `name` and all that it calls, one line a call."""
    letters = "ab"
    if len(name) > depth:
        return [f"def {name}(n):", "    return n + 1", ""]
    lines = []
    body = [f"def {name}(n):"]
    for place, letter in enumerate(letters):
        child = name + letter
        kind = kinds[(len(name) + place) % len(kinds)]
        if kind == "direct":
            body.append(f"    {child}(n)")
        elif kind == "c":
            body.append(f"    list(map({child}, (n,)))")
        else:
            body.append(f"    for _ in {child}(n): pass")
        lines += _generator(child) if kind == "generator" else _function(child, depth, kinds)
    return lines + [*body, "    return n", ""]


def _generator(name):
    return [
        f"def {name}(n):",
        "    yield n",
        f"    {name}a(n)",
        "",
        *_function(name + "a", 0, KINDS),
    ]


def busy(depth):
    lines = _function("r", depth, KINDS)
    return [*lines, "print('ready', flush=True)", "while True:", "    r(0)", ""]


def idle(depth):
    lines = ["import time", "def work():", "    end = time.monotonic() + 1", "    n = 0"]
    lines += ["    while time.monotonic() < end: n += 1", "    return n", ""]
    lines += ["def down(n):", "    if n > 0: return down(n - 1)", "    while True: work()", ""]
    return [*lines, "print('ready', flush=True)", f"down({depth - 2})", ""]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--idle", type=int, default=0)
    options = parser.parse_args()
    lines = idle(options.idle) if options.idle else busy(options.depth)
    with open(options.file, "w") as file:
        file.write("\n".join(lines))
    runpy.run_path(options.file, run_name="__main__")


if __name__ == "__main__":
    main()
