# SPDX-License-Identifier: Apache-2.0
"""Operators, kernels, memory and modules of a Kineto file, computed slowly and exactly: the
reference for the report. It shares nothing with the product: it reads the JSON itself, and all
times are whole nanoseconds. Definitions: docs/reference/operators.md.
"""

import gzip
import json
import math
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

CATEGORIES = {
    "Operator": "cpu_op",
    "Runtime": "cuda_runtime",
    "Kernel": "kernel",
    "Memcpy": "gpu_memcpy",
    "Memset": "gpu_memset",
}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync", "gpu_user_annotation"}
WORK = {"kernel", "gpu_memcpy", "gpu_memset"}
NODES = {"cpu_op", "user_annotation"}
OCCUPANCY = "est. achieved occupancy %"


def ns(value):
    exact = Decimal(value) * 1000
    whole = int(exact)
    assert whole == exact, value
    return whole


class Event:
    """A time range on a thread or a stream."""

    def __init__(self, raw):
        self.name = raw["name"]
        self.category = CATEGORIES.get(raw.get("cat"), raw.get("cat"))
        if self.category == "cpu_op" and self.name.startswith("ProfilerStep#"):
            self.category = "user_annotation"
        if self.category == "mtia_ccp_events":
            copies, waits = self.name.startswith("dma_"), self.name.startswith("event_")
            self.category = "gpu_memcpy" if copies else "cuda_sync" if waits else "kernel"
        self.begin = ns(raw["ts"])
        self.duration = max(0, ns(raw["dur"]))
        self.end = self.begin + self.duration
        self.lane = (str(raw["pid"]), str(raw["tid"]))
        self.args = raw.get("args") or {}
        external = self.args.get("External id", self.args.get("external id"))
        self.external = None if external is None else int(external)
        self.parent = None
        self.children = []
        self.launched = []  # device work
        self.operator = None
        self.call = self

    def is_runtime(self):
        return self.category.endswith(("_runtime", "_driver"))

    def holds(self, other):
        if other.end > self.end:
            return False
        return other.begin < self.end or (other.begin == self.end and other.duration == 0)

    def above(self):
        while (self := self.parent) is not None:
            yield self

    def below(self):
        for child in self.children:
            yield child
            yield from child.below()


