# SPDX-License-Identifier: Apache-2.0
"""torch.utils.data._utils.worker: a process says that it is a DataLoader worker."""

from . import facts, vocabulary
from .surround import Calls, nothing

# This process is a DataLoader worker.
inside = False


def patch(module, hook):
    def enter_worker(worker_id, num_workers):
        global inside
        inside = True
        try:
            fact = facts.process("worker", worker=worker_id, workers=num_workers)
            facts.say(vocabulary.FACT_PROCESS, fact)
        except Exception as error:
            return hook.fail(error)
        return nothing

    hook.around(module, "_worker_loop", Calls(enter_worker, ("worker_id", "num_workers")))
