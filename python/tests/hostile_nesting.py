# SPDX-License-Identifier: Apache-2.0
"""Profiles whose ranges lie within each other, around much else: more dimensions."""

from hostile_dimensions import dimension, event, kernel, profile, step


def around(i, n, **fields):
    """The i-th of n that lie within each other, around what `within` places."""
    return {"ts": i, "dur": 8 * n - 2 * i, **fields}


def within(i, n, **fields):
    return {"ts": n + 4 * i, "dur": 1, **fields}


def launched(n):
    """What the innermost of `around` launches."""
    for i in range(n):
        name = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": {"correlation": i}}
        yield event(**within(i, n, **name))
        yield kernel(i, ts=n + 4 * i + 2, dur=1)


@dimension(2_000)
def kernels_within_nested_steps(n):
    steps = [step(i, **around(i, n)) for i in range(n)]
    return profile(steps + [kernel(i, **within(i, n)) for i in range(n)])


@dimension(2_000)
def operators_within_nested_steps(n):
    steps = [step(i, **around(i, n)) for i in range(n)]
    return profile(steps + [event(name="aten::mm", **within(i, n)) for i in range(n)])


@dimension(400)
def functions_within_nested_steps(n):
    steps = [step(i, **around(i, n)) for i in range(n)]
    call = {"cat": "python_function"}
    functions = [event(name=f"a.py({i % 9}): f", **within(i, n, **call)) for i in range(n)]
    return profile(steps + functions + [kernel(i, ts=n + 4 * i, dur=2) for i in range(n)])


@dimension(4_000)
def launches_within_nested_steps(n):
    return profile([step(i, **around(i, n)) for i in range(n)] + list(launched(n)))


@dimension(4_000)
def launches_within_nested_operators(n):
    operators = [event(name=f"aten::o{i % 2}", **around(i, n)) for i in range(n)]
    return profile([step(1, ts=0, dur=10 * n), *operators, *launched(n)])


@dimension(4_000)
def launches_within_nested_ranges(n):
    ranges = [event(name="r", **around(i, n, cat="user_annotation")) for i in range(n)]
    return profile([step(1, ts=0, dur=10 * n), *ranges, *launched(n)])


@dimension(4_000)
def memory_within_nested_operators(n):
    def record(i):
        args = {"Bytes": 64, "Addr": 64 * i, "Device Type": 1, "Device Id": 0}
        args["Total Allocated"] = 64
        return event(ph="i", name="[memory]", ts=n + 4 * i, args=args)

    operators = [event(name=f"aten::o{i % 2}", **around(i, n)) for i in range(n)]
    return profile(operators + [record(i) for i in range(n)])


@dimension(8_000)
def pauses_among_functions(n):
    call = {"cat": "python_function"}
    functions = [event(name=f"a.py({i}): f", ts=4 * i, dur=2, **call) for i in range(n)]
    kernels = [kernel(i, ts=4 * i, dur=1) for i in range(n)]
    whole = step(1, ts=0, dur=4 * n)
    return profile([whole, event(name="aten::mm"), *functions, *kernels])
