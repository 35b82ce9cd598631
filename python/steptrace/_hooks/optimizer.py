# SPDX-License-Identifier: Apache-2.0
"""torch.optim.optimizer: every step of every optimizer, with the optimizer's number.

Each step runs in a wrapper that torch puts around it, which also calls the global step hooks. The
wrapper itself is surrounded, so that a step that raises ends too; the global hooks, which are not
called then, are what is left where that cannot be.
"""

import sys
from types import FunctionType

from . import (
    compiling,
    device_memory,
    device_phases,
    facts,
    gc,
    tensors,
    vocabulary,
    windows,
)
from .numbering import Numbering
from .surround import Calls, CannotSurroundError, nothing

# Steps inside steps where the global hooks have to do.
_MAX_OPEN = 16
# Around a step, of torch and of others.
_MAX_WRAPPERS = 16


def patch(module, hook):
    probe = hook.probe
    optimizers = Numbering()
    report_threads = _Threads().report
    read_memory = device_memory.DeviceMemory(probe, hook).look

    def enter_step(args):
        if compiling.now():
            return nothing
        try:
            return enter(args[0])
        except Exception as error:
            return hook.fail(error)

    def enter_unusual(optimizer):
        try:
            number = optimizers.get(id(optimizer))
            if number is None:
                number = optimizers.of(optimizer)
                facts.report(vocabulary.FACT_DEVICE, _device)
                report_threads()
                gc.report_settings()
                device_phases.begin()
            step.due_ns = read_memory(number)
            if device_phases.on:
                device_phases.border(device_phases.OPTIMIZER_BEGIN)
            probe.begin_args(step.id, number, 0)
            leave = end_of(number)
            if tensors.on:
                leave = tensors.stepping(optimizer, ends.number, leave)
                step.left = tensors.steps_until_due(ends.number)
            if device_phases.on:
                leave = device_phases.leaving(device_phases.OPTIMIZER_END, leave)
            return leave
        except Exception as error:
            return hook.fail(error)

    step = hook.phase(vocabulary.OPTIMIZER, enter_unusual, optimizers.entries)
    device_phases.has_boundaries(step, device_phases.OPTIMIZER_BEGIN)
    ends = windows.begin(probe, hook, step)
    end_of = ends.enter_step
    enter = step.enter
    calls = Calls(enter_step, ("args",), made=lambda: _steps(module.Optimizer))
    try:
        hook.around(module.Optimizer, "profile_hook_step", calls, nested="wrapper")
    except (AttributeError, CannotSurroundError) as error:
        _use_global_hooks(module, hook, enter_step)
        hook.wrapped.append(f"step: {error}")
    tensors.begin(hook, step)


def _steps(optimizer):
    """The steps of all classes of optimizers that there are, which torch has wrapped where it made one."""
    classes = [optimizer]
    while classes:
        one = classes.pop()
        classes += type.__subclasses__(one)
        step = vars(one).get("step")
        for _ in range(_MAX_WRAPPERS):
            if not isinstance(step, FunctionType):
                break
            yield step
            step = getattr(step, "__wrapped__", None)


class _GlobalHooks:
    """Called, they are taken away for good."""

    def __init__(self, module, before, after):
        self._module = module
        self._hooks = before, after
        self._over = False
        self.back()

    def __call__(self):
        self._over = True
        self.aside()

    def aside(self):
        for handle in self._handles:
            handle.remove()

    def back(self):
        if not self._over:
            before, after = self._hooks
            self._handles = [
                self._module.register_optimizer_step_pre_hook(before),
                self._module.register_optimizer_step_post_hook(after),
            ]


def _use_global_hooks(module, hook, enter_step):
    leave = []

    def before(optimizer, args, kwargs):
        del leave[:-_MAX_OPEN]  # those of steps that raised
        leave.append(enter_step((optimizer,)))

    def after(optimizer, args, kwargs):
        if leave:
            leave.pop()()

    hook.add(_GlobalHooks(module, before, after))


class _Threads:
    """Among how many an operator on the CPU is split; a script that sets it has done so by the first
    step of an optimizer."""

    def __init__(self):
        self._reported = None

    def report(self):
        threads = sys.modules["torch"].get_num_threads()
        if threads != self._reported:
            self._reported = threads
            facts.say(vocabulary.FACT_THREADS, {"intraop": threads})


def _device():
    """At an optimizer's first step: a script that uses CUDA has initialized it by then."""
    cuda = sys.modules["torch"].cuda
    if not cuda.is_initialized():
        raise LookupError("no device in use")
    index = cuda.current_device()
    properties = cuda.get_device_properties(index)
    return {
        "device": index,
        "type": "cuda",
        "name": properties.name,
        "multiprocessors": getattr(properties, "multi_processor_count", None),
        "multiprocessor_threads": getattr(properties, "max_threads_per_multi_processor", None),
        "multiprocessor_registers": getattr(properties, "regs_per_multiprocessor", None),
        "multiprocessor_shared_bytes": getattr(
            properties, "shared_memory_per_multiprocessor", None
        ),
        "memory_bytes": properties.total_memory,
        "capability": f"{properties.major}.{properties.minor}",
        "uuid": str(getattr(properties, "uuid", "")) or None,
    }
