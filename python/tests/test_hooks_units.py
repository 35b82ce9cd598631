# SPDX-License-Identifier: Apache-2.0
"""The hooks' parts that need no torch: numbers, queue depths, names of actions, settings."""

import gc
import random

import pytest

from steptrace._hooks import dataloader, facts, lightning, registry, vocabulary, windows
from steptrace._hooks.numbering import Numbering


class Thing:
    pass


def test_numbers_are_given_from_one_and_stay():
    numbers = Numbering()
    one, other = Thing(), Thing()
    assert [numbers.of(one), numbers.of(other), numbers.of(one)] == [1, 2, 1]
    assert vars(one) == {}


def test_a_number_is_never_given_again():
    numbers = Numbering()
    given = []
    for _ in range(100):  # one address, again and again
        given.append(numbers.of(Thing()))
        gc.collect(0)
    assert given == list(range(1, 101))
    assert numbers.get(id(Thing())) is None


def test_an_object_that_starts_over_has_a_new_number():
    numbers = Numbering()
    thing = Thing()
    assert (numbers.of(thing), numbers.renew(thing), numbers.of(thing)) == (1, 2, 2)
    del thing
    assert numbers.entries == {}


def test_an_optimizer_by_itself_goes_the_short_way_to_the_same_borders():
    for seed in range(200):
        chance = random.Random(seed)
        slow, quick, short = windows.Boundaries(), windows.Boundaries(), 0
        for _ in range(chance.randrange(60)):
            number = chance.choice([1] * chance.choice([1, 9]) + [2, 3][: chance.randrange(3)])
            ends = slow.step(number)
            if number == quick.alone:
                quick.ended += 1
                short += 1
                assert ends
            else:
                assert quick.step(number) == ends
            assert (quick.ended, quick.last) == (slow.ended, slow.last)
    alone = windows.Boundaries()
    assert [alone.step(1) for _ in range(3)] == [False, True, True]
    assert alone.alone == 1 and alone.ended == 2


class StepPhase:
    """What windows see of the optimizer's (_probe.pyi, Phase)."""

    only = taken = 0


class IdleProbe:
    """Of an agent that asks for nothing, until it does."""

    is_asked = False

    def name(self, text, category):
        return 1

    def capture_changed(self):
        return self.is_asked

    asked = stacks_due = capture_changed

    def Quiet(self, function, ends_range=False):
        return function

    def end(self):
        pass


def test_the_short_way_is_open_where_one_optimizer_steps_and_nothing_is_asked():
    probe, phase, other = IdleProbe(), StepPhase(), (1 << 64) - 1
    state = windows.Windows(probe, None, phase)
    assert (phase.only, phase.question()) == (other, False)
    for only in (other, 7, 7):  # that a group is one optimizer shows when it repeats
        assert state.enter_step(7) == probe.end
        assert phase.only == only
    phase.taken = 5
    probe.is_asked = True
    assert state.enter_step(7) == state._leave_step
    assert (state._boundaries.ended, phase.taken, phase.only) == (2 + 5 + 1, 0, other)
    probe.is_asked = False
    assert state.enter_step(8) == probe.end
    assert phase.only == other, "two optimizers to a group"
    for _ in range(3):
        state.enter_step(8)
    assert phase.only == 8
    phase.taken = 9
    state.forget()
    assert (state._boundaries.ended, phase.taken, phase.only) == (0, 0, other)


def test_an_iterator_without_workers_has_one_argument_for_all_its_waits():
    numbers, thing = Numbering(dataloader._Iterator), Thing()
    state = numbers.of(thing)
    assert not isinstance(state, int)
    alone = numbers.replace(thing, dataloader._Alone(state))
    assert numbers.get(id(thing)) is alone
    assert (alone.number, alone, alone.unknown) == (1, 1 | UNKNOWN << 32, 1 | UNKNOWN << 32)
    assert alone.pids is not None and not alone.pids
    del thing
    assert numbers.entries == {}


