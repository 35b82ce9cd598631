# SPDX-License-Identifier: Apache-2.0
"""multiprocessing.process: a process that the script made (a pool's, say) says that it is there.

What it does beside the training shows in its stacks alone, which are those of processes that are
known: a forked child has a ring of its own from the first thing that it says.
"""

import multiprocessing.process

from . import facts, vocabulary
from .surround import Calls, nothing

_LOADERS = "torch.utils.data._utils.worker"  # its processes say so themselves


def patch(module, hook):
    def enter_process(process):
        try:
            if getattr(process._target, "__module__", None) != _LOADERS:
                facts.report(vocabulary.FACT_PROCESS, lambda: facts.process("child"))
        except Exception as error:
            return hook.fail(error)
        return nothing

    hook.around(multiprocessing.process.BaseProcess, "_bootstrap", Calls(enter_process, ("self",)))
