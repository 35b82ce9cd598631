# SPDX-License-Identifier: Apache-2.0
"""What torch's allocator holds of each device that the process uses, told as counters at the boundaries
of steps: at every one where a reading costs little beside the step, else as seldom as that takes, but
twice a second at least. Asks the allocator's books alone: no device is initialized, none is waited
for. A device that fails to answer is asked no more."""

import sys
from time import monotonic_ns

from . import interruption, vocabulary

_NEVER_NS = 2**63 - 1
_PERIOD_NS = 500_000_000  # between readings at most, and between two of what stands still
_OF_THE_TIME = 1000  # all readings together take no more than this part of it
_DEVICES_PERIOD_NS = 10_000_000_000  # between them only the devices that held something are asked
_MAX_DEVICES = 16
# A script may step several optimizers a step, and holds more at one than at another: who is asked at
# always the same sees what grows. One that has not stepped for so many of the others steps no more.
_MAX_OTHERS = 16

# Where torch.cuda.memory_stats_as_nested_dict has them; of pools, "all" is the sum. The first is told
# with every reading, as growth is judged by it; the others when they have changed.
_METRICS = (
    ("allocated_bytes", ("allocated_bytes", "all", "current")),
    ("reserved_bytes", ("reserved_bytes", "all", "current")),
    ("inactive_split_bytes", ("inactive_split_bytes", "all", "current")),
    ("alloc_retries", ("num_alloc_retries",)),
    ("ooms", ("num_ooms",)),
)


class DeviceMemory:
    """Called by the thread that steps the optimizer."""

    def __init__(self, probe, hook):
        self._probe = probe
        self._hook = hook
        self._optimizer = None  # at whose steps it is read
        self._others = _MAX_OTHERS  # steps of others since
        self._due_ns = 0
        self._cost_ns = None  # of a reading, the mean of the last ones
        self._devices = ()
        self._devices_due_ns = 0
        self._all_due_ns = 0
        self._names = {}
        self._reported = {}

    def look(self, optimizer):
        """At the boundary of a step. Never raises but what is the script's. Returns when the next look
        at a step of this optimizer is due, if no other steps before."""
        if optimizer != self._optimizer:
            if self._others < _MAX_OTHERS:
                self._others += 1
                return 0
            self._optimizer = optimizer
        self._others = 0
        now_ns = monotonic_ns()
        if now_ns >= self._due_ns:
            self._read_at(now_ns)
        return self._due_ns

    def _read_at(self, now_ns):
        try:
            self._due_ns = now_ns + int(self._read(sys.modules["torch"], now_ns))
        except Exception as error:
            if interruption.of_the_script(error):
                raise
            self._due_ns = _NEVER_NS
            self._hook.say("unavailable", f"device memory: {type(error).__name__}: {error}")

    def _read(self, torch, now_ns):
        """How long the next reading must wait."""
        if not torch.cuda.is_initialized():
            return _PERIOD_NS
        # What the public function asks once it has looked for the device; a build may lack it.
        ask = getattr(torch._C, "_cuda_memoryStats", torch.cuda.memory_stats_as_nested_dict)
        if now_ns >= self._devices_due_ns:
            self._devices_due_ns = now_ns + _DEVICES_PERIOD_NS
            count = min(torch.cuda.device_count(), _MAX_DEVICES)
            self._devices = [device for device in range(count) if _holds(ask(device))]
        if not self._devices:
            return _PERIOD_NS
        began_ns = monotonic_ns()
        report_all = began_ns >= self._all_due_ns
        if report_all:
            self._all_due_ns = began_ns + _PERIOD_NS
        for device in self._devices:
            self._report(device, ask(device), report_all)
        cost_ns = monotonic_ns() - began_ns
        before_ns = cost_ns if self._cost_ns is None else self._cost_ns
        self._cost_ns = before_ns + (cost_ns - before_ns) / 8
        return min(_PERIOD_NS, self._cost_ns * _OF_THE_TIME)

    def _report(self, device, stats, report_all):
        for metric, path in _METRICS:
            value = _at(stats, path)
            if value is None:
                continue
            key = (device, metric)
            if report_all or metric == _METRICS[0][0] or self._reported.get(key) != value:
                self._reported[key] = value
                self._probe.counter(self._name(key), float(value))

    def _name(self, key):
        name = self._names.get(key)
        if name is None:
            text = "{}:{}".format(*key)
            name = self._names[key] = self._probe.name(text, vocabulary.DEVICE_MEMORY)
        return name


def _at(stats, path):
    for key in path:
        if not isinstance(stats, dict):
            return None
        stats = stats.get(key)
    return stats if isinstance(stats, (int, float)) else None


def _holds(stats):
    return bool(_at(stats, ("reserved_bytes", "all", "current")))
