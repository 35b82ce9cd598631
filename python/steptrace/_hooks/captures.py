# SPDX-License-Identifier: Apache-2.0
"""What a window captures: its kinds (src/wire/ring_layout.h, CaptureKind), begun and ended together."""

from _thread import get_ident

from . import kernels, operators

OPERATORS = 1
KERNELS = 2


def possible(kinds, hook):
    """Those of the kinds that may be captured here; of the others it is said why not."""
    for kind, module in ((OPERATORS, operators), (KERNELS, kernels)):
        if kinds & kind:
            reason = module.why_not()
            if reason is not None:
                hook.say("unavailable", reason)
                kinds &= ~kind
    return kinds


class Capture:
    """Of the thread that made it, but for devices, which are the process's."""

    def __init__(self, probe, hook):
        self.thread = get_ident()
        self.began_at_border = False  # a whole step lies behind it at the next one
        self.devices = None
        self._operators = None
        self._probe = probe
        self._hook = hook

    def begin_devices(self, kinds):
        """The kinds that are left: CUPTI may refuse."""
        if kinds & KERNELS:
            devices = kernels.Capture(self._probe)
            reason = devices.begin()
            if reason is None:
                self.devices = devices
            else:
                self._hook.say("unavailable", reason)
                kinds &= ~KERNELS
        return kinds

    def begin_operators(self, kinds):
        if kinds & OPERATORS:
            self._operators = operators.Capture(self._probe)

    def recorded(self):
        """Operators, of which a window may have a bound."""
        return 0 if self._operators is None else self._operators.recorded()

    def end(self):
        operators_on, self._operators = self._operators, None
        try:
            if operators_on is not None:
                operators_on.end()
        finally:
            if self.devices is not None:
                self.devices.end()
