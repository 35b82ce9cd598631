# SPDX-License-Identifier: Apache-2.0
"""What a window captures: its kinds (src/wire/ring_layout.h, CaptureKind), begun and ended together."""

from _thread import get_ident

from . import device_phases, kernels, operators, profiles

OPERATORS = 1
KERNELS = 2
PROFILE = 4


def possible(kinds, hook):
    """Those of the kinds that may be captured here; of the others it is said why not."""
    for kind, module in ((OPERATORS, operators), (KERNELS, kernels), (PROFILE, profiles)):
        if kinds & kind:
            reason = module.why_not()
            if reason is not None:
                hook.say("unavailable", reason)
                kinds &= ~kind
    if kinds & PROFILE:
        return kinds & ~(OPERATORS | KERNELS)  # a profile has them itself
    return kinds & (OPERATORS | KERNELS)  # the others say what a profile holds


class Capture:
    """Of the thread that made it, but for devices, which are the process's."""

    def __init__(self, probe, hook):
        self.thread = get_ident()
        self.began_at_boundary = False  # a whole step lies behind it at the next one
        self.devices = None
        self._host = None  # what the thread itself records: operators, or a profile
        self._probe = probe
        self._hook = hook

    @property
    def bound_to_thread(self):
        """Whether no other thread can end it."""
        return self._host is not None and self._host.bound_to_thread

    @property
    def cancelled(self):
        """Whether the script's profiler, in another thread, has taken what this one needs."""
        return self.bound_to_thread and self._host.cancelled

    def cancel(self):
        if self.bound_to_thread:
            self._host.cancelled = True

    def begin_devices(self, kinds):
        """The kinds that are left: CUPTI may refuse."""
        if kinds & KERNELS:
            devices = kernels.Capture(self._probe, self._hook)
            if devices.begin():
                self.devices = devices
                device_phases.hold(self)  # CUPTI would tell of our calls
            else:
                kinds &= ~KERNELS
        return kinds

    def begin_host(self, kinds):
        self._probe.tools_hurry(True)
        if kinds & PROFILE:
            device_phases.hold(self)
            kernels.stay(self._probe)
            self._host = profiles.Capture(kinds, self._hook)
        elif kinds & OPERATORS:
            self._host = operators.Capture(self._probe)

    def begin_step(self, most, whole=False):
        """A step may record so much; what of the one before was left out for that. `whole`: it is recorded as a
        whole or not at all."""
        return 0 if self._host is None else self._host.begin_step(most, whole)

    def is_whole(self):
        """Whether the step since begin_step() is all there."""
        return self._host is None or self._host.is_whole()

    def room(self, most):
        """What is left of a bound on all that it records; of none, 0."""
        return 0 if self._host is None else self._host.room(most)

    def is_full(self, limit):
        return self._host is not None and self._host.is_full(limit)

    def end(self):
        host, self._host = self._host, None
        try:
            if host is not None:
                host.end()
        finally:
            self._probe.tools_hurry(False)
            device_phases.release(self)
            if self.devices is not None:
                self.devices.end()