class Queue:
    def __init__(self, size):
        self.size = size

    def qsize(self):
        if self.size is None:
            raise NotImplementedError
        return self.size


class Worker:
    def __init__(self, pid):
        self.pid = pid


class Iterator:
    """What the hook reads of torch's own, with two workers."""

    def __init__(self, task, size=0, pinned=None, in_order=True):
        self._workers = [Worker(71), Worker(72)]
        self._worker_result_queue = self._data_queue = Queue(size)
        if pinned is not None:
            self._data_queue = Queue(pinned)
        self._in_order = in_order
        self._rcvd_idx = 5
        self._task_info = {} if task is None else {5: task}


UNKNOWN = vocabulary.UNKNOWN_QUEUE_DEPTH
ARRIVED = vocabulary.BATCH_ARRIVED


@pytest.mark.parametrize(
    ("iterator", "depth", "pid"),
    [
        pytest.param(Iterator((1,)), 0, 72, id="starved"),
        pytest.param(Iterator((0,), size=3), 3, 71, id="batches are waiting"),
        pytest.param(Iterator((0,), size=1, pinned=2), 3, 71, id="some of them pinned"),
        pytest.param(Iterator((0, "batch")), 1, 71 + ARRIVED, id="it has come out of order"),
        pytest.param(Iterator((0, "batch"), size=2), 3, 71 + ARRIVED, id="it has come, others too"),
        pytest.param(Iterator((0,), in_order=False), 0, 0, id="whichever comes first"),
        pytest.param(Iterator(None), 0, 0, id="nothing is asked for: the end"),
        pytest.param(Iterator((1,), size=None), UNKNOWN, 72, id="a queue that cannot tell"),
    ],
)
def test_depth_and_awaited_worker(iterator, depth, pid):
    state = dataloader._Iterator(iterator, 9)
    state.look(iterator)
    a, b = dataloader._wait(iterator, state)
    assert (a & UNKNOWN, a >> 32, b) == (9, depth, pid)


def test_whose_batch_came_where_any_may():
    iterator = Iterator(None, in_order=False)
    iterator._task_info = {5: (0,), 6: (1,), 7: (0,)}
    state = dataloader._Iterator(iterator, 9)
    state.look(iterator)
    asked = tuple(iterator._task_info.items())
    assert dataloader._whose(iterator, state, asked) == 0, "StopIteration, or an error"
    del iterator._task_info[6]
    iterator._task_info[8] = (1,)
    assert dataloader._whose(iterator, state, asked) == 72


@pytest.mark.parametrize(
    ("action", "phase"),
    [
        ("[Strategy]DDPStrategy.training_step", "forward"),
        ("[Strategy]DDPStrategy.validation_step", None),
        ("[LightningModule]Net.training_step", None),
        ("[LightningModule]Net.optimizer_step", None),
        ("[Callback]TQDMProgressBar.on_train_batch_end", "logging"),
        ("[Callback]RichProgressBar.on_train_batch_start", None),
        ("save_checkpoint", "checkpoint"),
        ("run_training_batch", None),
    ],
)
def test_phases_of_lightnings_actions(action, phase):
    assert lightning.phase_of(action) == phase


def test_every_target_has_its_module():
    import importlib

    for _, patcher in registry.TARGETS.values():
        assert callable(importlib.import_module(f"steptrace._hooks.{patcher}").patch)


def test_facts_are_bounded_and_never_raise(monkeypatch):
    said = []

    class Probe:
        def fact(self, kind, text):
            said.append((kind, text))

    monkeypatch.setattr(facts, "_probe", Probe())
    monkeypatch.setattr("sys.argv", ["x" * 10_000] * 1000)
    facts.say("process", facts.process("main"))
    monkeypatch.setattr("sys.argv", ["bytes \udcff"])
    assert facts.process("main")["argv"] == ["bytes \\udcff"]
    facts.say("loader", {"thing": Thing()})
    facts.report("device", lambda: 1 / 0)
    assert [kind for kind, _ in said] == ["process", "loader"]
    assert len(said[0][1]) < 16_000
