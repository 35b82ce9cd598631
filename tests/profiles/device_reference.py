# SPDX-License-Identifier: Apache-2.0
"""What devices did, computed slowly and exactly from a Kineto file: the reference for the report.

It shares nothing with the product: it reads the JSON itself, holds every time as a whole number of
nanoseconds, and counts between neighbouring boundaries what runs there (the product unites and
intersects sets). Definitions: docs/reference/report.md.
"""

import gzip
import json
import re
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import stream_order

KERNEL_WAIT_NS = 30_000
SMALL_COPY = 64 * 1024
WORK = {
    "kernel": "kernel",
    "gpu_memcpy": "memcpy",
    "memcpy": "memcpy",
    "gpu_memset": "memset",
    "memset": "memset",
}
MTIA = "mtia_ccp_events"
LIBRARIES = ("nccl", "rccl", "hccl", "xccl", "oneccl", "cross_device_reduce")
SYMMETRIC_MEMORY = ("multimem_", "one_shot_all_reduce", "two_shot_all_reduce")


DIRECTIONS = {"HOST_TO_DEVICE": "HtoD", "DEVICE_TO_HOST": "DtoH"}


def kind_of(category, name):
    """Of device work: kernel, memcpy or memset; MTIA's is of one category, also what only waits."""
    if category != MTIA:
        return WORK.get(category)
    if name in ("event_wait", "event_record"):
        return None
    return "memcpy" if name.startswith("dma_") else "kernel"


def ns(value):
    """Microseconds of the file as whole nanoseconds."""
    exact = Decimal(str(value)) * 1000
    whole = int(exact)
    assert whole == exact, f"{value} us is no whole number of ns"
    return whole


class Event:
    def __init__(self, raw, kind):
        args = raw.get("args") or {}
        self.kind = kind
        self.name = raw["name"]
        self.category = raw.get("cat", "")
        self.begin = ns(raw["ts"])
        self.end = self.begin + max(0, ns(raw.get("dur", 0)))
        self.args = args
        self.external = args.get("External id", args.get("external id"))
        self.correlation = args.get("correlation")
        self.thread = (raw.get("pid"), raw.get("tid"))
        self.launch = None

    @property
    def length(self):
        return self.end - self.begin


class Profile:
    """The events of one file that the figures need, launches and device work joined."""

    def __init__(self, path):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8", errors="replace") as file:
            whole = json.load(file, parse_float=Decimal, strict=False)
        events = whole["traceEvents"] if isinstance(whole, dict) else whole
        self.sms = {d["id"]: d.get("numSms") for d in whole.get("deviceProperties", [])}
        self.work, self.runtime, self.host, self.steps = [], [], [], []
        for raw in events:
            if raw.get("ph") == "X":
                self._add(raw)
        self._bound()
        self._join()

    def _bound(self):
        streams = defaultdict(list)
        for event in self.work:
            if event.category != MTIA:
                streams[event.device, event.stream].append(event)
        for events in streams.values():
            works = [stream_order.Work(e.begin, e.end, e.correlation, e.name) for e in events]
            for place, over in stream_order.bounds(works).items():
                events[place].end = over

    def _add(self, raw):
        category = raw.get("cat", "").lower()
        name = raw.get("name", "")
        kind = kind_of(category, name)
        if kind is not None:
            event = Event(raw, kind)
            device = event.args.get("device", raw["pid"])
            stream = event.args.get("stream", str(raw["tid"]).replace("stream ", ""))
            event.device, event.stream = int(device), int(stream)
            low = name.lower()
            communicates = any(x in low for x in LIBRARIES + SYMMETRIC_MEMORY)
            event.communicates = event.kind == "kernel" and communicates
            self.work.append(event)
        elif category.endswith(("runtime", "driver")):
            self.runtime.append(Event(raw, "runtime"))
        elif category in ("cpu_op", "operator", "user_annotation"):
            if name.startswith("ProfilerStep#"):
                step = Event(raw, "step")
                step.number = int(name.split("#")[1].split()[0])
                self.steps.append(step)
            else:
                kind = "annotation" if category == "user_annotation" else "operator"
                self.host.append(Event(raw, kind))
        elif category == "collective_comm" and name.startswith("xccl::"):
            self.host.append(Event(raw, "annotation"))
        elif category not in ("overhead", "trace", "gpu_user_annotation", "cuda_sync", MTIA):
            self.host.append(Event(raw, "other"))

    def _join(self):
        launches = {}
        for call in self.runtime:
            if call.correlation is None:
                continue
            known = launches.get(call.correlation)
            if known is None or call.begin < known.begin:
                launches[call.correlation] = call
        for event in self.work:
            if event.correlation is not None:
                event.launch = launches.get(event.correlation)
        self.work.sort(key=lambda e: e.begin)
        self.steps.sort(key=lambda e: (e.begin, e.number))

    def devices(self):
        by_device = defaultdict(list)
        for event in self.work:
            by_device[event.device].append(event)
        return dict(sorted(by_device.items()))

    # -- steps (torch-tb-profiler's, as docs/reference/report.md gives them) ----------------------
    def adjusted_steps(self):
        """[(number, begin, end)] and how many at the end were dropped."""
        host = [(s.number, s.begin, s.end) for s in self.steps]
        if not host:
            operators = [e for e in self.host if e.kind == "operator"]
            operators = operators or self.host + self.runtime
            if not operators:
                return [], 0
            host = [(0, min(e.begin for e in operators), max(e.end for e in operators))]
        matched = [[] for _ in host]
        for event in self.work:
            call = event.launch
            if call is None:
                continue
            for i, (_, begin, end) in enumerate(host):
                inside = begin <= call.begin and call.end <= end
                if inside and (call.begin < end or call.length == 0):
                    matched[i].append(event)
                    event.matched = True
                    break
        if not any(matched):
            return host, 0
        previous = host[0][1]
        if matched[0]:
            first = min(e.begin for e in matched[0])
            for event in self.work:
                if not getattr(event, "matched", False) and event.end < first:
                    previous = max(previous, event.end)
        steps = []
        for (number, begin, end), events in zip(host, matched):
            begin = max(previous, begin)
            end = max([begin, end] + [e.end for e in events])
            steps.append((number, begin, end))
            previous = end
        keep = len(steps)
        if keep > 1:
            while not matched[keep - 1]:
                keep -= 1
            if keep > 1 and Fraction(8, 10) * len(matched[keep - 2]) > len(matched[keep - 1]):
                keep -= 1
        return steps[:keep], len(steps) - keep


