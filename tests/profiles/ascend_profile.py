# SPDX-License-Identifier: Apache-2.0
"""Makes a small profile as Ascend's profiler for PyTorch writes it, and tells what is true of it.

The truth is computed from the JSON alone, moment by moment: it shares nothing with the product.
"""

import json
from decimal import ROUND_HALF_UP, Decimal

START_US = 1_736_405_443_000_000
COMPUTES = ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIV", "MIX_AIC", "AI_CPU", "DSA_SQE")
NUMBER = "4294967295"


def line(pid, layer, device):
    """msprof's number for a line of a process."""
    return pid << 10 | layer << 5 | device


def us(ns):
    """Times are texts there."""
    return f"{START_US + ns // 1000}.{ns % 1000:03d}"


def dur(ns):
    return float(Decimal(ns) / 1000)


class Profile:
    """Times in ns since the profile's begin."""

    def __init__(self, rank):
        self.rank = rank
        self.pid = 4300 + rank
        self.launcher = self.pid + 50
        self.host, self.named, self.device, self.flows = [], [], [], []
        self.launches = 0
        self.names()

    def names(self):
        def name(pid, text, tid=0, what="process_name"):
            self.named.append(
                {"name": what, "ph": "M", "pid": pid, "tid": tid, "args": {"name": text}}
            )

        name(self.pid, "Python")
        self.hardware = line(self.pid, 13, self.rank)
        self.hccl = line(self.pid, 15, self.rank)
        self.cann = line(self.pid, 7, self.rank)
        self.figures = line(self.pid, 23, self.rank)
        name(self.hardware, "Ascend Hardware")
        for stream in (2, 4):
            name(self.hardware, f"Stream {stream}", stream, "thread_name")
        name(self.hccl, "HCCL")
        name(self.hccl, "Group 0 Communication", 0, "thread_name")
        name(self.hccl, "Plane 0", 1, "thread_name")
        name(self.figures, "Overlap Analysis")

    def step(self, number, begin, end):
        self.operator(f"ProfilerStep#{number}", begin, end)

    def operator(self, name, begin, end):
        self.host.append(
            {
                "ph": "X",
                "name": name,
                "pid": self.pid,
                "tid": self.pid,
                "ts": us(begin),
                "dur": dur(end - begin),
                "cat": "cpu_op",
                "args": {"Sequence number": -1, "Fwd thread id": 0},
            }
        )

    def launch(self, name, at, launched):
        """Left to the launcher's thread within an operator at one moment, launched at another."""
        self.launches += 1
        for cat, text, tid, ts in (
            ("enqueue", "Enqueue", self.pid, at),
            ("dequeue", f"Dequeue@{name}", self.launcher, launched - 100),
        ):
            self.host.append(
                {
                    "ph": "X",
                    "name": text,
                    "pid": self.pid,
                    "tid": tid,
                    "ts": us(ts),
                    "dur": dur(500),
                    "cat": cat,
                    "args": {"correlation_id": self.launches},
                }
            )
        flow = {
            "name": f"HostToDevice{self.launches}",
            "cat": "HostToDevice",
            "id": str(self.launches << 32 | 0xFFFFFFFF),
        }
        self.device.append(
            {**flow, "ph": "s", "pid": self.cann, "tid": self.launcher, "ts": us(launched)}
        )
        return flow

    def task(self, name, kind, stream, begin, end, flow=None):
        self.row(
            name,
            self.hardware,
            stream,
            begin,
            end,
            {
                "Model Id": int(NUMBER),
                "Task Type": kind,
                "Physic Stream Id": stream,
                "Task Id": len(self.device),
                "Batch Id": 0,
                "Subtask Id": int(NUMBER),
                "connection_id": self.launches,
            },
            flow,
        )

    def collective(self, name, begin, end, count, flow):
        args = {"connection_id": self.launches, "data_type": "FP32", "count": count}
        self.row(name, self.hccl, 0, begin, end, args, flow)

    def row(self, name, pid, tid, begin, end, args, flow=None):
        place = {"pid": pid, "tid": tid, "ts": us(begin)}
        self.device.append(
            {"name": name, **place, "dur": dur(end - begin), "args": args, "ph": "X"}
        )
        if flow is None:
            return
        self.device.append({**flow, **place, "ph": "f", "bp": "e"})
        ends = {"ph": "f", "bp": "e", "name": "torch_to_npu", "id": int(begin), "cat": "async_npu"}
        self.flows.append({**ends, **place})

    def figure(self, name, begin, end):
        self.device.append(
            {
                "name": name,
                "pid": self.figures,
                "tid": 0,
                "ts": us(begin),
                "dur": dur(end - begin),
                "ph": "X",
            }
        )

    def events(self):
        return [*self.host, *self.named, *self.device, *self.flows]

    def write(self, folder):
        path = folder / f"rank{self.rank}_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(self.events()))
        return path


