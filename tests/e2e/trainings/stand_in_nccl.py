# SPDX-License-Identifier: Apache-2.0
"""A stand-in for NCCL, as far as its profiler plugin sees it: loads the library that
NCCL_PROFILER_PLUGIN names, takes the newest version that both know, and calls it as NCCL does: starts and
stops of collectives on the application's thread, of proxy operations and kernel channels on a proxy
thread of its own, with descriptors as each version lays them out (github:NVIDIA/nccl,
plugins/profiler/example/nccl).
"""

import ctypes as c
import os
import queue
import threading

COLLECTIVE, TRANSFER, PROXY_OP, PROXY_STEP, KERNEL_CHANNEL = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 6
KERNEL_CHANNEL_STOP = 22
SEND_STATES = {"device": 8, "peer": 20, "network": 9}  # the second since version 4
P, INT, U8, U64, SIZE, TEXT = c.c_void_p, c.c_int, c.c_uint8, c.c_uint64, c.c_size_t, c.c_char_p

FUNCTIONS = ["Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce", "SendRecv"]
FUNCTIONS += ["Send", "Recv"]
FLOAT32 = {"v1": 7, "later": b"ncclFloat32"}


def _of(version):
    """(collective, transfer, kernel channel) fields of a version's descriptor."""
    word = U8 if version == 1 else TEXT
    named = [("name", TEXT), ("comm", U64)] if version <= 3 else []
    collective = [*named, ("seq", U64), ("func", word), ("send", P), ("recv", P), ("count", SIZE)]
    collective += [("root", INT), ("datatype", word)]
    if version == 1:
        collective += [("op", c.c_uint32)]
    if version <= 2:
        collective += [("traffic", SIZE)]
    collective += [("channels", U8), ("warps", U8), ("algo", word), ("proto", word)]
    if version == 1:
        collective += [("collnet", INT), ("nvls", INT)]
    transfer = [*named, ("func", word), ("buff", P), ("datatype", word), ("count", SIZE)]
    transfer += [("peer", INT)]
    if version >= 4:
        transfer += [("channels", U8)]
    if version >= 5:
        collective += [("group", P)]
        transfer += [("group", P)]
    channel = [("id", U8)] if version == 3 else [("id", U8), ("timer", U64)]
    return collective, transfer, channel


def _struct(name, fields):
    return type(name, (c.Structure,), {"_fields_": fields})


class Version:
    """The structures of one version."""

    def __init__(self, number):
        self.number = number
        collective, transfer, channel = _of(number)
        proxy = [
            ("pid", INT),
            ("channel", U8),
            ("peer", INT),
            ("steps", INT),
            ("chunk", INT),
            ("sends", INT),
        ]
        kinds = [
            ("coll", _struct("Collective", collective)),
            ("p2p", _struct("Transfer", transfer)),
            ("proxy", _struct("ProxyOp", proxy)),
            ("step", _struct("ProxyStep", [("step", INT)])),
        ]
        if number >= 3:
            kinds.append(("channel", _struct("Channel", channel)))
        if number >= 6:  # copy-engine events: the largest member
            kinds.append(("ce", c.c_uint8 * 112))
        body = type("Body", (c.Union,), {"_fields_": kinds})
        kind = U8 if number < 5 else U64
        fields = [("type", kind), ("parent", P), ("rank", INT), ("of", body)]
        self.descriptor = _struct("Descriptor", fields)
        told = [c.POINTER(P), c.POINTER(INT)]
        if number == 4:
            told += [TEXT, U64, INT, INT, INT, P]
        if number >= 5:
            told = [c.POINTER(P), U64, c.POINTER(INT), TEXT, INT, INT, INT, P]
        self.init = c.CFUNCTYPE(INT, *told)
        self.profiler = _struct(
            "Profiler",
            [
                ("name", TEXT),
                ("init", self.init),
                ("start", c.CFUNCTYPE(INT, P, c.POINTER(P), c.POINTER(self.descriptor))),
                ("stop", c.CFUNCTYPE(INT, P)),
                ("state", c.CFUNCTYPE(INT, P, INT, P)),
                ("finalize", c.CFUNCTYPE(INT, P)),
            ],
        )

    def word(self, text, numbers):
        return numbers.index(text) if self.number == 1 else text.encode()


class Proxy(threading.Thread):
    """NCCL's proxy thread: does what it is given, in order."""

    def __init__(self):
        super().__init__(name="NCCL proxy", daemon=True)
        self._work = queue.Queue()
        self.start()

    def run(self):
        while (work := self._work.get()) is not None:
            work()

    def do(self, work):
        done = threading.Event()
        self._work.put(lambda: (work(), done.set()))
        done.wait()

    def end(self):
        self._work.put(None)
        self.join()


