# SPDX-License-Identifier: Apache-2.0
"""torch.cuda.graphs: whether the process has graphs, to which CUPTI must not come and go."""

from . import kernels
from .surround import Calls, nothing


def patch(module, hook):
    def enter():
        try:
            kernels.note_graph(hook.probe)
        except Exception as error:
            return hook.fail(error)
        return nothing

    hook.around(module.CUDAGraph, "capture_begin", Calls(enter))
    kernels.watch_graphs(True)
    hook.on_undo(lambda: kernels.watch_graphs(False))