def elementary(events, borders=()):
    """(begin, end, events that run) between neighbouring boundaries."""
    changes = defaultdict(lambda: ([], []))
    for event in events:
        if event.end > event.begin:
            changes[event.begin][0].append(event)
            changes[event.end][1].append(event)
    for border in borders:
        changes[border]
    running = {}
    times = sorted(changes)
    for now, following in zip(times, times[1:] + [None]):
        for event in changes[now][1]:
            del running[id(event)]
        for event in changes[now][0]:
            running[id(event)] = event
        if following is not None:
            yield now, following, list(running.values())


def window(events, begin, end):
    """The nine times of one device between two moments."""
    sums = defaultdict(int)
    for low, high, running in elementary(events, (begin, end)):
        length = min(high, end) - max(low, begin)
        if length <= 0 or not running:
            continue
        compute = any(e.kind == "kernel" and not e.communicates for e in running)
        communication = any(e.communicates for e in running)
        memory = any(e.kind != "kernel" for e in running)
        sums["busy_ns"] += length
        sums["compute_ns"] += length * compute
        sums["communication_ns"] += length * communication
        sums["memory_ns"] += length * memory
        sums["overlap_ns"] += length * (compute and communication)
        sums["exposed_communication_ns"] += length * (communication and not compute)
        sums["exposed_memory_ns"] += length * (memory and not compute and not communication)
    names = ("busy_ns", "compute_ns", "communication_ns", "memory_ns", "overlap_ns")
    result = {name: sums[name] for name in names}
    for name in ("exposed_communication_ns", "exposed_memory_ns"):
        result[name] = sums[name]
    result["span_ns"] = end - begin
    result["idle_ns"] = result["span_ns"] - result["busy_ns"]
    return result


def whole_window(events):
    return window(events, min(e.begin for e in events), max(e.end for e in events))


def roles(profile, steps):
    """Torch-tb-profiler's eight of each step; collectives are known by name or external id."""
    collectives = set()
    everything = list(profile.work) + list(profile.runtime)
    for event in profile.host:
        if event.kind == "other":
            continue
        if event.name.startswith(("nccl:", "gloo:", "xccl::")):
            event.role = 3
            if event.external is not None:
                collectives.add(event.external)
        elif event.name.startswith("enumerate(DataPipe)#") or (
            event.name.startswith("enumerate(DataLoader)#") and event.name.endswith(".__next__")
        ):
            event.role = 5
        else:
            event.role = 6
        everything.append(event)
    for event in profile.runtime:
        event.role = 4
    for event in profile.work:
        event.role = {"memcpy": 1, "memset": 2}.get(event.kind, 0)
        if event.kind == "kernel" and (event.communicates or event.external in collectives):
            event.role = 3
    names = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu", "other")
    rows = [dict.fromkeys([f"{n}_ns" for n in names], 0) for _ in steps]
    borders = [moment for _, begin, end in steps for moment in (begin, end)]
    at = 0
    for low, high, running in elementary(everything, borders):
        while at < len(steps) and steps[at][2] <= low:
            at += 1
        if at == len(steps) or not steps[at][1] <= low:
            continue
        role = min((e.role for e in running), default=7)
        rows[at][f"{names[role]}_ns"] += high - low
    for (number, begin, end), row in zip(steps, rows):
        row["step"], row["total_ns"] = number, end - begin
    return rows


