# SPDX-License-Identifier: Apache-2.0
"""What torch's allocator holds of each device that the process uses, told as counters at the borders
of steps, some twice a second. Asks the allocator's books alone: no device is initialized, none is
waited for. A device that fails to answer is asked no more."""

import sys
from time import monotonic_ns

from . import interruption, vocabulary

_PERIOD_NS = 500_000_000
_DEVICES_EVERY = 20  # looks; between them only the devices that held something are asked
_MAX_DEVICES = 16

# Where torch.cuda.memory_stats_as_nested_dict has them; of pools, "all" is the sum.
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
        self._due_ns = 0
        self._looks = 0
        self._devices = ()
        self._names = {}

    def look(self):
        """At the border of a step. Never raises but what is the script's."""
        now_ns = monotonic_ns()
        if now_ns < self._due_ns:
            return
        self._due_ns = now_ns + _PERIOD_NS
        try:
            self._tell(sys.modules["torch"].cuda)
        except Exception as error:
            if interruption.of_the_script(error):
                raise
            self._due_ns = float("inf")
            self._hook.say("unavailable", f"device memory: {type(error).__name__}: {error}")

    def _tell(self, cuda):
        if not cuda.is_initialized():
            return
        ask = cuda.memory_stats_as_nested_dict
        if self._looks % _DEVICES_EVERY == 0:
            count = min(cuda.device_count(), _MAX_DEVICES)
            self._devices = [device for device in range(count) if _holds(ask(device))]
        self._looks += 1
        for device in self._devices:
            stats = ask(device)
            for metric, path in _METRICS:
                value = _at(stats, path)
                if value is not None:
                    self._probe.counter(self._name(device, metric), float(value))

    def _name(self, device, metric):
        key = (device, metric)
        name = self._names.get(key)
        if name is None:
            text = f"{device}:{metric}"
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