def made(rank, late_ns=0):
    """Two steps of 1 ms: compute, a collective that compute overlaps in part, its tasks beside it.
    The rank comes late to the collective by so much."""
    profile = Profile(rank)
    for step in range(2):
        at = step * 1_000_000
        profile.step(50 + step, at, at + 1_000_000)
        profile.operator("aten::copy_", at + 5_000, at + 30_000)
        copied = profile.launch("acl_memcpy_host_to_device", at + 10_000, at + 20_000)
        profile.task("MEMCPY_ASYNC", "PCIE_DMA_SQE", 2, at + 40_000, at + 60_000, copied)
        profile.operator("aten::mm", at + 100_000, at + 150_000)
        multiplied = profile.launch("aclnnMm", at + 110_000, at + 130_000)
        profile.task(
            "aclnnMm_MatMulCommon_MatMulV2", "AI_CORE", 2, at + 200_000, at + 400_000, multiplied
        )
        begin = at + 300_000 + late_ns
        profile.operator("c10d::allreduce_", at + 160_000, at + 250_000)
        reduced = profile.launch("HcclAllreduce", at + 170_000, at + 180_000)
        profile.collective(f"hcom_allReduce__868_{step}_1", begin, at + 700_000, 250_000, reduced)
        profile.task("EVENT_WAIT", "EVENT_WAIT_SQE", 2, at + 400_000, at + 700_000)
        profile.task("Notify Wait", "Notify Wait", 4, begin, at + 500_000)
        profile.task("SDMA", "SDMA", 4, at + 500_000, at + 700_000)
        profile.operator("aten::add_", at + 710_000, at + 730_000)
        added = profile.launch("aclnnInplaceAdd", at + 712_000, at + 720_000)
        profile.task("aclnnInplaceAdd_Add", "MIX_AIV", 2, at + 740_123, at + 760_456, added)
        profile.figure("Computing", at + 200_000, at + 400_000)
        profile.figure("Communication", begin, at + 700_000)
    return profile


def truth(events):
    """Compute, exposed communication and both at once, in ns, by going from boundary to boundary."""
    processes = {
        e["pid"]: e["args"]["name"]
        for e in events
        if e["ph"] == "M" and e["name"] == "process_name"
    }

    def ns(us):
        return int((Decimal(str(us)) * 1000).quantize(Decimal(1), ROUND_HALF_UP))

    def span(event):
        begin = ns(event["ts"])
        return begin, begin + ns(event["dur"])

    computes, communicates = [], []
    for event in events:
        if event["ph"] != "X":
            continue
        process = processes.get(event["pid"])
        if process == "Ascend Hardware" and event["args"]["Task Type"] in COMPUTES:
            computes.append(span(event))
        if process == "HCCL" and event["name"].startswith("hcom_"):
            communicates.append(span(event))
    borders = sorted({border for span in computes + communicates for border in span})
    sums = {"compute_ns": 0, "exposed_ns": 0, "overlap_ns": 0}
    for begin, end in zip(borders, borders[1:]):
        runs = [any(a <= begin < b for a, b in spans) for spans in (computes, communicates)]
        sums["compute_ns"] += (end - begin) * runs[0]
        sums["exposed_ns"] += (end - begin) * (runs[1] and not runs[0])
        sums["overlap_ns"] += (end - begin) * (runs[0] and runs[1])
    return sums