def idle_causes(events):
    causes = {"host_ns": 0, "kernel_wait_ns": 0, "other_ns": 0}
    end = None
    for event in events:
        if end is not None and event.begin > end:
            pause = event.begin - end
            if event.launch is not None and event.launch.begin > end:
                causes["host_ns"] += pause
            elif pause < KERNEL_WAIT_NS:
                causes["kernel_wait_ns"] += pause
            else:
                causes["other_ns"] += pause
        end = event.end if end is None else max(end, event.end)
    return causes


def streams(events):
    by_stream = defaultdict(list)
    for event in events:
        by_stream[event.stream].append(event)
    result = {}
    for stream, own in by_stream.items():
        beside, beside_ns, end = 0, 0, own[0].begin
        for event in own:
            if event.begin < end:
                beside += 1
                beside_ns += min(end, event.end) - event.begin
            end = max(end, event.end)
        queue, seen = [], set()
        for event in own:
            if event.launch is not None and id(event.launch) not in seen:
                seen.add(id(event.launch))
                queue.append((event.launch.begin, event.begin))
        result[stream] = {
            "events": len(own),
            "busy_ns": sum(high - low for low, high, running in elementary(own) if running),
            "idle": idle_causes(own),
            "overlapping_events": beside,
            "overlapping_ns": beside_ns,
            "queue_sum_ns": sum(max(0, began - called) for called, began in queue),
        }
    return result


def launches(events):
    """call -> calls, time in them, device events, short work; delays in ns, sorted."""
    calls = {}
    for event in events:
        if event.launch is not None:
            calls.setdefault(id(event.launch), (event.launch, []))[1].append(event)
    result = {}
    for call, work in calls.values():
        entry = result.setdefault(
            call.name, {"calls": 0, "sum": 0, "device_events": 0, "short_work": 0, "delays": []}
        )
        entry["calls"] += 1
        entry["sum"] += call.length
        entry["device_events"] += len(work)
        entry["short_work"] += sum(e.length for e in work) < call.length
        entry["delays"].append(max(0, min(e.begin for e in work) - call.end))
    return result


def copies(events):
    by_kind = defaultdict(list)
    for event in events:
        if event.kind == "kernel":
            continue
        kind = "Memset" if event.kind == "memset" else None
        for short, long in (("HtoD", "HostToDevice"), ("DtoH", "DeviceToHost")):
            if kind is None and (short in event.name or long in event.name):
                kind = short
        for short, long in (("DtoD", "DeviceToDevice"), ("PtoP", "PeerToPeer")):
            if kind is None and (short in event.name or long in event.name):
                kind = short
        intel = re.match(r"Memcpy ([MHD])2([MHD]) ", event.name)
        if kind is None and intel:
            kind = "to".join("D" if side == "D" else "H" for side in intel.groups())
        kind = kind or DIRECTIONS.get(event.args.get("direction"))
        by_kind[kind or event.name].append(event)
    result = {}
    for kind, own in by_kind.items():
        sizes = [int(e.args.get("bytes", e.args.get("size", -1))) for e in own]
        sizes = [size for size in sizes if size >= 0]
        result[kind] = {
            "count": len(own),
            "bytes": sum(sizes) if sizes else None,
            "small_count": sum(size < SMALL_COPY for size in sizes),
            "sum_ns": sum(e.length for e in own),
            "busy_ns": sum(high - low for low, high, running in elementary(own) if running),
        }
    return result


def kernel_busy(events, begin, end):
    kernels = [e for e in events if e.kind == "kernel"]
    total = 0
    for low, high, running in elementary(kernels, (begin, end)):
        if running:
            total += max(0, min(high, end) - max(low, begin))
    return total


def sm_efficiency(events, begin, end, sms):
    """Fraction, or None where no kernel tells its blocks."""
    kernels, told = [e for e in events if e.kind == "kernel"], False
    for event in kernels:
        blocks = event.args.get("blocks per SM") or None  # 0: not known
        if blocks is None and sms:
            grid = event.args.get("grid") or (event.launch and event.launch.args.get("grid"))
            if grid:
                blocks = Fraction(grid[0] * grid[1] * grid[2], sms)
        event.blocks = None if blocks is None else Fraction(blocks)
    kernels = [e for e in kernels if e.blocks is not None]
    total = Fraction(0)
    for low, high, running in elementary(kernels, (begin, end)):
        length = min(high, end) - max(low, begin)
        if length > 0 and running:
            told = True
            total += length * min(Fraction(1), sum(e.blocks for e in running))
    return total / (end - begin) if told and end > begin else None


def occupancy(events, begin, end):
    total, whole = Fraction(0), 0
    for event in events:
        value = event.args.get("est. achieved occupancy %") or None  # 0: not known
        length = min(event.end, end) - max(event.begin, begin)
        if event.kind == "kernel" and value is not None and length > 0:
            total += Fraction(value) / 100 * length
            whole += length
    return total / whole if whole else None
