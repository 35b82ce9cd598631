# SPDX-License-Identifier: Apache-2.0
"""Collectives of two ranks, matched and measured slowly and exactly from Kineto files.

Shares nothing with the product: it reads the JSON itself, holds times as whole nanoseconds, tries
every pair of calls, and counts between neighbouring boundaries what runs there.
"""

import gzip
import json
from decimal import Decimal
from fractions import Fraction

LIBRARIES = ("nccl", "rccl", "hccl", "xccl", "cross_device_reduce")
SYMMETRIC_MEMORY = ("multimem_", "one_shot_all_reduce", "two_shot_all_reduce")
COPIES = ("gpu_memcpy", "gpu_memset")


def ns(value):
    exact = Decimal(str(value)) * 1000
    assert exact == int(exact)
    return int(exact)


class Rank:
    def __init__(self, path):
        with (gzip.open if str(path).endswith(".gz") else open)(path) as file:
            self.document = json.loads(file.read(), parse_float=Decimal, strict=False)
        base = self.document.get("baseTimeNanoseconds", 0)
        events = [e for e in self.document["traceEvents"] if e.get("ph") == "X"]
        for event in events:
            event["from"] = base + ns(event["ts"])
            event["to"] = event["from"] + ns(event["dur"])
        self.events = events
        self.rank = self.document["distributedInfo"]["rank"]
        self.calls = sorted(
            (e for e in events if e["cat"] == "kernel" and is_communication(e["name"])),
            key=lambda e: e["from"],
        )
        launches = {
            e["args"]["correlation"]: e
            for e in events
            if e["cat"].endswith(("_runtime", "_driver")) and "correlation" in e.get("args", {})
        }
        for call in self.calls:
            call["what"] = self.what(call, launches.get(call["args"]["correlation"]))

    def what(self, call, launch):
        """The collective's name: its own, else that of the annotation around its launch."""
        told = call["args"].get("Collective name")
        if told is None and launch is not None:
            around = [
                e["name"]
                for e in self.events
                if e["cat"] in ("user_annotation", "cpu_op")
                and (e["pid"], e["tid"]) == (launch["pid"], launch["tid"])
                and e["from"] <= launch["from"]
                and launch["to"] <= e["to"]
                and e["name"].startswith("nccl:")
            ]
            told = around[-1] if around else None
        letters = "".join(c for c in (told or call["name"]).lower() if c.isalnum())
        names = {
            "allreduce": "all_reduce",
            "allgather": "all_gather",
            "alltoall": "all_to_all",
            "broadcast": "broadcast",
            "sendrecv": "send_recv",
        }
        return next((name for part, name in names.items() if part in letters), "")

    def spans(self, computing):
        return [
            (e["from"], e["to"])
            for e in self.events
            if e["cat"] == "kernel" and is_communication(e["name"]) != computing
        ]

    def window(self):
        work = [e for e in self.events if e["cat"] in ("kernel", *COPIES)]
        return min(e["from"] for e in work), max(e["to"] for e in work)

    def times(self):
        """Computation alone, both, communication alone, the rest; by counting between boundaries."""
        begin, end = self.window()
        borders = []
        for kind, spans in enumerate((self.spans(True), self.spans(False))):
            borders += [(a, kind, 1) for a, _ in spans] + [(b, kind, -1) for _, b in spans]
        borders.sort()
        running = [0, 0]
        sums = {(False, False): 0, (True, False): 0, (True, True): 0, (False, True): 0}
        at = begin
        for moment, kind, change in [*borders, (end, 0, 0)]:
            sums[running[0] > 0, running[1] > 0] += moment - at
            at = moment
            running[kind] += change
        return {
            "total_ns": end - begin,
            "computation_ns": sums[True, False],
            "overlap_ns": sums[True, True],
            "exposed_ns": sums[False, True],
            "other_ns": sums[False, False],
        }


def is_communication(name):
    return any(part in name.lower() for part in LIBRARIES + SYMMETRIC_MEMORY)


def match(a, b):
    """Pairs of calls of one stream, in order, alike and at one time: as many as can be, and of equal
    many those whose ends lie nearest. Every pair is tried (a table as for the longest common
    subsequence)."""
    best = {}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            options = [(0, 0, ())] if i == 0 or j == 0 else [best[i - 1, j], best[i, j - 1]]
            if i and j:
                x, y = a[i - 1], b[j - 1]
                together = x["from"] <= y["to"] and y["from"] <= x["to"]
                if together and x["what"] == y["what"]:
                    count, apart, pairs = best[i - 1, j - 1]
                    apart -= abs(x["to"] - y["to"])
                    options.append((count + 1, apart, (*pairs, (i - 1, j - 1))))
            best[i, j] = max(options)
    return [(a[i], b[j]) for i, j in best[len(a), len(b)][2]]


def compare(first, second):
    """Per rank: wait, transfer, time without a counterpart, and the wait that it caused."""
    result = {
        r.rank: {"wait_ns": 0, "transfer_ns": 0, "unmatched_ns": 0, "caused_wait_ns": 0}
        for r in (first, second)
    }
    pairs = []
    for stream in {c["tid"] for c in first.calls} | {c["tid"] for c in second.calls}:
        pairs += match(*([c for c in r.calls if c["tid"] == stream] for r in (first, second)))
    matched = {id(call) for pair in pairs for call in pair}
    for pair in pairs:
        latest = max(call["from"] for call in pair)
        for who, call in zip((first, second), pair):
            wait = min(latest, call["to"]) - call["from"]
            result[who.rank]["wait_ns"] += wait
            result[who.rank]["transfer_ns"] += call["to"] - call["from"] - wait
            if wait:
                other = second if who is first else first
                result[other.rank]["caused_wait_ns"] += wait
    for who in (first, second):
        for call in who.calls:
            if id(call) not in matched:
                result[who.rank]["unmatched_ns"] += call["to"] - call["from"]
    return pairs, result


def bandwidth(elements, element_bytes, transfer_ns, factor):
    return Fraction(elements * element_bytes * 10**9, transfer_ns) * Fraction(factor)
