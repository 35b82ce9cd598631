# SPDX-License-Identifier: Apache-2.0
"""torch.distributed._functional_collectives: what DTensor, and so tensor parallelism, exchanges by,
and a script that calls it itself.

Its collectives are operators, which start and return: who uses the result waits for it. A range of
a start is the start alone, as that of an asynchronous collective.
"""

import inspect

from . import compiling, groups, vocabulary, world
from .distributed import bytes_of
from .ranges import entering
from .surround import Calls, forget_sources, nothing

# Those that call an operator themselves; of two names for one thing the versions have either.
STARTS = (
    *("all_reduce", "broadcast", "all_to_all_single", "all_reduce_coalesced", "permute_tensor"),
    *("all_gather_single", "reduce_scatter_single"),
    *("all_gather_single_coalesced", "reduce_scatter_single_coalesced"),
)
FORMER_NAMES = {
    "all_gather_single": "all_gather_tensor",
    "reduce_scatter_single": "reduce_scatter_tensor",
    "all_gather_single_coalesced": "all_gather_into_tensor_coalesced",
    "reduce_scatter_single_coalesced": "reduce_scatter_tensor_coalesced",
}
TAKEN = ("self", "group")  # arguments


def patch(module, hook):
    def patch_calls():
        wait = entering(hook, "wait", vocabulary.COMMUNICATION)
        hook.around(module, "wait_tensor", Calls(wait))
        for function, name in _starts(module):
            hook.around(module, function, Calls(_entering(hook, name), TAKEN))
        forget_sources()

    world.once_several(hook, patch_calls)


def _starts(module):
    """Functions, and what their ranges are called."""
    for name in STARTS:
        for there in (name, FORMER_NAMES.get(name)):
            function = getattr(module, there or "", None)
            if function is None:
                continue
            if all(one in inspect.signature(function).parameters for one in TAKEN):
                yield there, name
            break


def _entering(hook, text):
    name = hook.probe.name(text, vocabulary.COMMUNICATION)
    begin_args, end = hook.probe.begin_args, hook.probe.end

    def enter_start(given, group):
        if compiling.now():
            return nothing
        try:
            number = 0
            if hasattr(group, "group_name"):  # a mesh or a list of ranks is not reported
                number = groups.number_or_zero(groups.of_job, text, group, None, True)
            begin_args(name, bytes_of(given), number)
            return end
        except Exception as error:
            return hook.fail(error)

    return enter_start