class Communicator:
    """One communicator of one rank, profiled by the plugin where there is one."""

    def __init__(self, comm_hash, ranks, rank, newest=6, name=b"stand-in"):
        self.hash, self.ranks, self.rank, self.name = comm_hash, ranks, rank, name
        self.sequence = dict.fromkeys(FUNCTIONS, 0)
        self.proxy = Proxy()
        self._mask = INT(0)  # NCCL's word: the plugin may change it at any time
        self.task_mask = 0
        path = os.environ.get("NCCL_PROFILER_PLUGIN")
        if not path:
            return
        library = c.CDLL(path)
        self.version = Version(newest)
        self.plugin = self.version.profiler.in_dll(library, f"ncclProfiler_v{newest}")
        context, mask = P(), self._mask
        if newest <= 3:
            error = self.plugin.init(context, mask)
        elif newest == 4:
            error = self.plugin.init(context, mask, name, comm_hash, 1, ranks, rank, None)
        else:
            error = self.plugin.init(context, comm_hash, mask, name, 1, ranks, rank, None)
        assert error == 0
        self.context = context

    @property
    def mask(self):
        return self._mask.value

    def start(self, kind, parent=None, **fields):
        if kind in (COLLECTIVE, TRANSFER):
            self.task_mask = self.mask  # what is under way keeps what it began with
        if not self.task_mask & kind:
            return None
        names = {COLLECTIVE: "coll", TRANSFER: "p2p", PROXY_OP: "proxy", KERNEL_CHANNEL: "channel"}
        names[PROXY_STEP] = "step"
        descriptor = self.version.descriptor()
        descriptor.type, descriptor.parent, descriptor.rank = kind, parent, self.rank
        member = getattr(descriptor.of, names[kind])
        known = {field for field, _ in member._fields_}
        fields.update(name=self.name, comm=self.hash)
        for field, value in fields.items():
            if field in known:
                setattr(member, field, value)
        handle = P()
        assert self.plugin.start(self.context, handle, descriptor) == 0
        return handle

    def stop(self, handle):
        if handle is not None:
            assert self.plugin.stop(handle) == 0

    def _words(self, function):
        version = self.version
        return {
            "func": version.word(function, FUNCTIONS),
            "datatype": FLOAT32["v1"] if version.number == 1 else FLOAT32["later"],
            "algo": version.word("RING", ["TREE", "RING"]),
            "proto": version.word("SIMPLE", ["LL", "LL128", "SIMPLE"]),
        }

    def enqueue(self, function, count, channels=2, **more):
        """What the application's thread does: the collective is on its way."""
        if not self.mask:
            return None
        if function in ("Send", "Recv"):
            handle = self.start(
                TRANSFER, count=count, channels=channels, **self._words(function), **more
            )
        else:
            number = self.sequence[function]
            self.sequence[function] += 1
            handle = self.start(
                COLLECTIVE, seq=number, count=count, channels=channels, **self._words(function)
            )
        self.stop(handle)
        return handle

    def begin(self, handle, channels=2, peer=None):
        """The kernel's channels begin, as the proxy thread sees them; -> what finish() wants."""
        children = []

        def work():
            for channel in range(channels):
                children.append(self.start(KERNEL_CHANNEL, handle, id=channel))
            if peer is not None:
                children.append(
                    self.start(
                        PROXY_OP, handle, pid=os.getpid(), peer=peer, steps=4, chunk=1024, sends=1
                    )
                )

        self.proxy.do(work)
        return children

    def send(self, operation, chunks, chunk_bytes):
        """The proxy sends them for its operation, one after the other."""

        def work():
            for number in range(chunks):
                step = self.start(PROXY_STEP, operation, step=number)
                if step is None or not step.value:
                    continue
                for name, state in SEND_STATES.items():
                    if name == "peer" and self.version.number < 4:
                        continue
                    told = (SIZE * 2)(chunk_bytes if name == "network" else 0)
                    assert self.plugin.state(step, state, c.cast(told, P)) == 0
                self.stop(step)

        self.proxy.do(work)

    def finish(self, children):
        def work():
            for child in children:
                if child is not None and self.mask & KERNEL_CHANNEL:
                    assert self.plugin.state(child, KERNEL_CHANNEL_STOP, None) == 0
                self.stop(child)

        self.proxy.do(work)

    def destroy(self):
        self.proxy.end()
        if self.mask:
            assert self.plugin.finalize(self.context) == 0
