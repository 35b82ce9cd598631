# SPDX-License-Identifier: Apache-2.0
"""Statistics of the model's tensors, where `run --tensors` asks for them (STEPTRACE_TENSORS).

    backward begins      the loss, of each: it waits in the probe for its step
    optimizer begins     gradients, as the optimizer is about to use them
    optimizer ends       weights

The probe reads the tensors' memory itself; nothing of torch's is called that computes, and no hook is
on any module or tensor. A loss that is not finite makes the same step's gradients be looked at, and
before them the weights that it came of. Our time lies in a range of its own (`capture`), so that it
is nobody else's. What fails is off for good, and says so.
"""

import functools
import os
import sys
from contextlib import nullcontext
from time import monotonic_ns

from . import facts, interruption, vocabulary
from .hook import error_text
from .tensor_names import TensorNames
from .tensor_plan import Plan

on = False
_losses_left = 0  # backwards that are passed over
_END = 2**64 - 1  # of a phase's short ways: none

_LOSS = vocabulary.TENSOR_ROLES["loss"]
_GRADIENT = vocabulary.TENSOR_ROLES["gradient"]
_WEIGHT = vocabulary.TENSOR_ROLES["weight"]
_MAX_ROOTS = 8  # of one backward
# Readings for losses that are not finite: so many until as many steps as _FINITE_STEPS were finite, and in all.
_MAX_ALARMS = 4
_FINITE_STEPS = 8
_MAX_ALARMS_OF_RUN = 64
# Of a step: more are passed over, and so are those that no optimizer of torch's steps.
_MAX_LOSSES = 16
_LONG_WITHOUT = 1 << 10  # backwards until it is tried again
_MAX_REPORTED = 64
_MAX_OPTIMIZERS = 64

_hook = None
_phase = None
_tensors = None  # once there is something to look at: torch is whole by then


def begin(hook, phase):
    """Once the optimizer is hooked; its steps are that phase."""
    global on, _hook, _phase
    if _words() and _hook is None:
        _hook, _phase = hook, phase
        on = True
        hook.on_undo(_stop)


def wants_loss():
    """Asked before backward is hooked, which may be before the optimizer is."""
    words = _words()
    return "loss" in words or "all" in words


def loss(roots):
    """Backward is about to begin from these."""
    global _losses_left
    if _losses_left:
        _losses_left -= 1
    elif on:
        _guarded(lambda: _all().report_loss(roots))


def stepping(optimizer, step, leave):
    """An optimizer's range has begun, in that step of the process. What ends it instead of `leave`."""
    return _guarded(lambda: _all().before(optimizer, step, leave), leave)


def steps_until_due(step):
    """Steps behind this one at which nothing is to be done; backwards are passed over likewise."""
    global _losses_left
    if not on:
        return _END
    left, backwards = _tensors.steps_until_due(step)
    _losses_left = left * backwards
    return left


def _words():
    text = os.environ.get("STEPTRACE_TENSORS", "")
    return [] if text == "none" else list(filter(None, text.partition("@")[0].split(",")))


def _all():
    global _tensors
    if _tensors is None:
        _tensors = Tensors(_hook.probe, Plan(os.environ["STEPTRACE_TENSORS"]))
    return _tensors


def _guarded(action, otherwise=None):
    """What fails is off for good."""
    try:
        return action()
    except Exception as error:
        if interruption.of_the_script(error):
            raise
        _stop()
        _hook.say("failed", f"tensors: {error_text(error)}")
        return otherwise


def _stop():
    global on
    on = False
    _phase.left = _END


