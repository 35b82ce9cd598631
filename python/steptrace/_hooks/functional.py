# SPDX-License-Identifier: Apache-2.0
"""torch.distributed._functional_collectives: where DTensor, and so tensor parallelism, waits.

Its collectives are operators, which start and return: who uses the result waits for it.
"""

from . import vocabulary, world
from .ranges import entering
from .surround import Calls


def patch(module, hook):
    def wait_tensor():
        wait = entering(hook, "wait", vocabulary.COMMUNICATION)
        hook.around(module, "wait_tensor", Calls(wait))

    world.once_several(hook, wait_tensor)
