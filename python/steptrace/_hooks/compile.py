# SPDX-License-Identifier: Apache-2.0
"""torch._dynamo.callback: torch.compile at work, the first time and at every recompilation."""

from . import vocabulary
from .surround import Calls


def patch(module, hook):
    probe = hook.probe
    name = probe.name(vocabulary.COMPILE, vocabulary.PHASE)
    begin, end = probe.begin, probe.end

    def enter_compile():  # no look at compiling.now(): it is
        try:
            begin(name)
            return end
        except Exception as error:
            return hook.fail(error)

    handler = module.CompilationCallbackHandler
    hook.around(handler, "install_callbacks", Calls(enter_compile))
