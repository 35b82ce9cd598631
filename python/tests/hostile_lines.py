# SPDX-License-Identifier: Apache-2.0
"""Profiles that are large in what profilers other than Kineto write: names of lines in place of
categories, marks of scripts, calls that one thread leaves to another."""

from hostile_dimensions import dimension, event, kernel, launch, profile


def named(pid, name, **fields):
    kind = "thread_name" if fields else "process_name"
    return event(ph="M", name=kind, pid=pid, args={"name": name}, **fields)


def without_category(**fields):
    return event(**fields).replace('"cat": "cpu_op", ', "")


@dimension(4_000)
def names_of_lines(n):
    rows = (
        (named(i, f"/device:GPU:{i}"), without_category(pid=i, tid=i % 9, ts=i)) for i in range(n)
    )
    return profile([e for of_line in rows for e in of_line])


@dimension(4_000)
def names_of_lines_behind_their_events(n):
    rows = [without_category(pid=1, tid=i, ts=i) for i in range(n)]
    names = [named(1, f"Stream #{i}", tid=i) for i in range(n)]
    return profile([*rows, named(1, "/device:GPU:0"), *names])


@dimension(4_000)
def steps_that_the_script_marks(n):
    marks = [
        event(cat="step_annotation", name="train", ts=i * 10, dur=8, args={"step_num": i})
        for i in range(n)
    ]
    return profile([e for i in range(n) for e in (marks[i], launch(i), kernel(i))])


@dimension(4_000)
def calls_that_are_left_to_another_thread(n):
    def calls(i):
        for cat, tid, ts in (("enqueue", 1, 10 * i), ("dequeue", 2, 10 * i + 2)):
            yield event(cat=cat, tid=tid, ts=ts, dur=2, args={"correlation_id": i})

    return profile([e for i in range(n) for e in (*calls(i), launch(i), kernel(i))])