class Profile:
    def __init__(self, path):
        opener = gzip.open if str(path).endswith(".gz") else open
        with opener(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
        document = json.loads(text, parse_float=Decimal, strict=False)
        self.sms = {d["id"]: d.get("numSms") for d in document.get("deviceProperties", [])}
        self.host, self.device, self.memory = [], [], []
        self.flows = {"s": {}, "f": {}}
        last = None
        for raw in document["traceEvents"]:
            phase = raw.get("ph")
            if phase == "X" and raw.get("cat") not in (None, "Trace"):
                last = Event(raw)
                (self.device if last.category in DEVICE else self.host).append(last)
            elif raw.get("name") == "[memory]":
                self.memory.append(raw)
            elif phase in ("s", "f") and raw.get("cat") == "fwdbwd":
                self.flows[phase][raw["id"]] = (raw, last)
        self.lanes = defaultdict(list)
        for event in self.host:
            self.lanes[event.lane].append(event)
        for events in self.lanes.values():
            nest(events)
        self.steps = sorted(
            (e for e in self.host if e.name.startswith("ProfilerStep#")), key=lambda e: e.begin
        )
        self.link()
        self.join_calls()

    def link(self):
        launches, operators = {}, {}
        for event in self.host:
            if event.is_runtime() and "correlation" in event.args:
                known = launches.setdefault(event.args["correlation"], event)
                if event.begin < known.begin:
                    launches[event.args["correlation"]] = event
            if event.category in NODES and event not in self.steps and event.external is not None:
                known = operators.setdefault(event.external, event)
                if event.begin < known.begin:
                    operators[event.external] = event
        for event in self.host:
            if not event.is_runtime():
                continue
            named = operators.get(event.external)
            if named is None or not runs_around(named, event):
                named = next((e for e in event.above() if e.category == "cpu_op"), None)
            event.operator = named
        for event in self.device:
            event.launch = launches.get(event.args.get("correlation"))
            if event.launch is not None:
                event.operator = event.launch.operator
            if event.operator is None:
                named = operators.get(event.external)
                if event.launch is None or (named and runs_around(named, event.launch)):
                    event.operator = named

    def join_calls(self):
        """A call whose only nested node is an operator of its own name is one with it."""
        for events in self.lanes.values():
            for event in events:
                if event.category != "cpu_op":
                    continue
                outer = next((e for e in event.above() if e.category in NODES), None)
                if outer is None or outer.category != "cpu_op" or outer.name != event.name:
                    continue
                if sum(1 for _ in nodes_in(outer)) == 1:
                    event.call = outer.call
        for event in self.device:
            if event.category not in WORK:
                continue
            launcher = event.operator or event.launch
            if launcher is not None:
                launcher.call.launched.append(event)


def runs_around(operator, event):
    """Whether an external id can be meant: some profiles number runtime calls otherwise."""
    return operator.lane == event.lane and operator.begin <= event.begin <= operator.end


def nest(events):
    events.sort(key=lambda e: (e.begin, -e.duration))
    around = []
    for event in events:
        while around and not around[-1].holds(event):
            around.pop()
        if around:
            event.parent = around[-1]
            event.parent.children.append(event)
        around.append(event)


def nodes_in(event):
    """Operators and annotations directly in an event: through all that is neither."""
    for child in event.children:
        if child.category in NODES:
            yield child
        else:
            yield from nodes_in(child)


def cutters(event):
    """What takes time from an event: nested calls and runtime calls, through all else."""
    for child in event.children:
        if child.is_runtime() or (child.category in NODES and child.call is child):
            yield child
        else:
            yield from cutters(child)


def union(stretches):
    total, until = 0, None
    for begin, end in sorted(stretches):
        if until is None or begin > until:
            until = begin
        total += max(0, end - until)
        until = max(until, end)
    return total


def is_listed(event):
    return (
        event.category == "cpu_op"
        and event.call is event
        and event.name not in ("DataParallel.forward", "DistributedDataParallel.forward")
        and not event.name.startswith("Optimizer.")
    )


def device_work(event):
    """All that an event or what nests in it launched."""
    yield from event.launched
    for inner in event.below():
        yield from inner.launched


def duration(events):
    return sum(e.duration for e in events)


def operators(profile):
    """name -> sums, with those by input shape and call stack."""
    rows = {}
    for event in profile.host:
        if not is_listed(event):
            continue
        kernels = [e for e in device_work(event) if e.category == "kernel"]
        sums = {
            "calls": 1,
            "host_total_ns": event.duration,
            "host_self_ns": event.duration - union((e.begin, e.end) for e in cutters(event)),
            "device_total_ns": duration(device_work(event)),
            "device_self_ns": duration(event.launched),
            "kernel_total_ns": duration(kernels),
            "kernel_self_ns": duration(e for e in event.launched if e.category == "kernel"),
        }
        row = rows.setdefault(event.name, {"sums": defaultdict(int), "shapes": {}, "stacks": {}})
        groups = [row["sums"]]
        if "Input Dims" in event.args:
            key = json.dumps(event.args["Input Dims"])
            groups.append(row["shapes"].setdefault(key, defaultdict(int)))
        if "Call stack" in event.args:
            key = tuple(frame for frame in event.args["Call stack"].split(";") if frame)
            groups.append(row["stacks"].setdefault(key, defaultdict(int)))
        for group in groups:
            for name, value in sums.items():
                group[name] += value
    return rows


def outside(profile):
    """Device work under no listed operator's own."""
    own = sum(duration(e.launched) for e in profile.host if is_listed(e))
    return duration(e for e in profile.device if e.category in WORK) - own


def weighted(kernels, figure):
    carriers = [(figure(e), e.duration) for e in kernels if figure(e) is not None]
    whole = sum(time for _, time in carriers)
    if whole == 0:
        return None
    return float(sum(value * time for value, time in carriers) / whole)


def occupancy(event):
    told = event.args.get(OCCUPANCY)
    return Fraction(told) if told else None  # 0: not known


def blocks_per_sm(event, sms):
    """As told, else the grid (of the kernel, or of its launch) over the device's multiprocessors."""
    if event.args.get("blocks per SM"):
        return Fraction(event.args["blocks per SM"])
    told = event.args if "grid" in event.args or event.launch is None else event.launch.args
    count = sms.get(int(event.args.get("device", -1)))  # MTIA tells none
    return Fraction(math.prod(told["grid"]), count) if "grid" in told and count else None


def kernel_sums(kernels, sms):
    times = [e.duration for e in kernels]
    return {
        "calls": len(times),
        "total_ns": sum(times),
        "mean_ns": (sum(times) + len(times) // 2) // len(times),
        "max_ns": max(times),
        "min_ns": min(times),
        "blocks_per_sm": weighted(kernels, lambda event: blocks_per_sm(event, sms)),
        "calls_without_blocks_per_sm": sum(blocks_per_sm(e, sms) is None for e in kernels),
        "occupancy_percent": weighted(kernels, occupancy),
        "calls_without_occupancy": sum(occupancy(e) is None for e in kernels),
    }


def launch_key(event):
    args = event.args
    told = args
    if "grid" not in args and event.launch is not None:
        told = event.launch.args
    return (
        event.operator.call.name if event.operator else None,
        json.dumps(told.get("grid")),
        json.dumps(told.get("block")),
        args.get("registers per thread"),
        args.get("shared memory", told.get("shared memory")),
    )


def kernels(profile):
    """name -> (sums, {launch key: sums}, {stream: (calls, ns)})"""
    by_name = defaultdict(list)
    for event in profile.device:
        if event.category == "kernel":
            by_name[event.name].append(event)
    rows = {}
    for name, events in by_name.items():
        launches, streams = defaultdict(list), defaultdict(list)
        for event in events:
            launches[launch_key(event)].append(event)
            streams[int(event.args["stream"])].append(event)
        rows[name] = (
            kernel_sums(events, profile.sms),
            {key: kernel_sums(group, profile.sms) for key, group in launches.items()},
            {key: (len(group), duration(group)) for key, group in streams.items()},
        )
    return rows


class Record:
    def __init__(self, raw, profile):
        args = raw["args"]
        self.ns = ns(raw["ts"])
        self.bytes = int(args["Bytes"])
        self.device = -1 if int(args["Device Type"]) == 0 else int(args["Device Id"])
        self.address = int(args.get("Addr", 0))
        self.total = args.get("Total Allocated")
        self.reserved = args.get("Total Reserved", 0)
        lane = profile.lanes.get((str(raw["pid"]), str(raw["tid"])), [])
        before = None
        low, high = 0, len(lane)
        while low < high:  # the last event that began by then
            middle = (low + high) // 2
            low, high = (middle + 1, high) if lane[middle].begin <= self.ns else (low, middle)
        before = lane[low - 1] if low else None
        around = [] if before is None else [before, *before.above()]
        self.calls = []  # listed calls around the record, innermost first
        found = False
        for event in around:
            holds = event.begin <= self.ns and (self.ns < event.end or self.ns == event.begin)
            if found or (event.category == "cpu_op" and is_listed(event.call) and holds):
                found = True
                if is_listed(event.call) and event.call not in self.calls:
                    self.calls.append(event.call)


def memory(profile):
    """device -> what the report's memory.devices[] says of it."""
    devices = defaultdict(list)
    for raw in sorted(profile.memory, key=lambda raw: ns(raw["ts"])):
        record = Record(raw, profile)
        devices[record.device].append(record)
    return {device: memory_of(records) for device, records in devices.items()}


def memory_of(records):
    rows = defaultdict(lambda: defaultdict(int))
    calls = defaultdict(set)
    for record in records:
        allocated = max(0, record.bytes)
        inner = record.calls[0].name if record.calls else None
        rows[inner]["self_size_increase_bytes"] += record.bytes
        rows[inner]["self_allocated_bytes"] += allocated
        rows[inner]["self_allocations"] += record.bytes > 0
        for call in record.calls or [None]:
            name = call.name if call else None
            rows[name]["size_increase_bytes"] += record.bytes
            rows[name]["allocated_bytes"] += allocated
            rows[name]["allocations"] += record.bytes > 0
            if call:
                calls[name].add(id(call))
    for name, seen in calls.items():
        rows[name]["calls"] = len(seen)
    level, curve = 0, []
    for record in records:
        level = int(record.total) if record.total is not None else level + record.bytes
        curve.append((record.ns, level))
    peak = max(level for _, level in curve)
    live, pairs, reused = {}, [], 0
    for record in records:
        if record.address == 0 or record.bytes == 0:
            continue
        if record.bytes > 0:
            reused += record.address in live
            live[record.address] = [record, None]
            pairs.append(live[record.address])
        elif record.address in live:
            live.pop(record.address)[1] = record
        else:
            pairs.append([None, record])
    return {
        "records": len(records),
        "without_address": sum(record.address == 0 for record in records),
        "operators": rows,
        "curve": curve,
        "peak": (next(at for at, level in curve if level == peak), peak),
        "peak_reserved": max(int(record.reserved) for record in records),
        "paired": sum(a is not None and r is not None for a, r in pairs),
        "reused": reused,
        "unreleased": sum(r is None for _, r in pairs) - reused,
        "released_only": sum(a is None for a, _ in pairs),
    }


ALLOCATOR = ("Malloc", "Free", "HostAlloc", "FreeHost", "HostMalloc", "HostFree", "MallocManaged")


def allocator(profile):
    rows = defaultdict(lambda: [0, 0, 0])
    for event in profile.host:
        if event.is_runtime() and event.name.removeprefix("cuda").removeprefix("hip") in ALLOCATOR:
            row = rows[event.name]
            row[0] += 1
            row[1] += event.duration
            row[2] = max(row[2], event.duration)
    return dict(rows)


MODULE = "nn.Module: "


def module_of(event):
    """The innermost module range around an event."""
    return next((e for e in event.above() if is_module(e)), None)


def is_module(event):
    return event.category == "python_function" and event.name.startswith(MODULE)


def module_path(event):
    chain = [e for e in (event, *event.above()) if is_module(e)]
    names = []
    for module in reversed(chain):
        name = module.name[len(MODULE) :]
        number = module.args.get("Python module id")
        suffix = "" if number is None else f"_{number}"
        names.append(name if name.endswith(suffix) else name + suffix)
    return tuple(names)


def modules(profile):
    """path -> sums of the ranges of modules."""
    rows = defaultdict(lambda: defaultdict(int))
    for event in profile.host:
        if is_module(event):
            row = rows[module_path(event)]
            inner = [e for e in event.below() if is_module(e) and module_of(e) is event]
            work = duration(device_work(event))
            row["occurrences"] += 1
            row["host_total_ns"] += event.duration
            row["host_self_ns"] += event.duration - union((e.begin, e.end) for e in inner)
            row["device_total_ns"] += work
            row["device_self_ns"] += work - sum(duration(device_work(e)) for e in inner)
        elif event.category == "cpu_op":
            around = [e for e in event.above() if is_module(e) or e.category == "cpu_op"]
            if around and is_module(around[0]):
                rows[module_path(around[0])]["operators"] += 1
    return rows


def flow_end(profile, raw, last):
    """The event that a flow's end stands for: the one written before it, else the innermost."""
    lane, at = (str(raw["pid"]), str(raw["tid"])), ns(raw["ts"])
    if last is not None and last.lane == lane and last.begin == at:
        return last
    holding = [e for e in profile.lanes.get(lane, []) if e.begin <= at <= e.end]
    return holding[-1] if holding else None


def backward(profile):
    """path -> sums of the backward operators to which flows from the module's operators lead."""
    ends = {}
    for flow, (raw, last) in profile.flows["s"].items():
        if flow in profile.flows["f"]:
            source = flow_end(profile, raw, last)
            target = flow_end(profile, *profile.flows["f"][flow])
            if source is not None and target is not None:
                ends[id(target)] = (source, target)
    chosen = {}
    for source, target in ends.values():
        engine = target.parent
        if engine is not None and engine.name == (
            "autograd::engine::evaluate_function: " + target.name
        ):
            target = engine
        module = source if is_module(source) else module_of(source)
        if module is not None:
            chosen.setdefault(id(target), (module_path(module), target))
    rows = defaultdict(lambda: defaultdict(int))
    for path, target in chosen.values():
        if any(id(e) in chosen for e in target.above()):
            continue
        rows[path]["operators"] += 1
        rows[path]["host_self_ns"] += target.duration
        rows[path]["device_self_ns"] += duration(device_work(target))
    return rows
