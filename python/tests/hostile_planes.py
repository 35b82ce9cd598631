# SPDX-License-Identifier: Apache-2.0
"""XPlane profiles that are large in one of what planes and lines hold."""

from hostile_dimensions import dimension, field


def named(number, key, name, more=b""):
    """Metadata of events (4) or stats (5)."""
    return field(number, field(1, key) + field(2, field(1, key) + field(2, name) + more))


def event(key, begin_ns, *stats):
    times = field(2, begin_ns * 1000) + field(3, 1000)
    return field(4, field(1, key) + times + b"".join(field(4, stat) for stat in stats))


def line(key, name, *events):
    return field(3, field(1, key) + field(2, name) + field(3, 1000) + b"".join(events))


def plane(name, *parts):
    return field(1, field(2, name) + b"".join(parts))


def space(*planes):
    return {"vm.xplane.pb": b"".join(planes)}


@dimension(5_000)
def events_of_a_line(n):
    events = (event(1, 2 * i) for i in range(n))
    return space(plane("/host:CPU", line(7, "python", *events), named(4, 1, "a")))


@dimension(1_000)
def planes_of_devices(n):
    return space(
        *(
            plane(f"/device:GPU:{i}", line(1, "Stream #1(Compute)", event(1, i)), named(4, 1, "k"))
            for i in range(n)
        )
    )


@dimension(4_000)
def lines_that_nobody_knows(n):
    lines = (line(i, f"line {i}", event(1, i)) for i in range(n))
    return space(plane("/device:TPU:0", *lines, named(4, 1, "a")))


@dimension(5_000)
def metadata_with_odd_numbers(n):
    keys = [i * 107_897 * 26_267 for i in range(1, n)]
    names = (named(4, key, f"n{key}") for key in keys)
    events = (event(key, 2 * i) for i, key in enumerate(keys))
    return space(plane("/host:CPU", line(7, "python", *events), *names))


@dimension(3_000)
def kinds_of_lines_in_turn(n):
    names = (named(4, i, f"n{i}") for i in range(1, n))
    kinds = ("XLA Ops", "Stream #1", "_counters_", "odd")
    lines = (line(i, kinds[i % 4], event(1 + i % 9, i)) for i in range(n))
    return space(plane("/device:GPU:0", *lines, *names))


@dimension(3_000)
def stats_of_an_event(n):
    stats = [field(1, 1 + i % 9) + field(5, "x" * 8) for i in range(n)]
    names = [named(5, i, f"s{i}") for i in range(1, 10)]
    shared = b"".join(field(5, stat) for stat in stats)
    events = [event(1, 2 * i, *stats[:9]) for i in range(n)]
    return space(
        plane(
            "/host:CPU",
            line(7, "p", event(1, 0, *stats), *events),
            named(4, 1, "a", shared),
            *names,
        )
    )
