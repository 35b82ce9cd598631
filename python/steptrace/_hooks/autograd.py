# SPDX-License-Identifier: Apache-2.0
"""torch.autograd: backward, where every Tensor.backward ends.

With more ranks than one, backward is where the training thread waits for the others' gradients:
only its CPU time tells the wait from work. Alone, a rank is spared the two readings.
"""

import sys

from . import device_phases, facts, tensors, vocabulary, world
from .surround import Calls


def patch(module, hook):
    looks_for_anomalies = sys.modules["torch"].is_anomaly_enabled

    def enter_backward():
        try:
            if backward.question is not None and looks_for_anomalies():
                backward.question = None  # told: on for the script, or for this backward alone
                facts.say(vocabulary.FACT_AUTOGRAD, {"anomaly": True})
            return backward.begin()
        except Exception as error:
            return hook.fail(error)

    def enter_from(roots):
        tensors.loss(roots)
        return backward.enter()

    backward = hook.phase(vocabulary.BACKWARD, enter_backward)
    backward.question = looks_for_anomalies
    device_phases.has_boundaries(backward, device_phases.BACKWARD_BEGIN)

    def measure(size):
        backward.measures = size > 1

    world.watch(measure)
    if tensors.wants_loss():
        hook.around(module, "backward", Calls(enter_from, ("tensors",)))
    else:
        hook.around(module, "backward", Calls(backward.enter))
