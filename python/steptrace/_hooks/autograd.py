# SPDX-License-Identifier: Apache-2.0
"""torch.autograd: backward, where every Tensor.backward ends.

With more ranks than one, backward is where the training thread waits for the others' gradients:
only its CPU time tells the wait from work. Alone, a rank is spared the two readings.
"""

import sys

from . import device_phases, facts, vocabulary, world
from .surround import Calls


def patch(module, hook):
    probe = hook.probe
    backward = probe.name(vocabulary.BACKWARD, vocabulary.PHASE)
    begin, end, begin_cpu, end_cpu = probe.begin, probe.end, probe.begin_cpu, probe.end_cpu

    told = False  # that anomalies are looked for: on for the script, or for this backward alone

    def enter_backward():
        nonlocal told
        try:
            if not told and sys.modules["torch"].is_anomaly_enabled():
                told = True
                facts.say(vocabulary.FACT_AUTOGRAD, {"anomaly": True})
            leave = end_cpu if world.size > 1 else end
            if device_phases.on:
                device_phases.border(device_phases.BACKWARD_BEGIN)
                leave = device_phases.leaving(device_phases.BACKWARD_END, leave)
            if world.size > 1:
                begin_cpu(backward)
            else:
                begin(backward)
            return leave
        except Exception as error:
            return hook.fail(error)

    hook.around(module, "backward", Calls(enter_backward))
