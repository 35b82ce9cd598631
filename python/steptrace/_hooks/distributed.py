# SPDX-License-Identifier: Apache-2.0
"""torch.distributed.distributed_c10d: the collectives that a script calls itself, and the job.

What DDP's reducer does is not seen from Python: it shows as time in backward without CPU time. An
asynchronous collective's range is its start alone; its wait is a range `wait` of its own.
"""

import functools
import inspect
import sys

from . import compiling, facts, tools, vocabulary, world
from . import groups as groups_of
from .groups import Groups, number_or_zero
from .hook import Wrapped
from .surround import Calls, forget_sources, nothing

# Function -> the argument that this rank gives (a tensor or a list of tensors), if it is one.
# The deprecated spellings call the others and stand here for the versions that lack those.
COLLECTIVES = {
    "all_reduce": "tensor",
    "all_reduce_coalesced": "tensors",
    "broadcast": "tensor",
    "reduce": "tensor",
    "all_gather": "tensor",
    "all_gather_single": "input_tensor",
    "all_gather_object": None,
    "gather": "tensor",
    "gather_object": None,
    "scatter": "tensor",
    "scatter_object_list": None,
    "reduce_scatter": "input_list",
    "reduce_scatter_single": "input",
    "all_to_all": "input_tensor_list",
    "all_to_all_single": "input",
    "broadcast_object_list": None,
    "send": "tensor",
    "recv": "tensor",
    "batch_isend_irecv": None,
    "barrier": None,
    "monitored_barrier": None,
}
# What tells which collective of which group a call is, in the versions that have it.
GROUP, ASYNCHRONOUS = "group", "async_op"
PEERS = {"send": "dst", "recv": "src"}
FORMER_NAMES = {
    "all_gather_into_tensor": "all_gather_single",
    "reduce_scatter_tensor": "reduce_scatter_single",
}


def patch(module, hook):
    """Patches the start of the job alone: most processes that import this have no process group."""
    state = {"patched": False}
    groups = groups_of.of_job = Groups(module, hook.probe)

    def look():
        try:
            _read_job(module)
            groups.forget()
            if world.size > 1 and not state["patched"]:
                state["patched"] = True
                _patch_collectives(module, hook, groups)
        except Exception as error:
            hook.fail(error)

    leave = tools.quiet(look, made_up=False)
    for change in ("init_process_group", "destroy_process_group"):
        hook.around(module, change, Calls(lambda: leave))
    tools.add(tools.Part(back=look))
    if module.is_initialized():
        look()


def _read_job(module):
    if not module.is_initialized():
        world.resize(1)
        return
    size = module.get_world_size()
    if size == world.size:
        return
    world.resize(size)
    fact = facts.job_from_environment()
    fact.update(rank=module.get_rank(), world_size=size, backend=str(module.get_backend()))
    facts.say(vocabulary.FACT_JOB, fact)


def _patch_collectives(module, hook, groups):
    names = dict(COLLECTIVES)
    for former, present in FORMER_NAMES.items():
        if not hasattr(module, present):
            names[former] = names[present]
    for name, argument in names.items():
        if hasattr(module, name):
            # Their names changed from version to version: without one, it is not reported.
            taken = inspect.signature(getattr(module, name)).parameters
            wanted = (argument, GROUP, ASYNCHRONOUS, PEERS.get(name))
            given = tuple(one for one in wanted if one in taken)
            hook.around(module, name, Calls(_entering(hook, name, wanted, given, groups), given))
    _patch_wait(module, hook)
    forget_sources()


def _entering(hook, text, wanted, given, groups):
    name = hook.probe.name(text, vocabulary.COMMUNICATION)
    begin_args, end = hook.probe.begin_args, hook.probe.end
    # Where each stands among what is given; -1: the None that is put behind.
    places = [given.index(one) if one in given else -1 for one in wanted]
    gives, has_group, is_async, has_peer = places

    def enter_collective(*values):
        if compiling.now():
            return nothing
        try:
            values = (*values, None)
            number = 0
            if has_group >= 0:
                number = number_or_zero(
                    groups, text, values[has_group], values[has_peer], values[is_async]
                )
            begin_args(name, bytes_of(values[gives]), number)
            return end
        except Exception as error:
            return hook.fail(error)

    return enter_collective


def bytes_of(given):
    """0 for what is not a tensor: the function itself will say what is wrong with it."""
    if isinstance(given, (list, tuple)):
        return sum(bytes_of(part) for part in given)
    return getattr(given, "nbytes", 0)


def _patch_wait(module, hook):
    """Work.wait as a script calls it; a collective's own wait is part of the collective."""
    work = module.Work
    original = work.wait
    inside = vars(module)
    begin, end = hook.probe.begin, hook.probe.end
    name = hook.probe.name("wait", vocabulary.COMMUNICATION)

    @functools.wraps(original)
    def wait(*args, **kwargs):
        if wrapped.off or compiling.now():
            return original(*args, **kwargs)
        leave = nothing
        try:
            caller = sys._getframe().f_back  # None: a thread that does nothing else
            if caller is None or caller.f_globals is not inside:
                begin(name)
                leave = end
        except Exception as error:
            hook.fail(error)
        try:
            return original(*args, **kwargs)
        finally:
            leave()

    wrapped = Wrapped(work, "wait", wait)
    wrapped.back()  # the wrapper finds it now
    hook.add(wrapped)