class Tensors:
    """Called by the threads that step optimizers and run backward, with the interpreter's lock."""

    def __init__(self, probe, plan):
        torch = sys.modules["torch"]
        self._probe = probe
        self._plan = plan
        self._names = TensorNames(probe)
        self._capture_name = probe.name(vocabulary.CAPTURE, vocabulary.PHASE)
        self._elements = {
            getattr(torch, name): value
            for name, value in vocabulary.ELEMENT_TYPES.items()
            if hasattr(torch, name)
        }
        self._classes = (torch.Tensor, torch.nn.Parameter)
        self._strided = torch.strided
        self._is_copied_on_read = getattr(torch._C, "_is_cow_tensor", _never)
        # The script's own modes and subclasses see none of our questions.
        self._unseen = getattr(torch._C, "DisableTorchFunction", nullcontext)
        self._uncovered = {}  # why -> tensors
        self._alarm = False
        self._alarms = 0
        self._alarms_of_run = 0
        self._finite_steps = 0
        self._backwards = 0  # since the last step
        self._alarmed_step = None
        self._loss_seen = False  # in the step that goes on
        self._weights_of = {}  # by optimizer, the step whose weights were reported last
        self._cost_step = None
        self._cost_ns = {}  # of that step's readings, by optimizer and role
        self._losses_ns = 0  # of the step that goes on
        self._loss_cost_ns = 0
        self._reported = 0

    def steps_until_due(self, step):
        """And how many backwards a step has, by the last one."""
        backwards, self._backwards = self._backwards, 0
        if backwards > _MAX_LOSSES:
            backwards -= _losses_left  # of those that were to be passed over
        self._losses_ns = 0
        return self._plan.steps_until_due(step), max(1, backwards)

    def report_loss(self, roots):
        global _losses_left
        began_ns = monotonic_ns()
        self._backwards += 1
        if self._backwards > _MAX_LOSSES:
            _losses_left = _LONG_WITHOUT
            self._backwards += _LONG_WITHOUT
            self._leave_out(f"more than {_MAX_LOSSES} losses of a step")
            return
        if type(roots) in self._classes:
            roots = (roots,)
        elif type(roots) not in (list, tuple):
            return
        self._loss_seen = True
        self._probe.begin(self._capture_name)
        try:
            with self._unseen():
                for index, root in enumerate(roots[:_MAX_ROOTS]):
                    name = self._names.id_of(f"loss.{index}" if index else "loss")
                    if self._report(root, name, _LOSS, None):
                        self._alarm = True
        finally:
            self._probe.end()
        _phase.left = 0  # the next step is the one that it is of
        # The optimizer's step takes the long way for it, too, which is as much again.
        cost_ns = 2 * (monotonic_ns() - began_ns)
        self._losses_ns += cost_ns
        self._loss_cost_ns = self._losses_ns
        self._plan.looked_at_loss(cost_ns, self._losses_ns)

    def before(self, optimizer, step, leave):
        probe = self._probe
        if "loss" in self._plan.roles:
            probe.tensors_step(step)
        self._plan.border(step, monotonic_ns())
        alarmed = self._is_alarmed(step)
        due = self._plan.is_due(step)
        if alarmed and step > 0 and self._weights_of.get(id(optimizer)) != step - 1:
            self._compute(optimizer, step - 1, _WEIGHT)
        if alarmed or (due and "gradients" in self._plan.roles):
            self._compute(optimizer, step, _GRADIENT)
        if not due or "weights" not in self._plan.roles:
            return leave
        return probe.Quiet(functools.partial(self._after, optimizer, step, leave), True)

    def _is_alarmed(self, step):
        """A loss of the step was not finite: each of its optimizers is looked at."""
        if self._alarm:
            self._finite_steps = 0
            if self._alarms < _MAX_ALARMS and self._alarms_of_run < _MAX_ALARMS_OF_RUN:
                self._alarms += 1
                self._alarms_of_run += 1
                self._alarmed_step = step
        elif self._loss_seen:
            self._finite_steps += 1
            if self._finite_steps >= _FINITE_STEPS:
                self._alarms = 0
        self._alarm = self._loss_seen = False
        return self._alarmed_step == step

    def _after(self, optimizer, step, leave):
        try:
            if on:
                _guarded(lambda: self._compute(optimizer, step, _WEIGHT))
        finally:
            leave()

    def _compute(self, optimizer, step, role):
        began_ns = monotonic_ns()
        if step != self._cost_step and role != _WEIGHT:
            self._cost_step, self._cost_ns, self._uncovered = step, {}, {}
        self._probe.begin(self._capture_name)
        try:
            with self._unseen():
                self._report_all(optimizer.param_groups, step, role)
        finally:
            self._probe.end()
        if role == _WEIGHT:
            if len(self._weights_of) >= _MAX_OPTIMIZERS:
                self._weights_of = {}
            self._weights_of[id(optimizer)] = step
        search_ns = self._names.take_search_ns()
        self._plan.searched(search_ns)
        cost_ns = monotonic_ns() - began_ns - search_ns
        if len(self._cost_ns) < _MAX_OPTIMIZERS:
            self._cost_ns[id(optimizer), role] = cost_ns
        changed = self._plan.looked(cost_ns, sum(self._cost_ns.values()))
        if changed or not self._reported:
            self._report_count()

    def _report_all(self, groups, step, role):
        names = self._names
        names.look_up(
            parameter
            for group in groups
            for parameter in group["params"]
            if type(parameter) in self._classes and parameter.device.type == "cpu"
        )
        for number, group in enumerate(groups):
            for index, parameter in enumerate(group["params"]):
                tensor = parameter.grad if role == _GRADIENT else parameter
                if tensor is None:
                    continue
                self._report(tensor, names.of(parameter, group, number, index), role, step)

    def _report(self, tensor, name, role, step):
        """How many of its elements are not finite; None: it was not reported."""
        if not name:
            return self._leave_out("names")
        if type(tensor) not in self._classes:
            return self._leave_out(f"class {type(tensor).__name__}")
        if tensor.layout is not self._strided:
            return self._leave_out(str(tensor.layout))
        if tensor.device.type != "cpu":
            return self._leave_out(f"device {tensor.device.type}")
        element = self._elements.get(tensor.dtype)
        if element is None:
            return self._leave_out(str(tensor.dtype))
        if self._is_copied_on_read(tensor):
            return self._leave_out("copy on write")
        if tensor.is_nested:
            return self._leave_out("nested")
        held = tensor.untyped_storage()
        shape = tuple(tensor.size()), tensor.stride()
        if _reaches_beyond(tensor, held, *shape):
            return self._leave_out("freed storage")
        reported = self._probe.tensor(name, role, element, step, tensor.data_ptr(), *shape)
        del held
        if reported is None:
            return self._leave_out("room")
        return self._leave_out("unreadable") if reported < 0 else reported

    def _leave_out(self, why):
        seen = self._uncovered.get(why, 0)
        if seen or len(self._uncovered) < _MAX_REPORTED:
            self._uncovered[why] = seen + 1
        if not seen and self._reported:
            self._report_count()

    def _report_count(self):
        """What is looked at, and how often; some times a run."""
        self._reported += 1
        if self._reported > _MAX_REPORTED:
            return
        fact = {
            "roles": sorted(self._plan.roles),
            "every": self._plan.every,
            "loss_every": self._plan.loss_every,
            "fixed": self._plan.is_fixed,
            "cost_ns": sum(self._cost_ns.values()),
            "loss_cost_ns": self._loss_cost_ns,
            "step_ns": self._plan.step_ns,
            "uncovered": dict(self._uncovered),
        }
        facts.say(vocabulary.FACT_TENSORS, fact)


def _never(_):
    return False


def _reaches_beyond(tensor, storage, sizes, strides):
    """Whether its elements lie behind the end of its memory, which was given back (`resize_(0)`)."""
    if not tensor.numel():
        return False
    last = tensor.storage_offset() + sum((n - 1) * stride for n, stride in zip(sizes, strides))
    return (last + 1) * tensor.element_size() > storage.nbytes()
