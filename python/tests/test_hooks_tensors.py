# SPDX-License-Identifier: Apache-2.0
"""Tensors that hooks hand to the probe: which, by what name, at which step; and that nobody notices."""

import importlib.util

import pytest
from hooked import LOOPS, run

from steptrace._hooks import tensor_names, tensors

LOSS, GRADIENT, WEIGHT = 1, 2, 3
PARAMETERS = [
    "blocks.0.first.weight",
    "blocks.0.first.bias",
    "blocks.0.second.weight",
    "blocks.1.first.weight",
    "blocks.1.first.bias",
    "blocks.1.second.weight",
    "head.weight",
    "head.bias",
]
FROZEN = ["frozen.weight", "frozen.bias"]


def watched(tmp_path, case="plain", tensors="all@every=1", **variables):
    done = run(
        tmp_path / case, LOOPS / "tensors.py", case, STEPTRACE_TENSORS=tensors, **variables
    ).check()
    done.tensors = [(r.category, r.a, r.name, r.b[2]) for r in done.records if r.kind == "tensor"]
    return done


def names(done, role, step):
    return [name for r, s, name, _ in done.tensors if (r, s) == (role, step)]


def steps(done, role):
    return sorted({s for r, s, _, _ in done.tensors if r == role})


def test_each_step_has_its_loss_gradients_and_weights(tmp_path):
    done = watched(tmp_path)
    for step in range(8):
        assert names(done, LOSS, step) == ["loss"]
        assert names(done, GRADIENT, step) == PARAMETERS
        assert names(done, WEIGHT, step) == PARAMETERS + FROZEN
    assert not done.failed_hooks()


def test_our_time_is_in_a_range_of_its_own(tmp_path):
    done = watched(tmp_path)
    open_ranges = []
    for record in done.trainer():
        if record.kind == "begin":
            open_ranges.append(record.name)
        elif record.kind == "end":
            open_ranges.pop()
        elif record.kind == "tensor" and record.category != LOSS:
            assert open_ranges[-2:] == ["optimizer", "capture"]


@pytest.mark.parametrize("case", ["plain", "wrapped", "late", "nan", "swap"])
def test_results_are_bit_for_bit_the_same(tmp_path, case):
    plain = run(tmp_path / "off", LOOPS / "tensors.py", case, STEPTRACE_HOOKS="off").check()
    assert watched(tmp_path, case).said["digest"] == plain.said["digest"]


def test_wrappers_are_no_part_of_a_name(tmp_path):
    assert names(watched(tmp_path, "wrapped"), GRADIENT, 1) == PARAMETERS


def test_parameters_that_come_later_have_names_too(tmp_path):
    done = watched(tmp_path, "late")
    assert names(done, GRADIENT, 3) == PARAMETERS
    assert names(done, GRADIENT, 5) == [*PARAMETERS, "extra.weight", "extra.bias"]


def test_a_parameter_that_is_replaced_keeps_its_name(tmp_path):
    done = watched(tmp_path, "swap")
    for step in range(8):
        assert names(done, WEIGHT, step)[0] == "blocks.0.first.weight"


def test_a_schedule_is_kept(tmp_path):
    done = watched(tmp_path, tensors="gradients,loss@every=2,3:7")
    assert steps(done, GRADIENT) == [4, 6]
    assert steps(done, WEIGHT) == []
    assert steps(done, LOSS) == list(range(8))


def test_without_a_schedule_the_cost_decides(tmp_path):
    done = watched(tmp_path, tensors="gradients,weights")
    assert steps(done, GRADIENT) == [
        2
    ]  # a reading costs more than a four-hundredth of so small a step
    (*_, fact) = done.facts("tensors")
    assert fact["every"] > 1
    assert not fact["fixed"]


def plan(text):
    place = LOOPS.parent.parent / "steptrace/_hooks/tensor_plan.py"
    spec = importlib.util.spec_from_file_location("tensor_plan", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Plan(text)


def stepped(made, steps, step_ns, loss_ns):
    """At which steps of so long a plan asks for something, where a loss costs so much."""
    asked, now_ns, left = [], 0, 0
    for step in range(steps):
        if left == 0:
            asked.append(step)
            made.border(step, now_ns)
            made.looked_at_loss(loss_ns, loss_ns)
            left = made.steps_until_due(step)
        else:
            left -= 1
        now_ns += step_ns
    return asked


def test_the_loss_of_fast_steps_is_looked_at_as_seldom_as_it_costs_little():
    fast = stepped(plan("loss"), 5000, step_ns=100_000, loss_ns=10_000)
    assert fast[-3:] == [4864, 4928, 4992]  # 10 us of 64 steps of 100 us
    slow = stepped(plan("loss"), 50, step_ns=100_000_000, loss_ns=10_000)
    assert slow == list(range(50))
    fixed = stepped(plan("loss@every=10"), 50, step_ns=100_000, loss_ns=10_000)
    assert fixed == list(range(50))


def test_sampled_steps_are_multiples_of_a_power_of_two():
    made = plan("gradients")
    for step in range(4):
        made.border(step, step * 1_000_000)
        made.looked(50_000, 50_000)
    assert made.every == 32  # 50 us of 32 steps of 1 ms: a 640th
    assert [step for step in range(3, 100) if made.is_due(step)] == [32, 64, 96]
    assert made.steps_until_due(40) == 23


def test_a_loss_that_is_not_finite_names_where_it_came_from_in_the_same_step(tmp_path):
    done = watched(tmp_path, "nan", tensors="loss,gradients,weights@every=1000")
    bad = [(role, step, name) for role, step, name, count in done.tensors if count]
    # The weights after step 4 are those of which step 5 makes its loss.
    assert bad[:2] == [(LOSS, 5, "loss"), (WEIGHT, 4, "blocks.1.first.weight")]
    assert len([one for one in bad if one[:2] == (WEIGHT, 4)]) == 1
    assert (GRADIENT, 5, "blocks.1.first.weight") in bad
    assert steps(done, GRADIENT) == [0, 5, 6, 7]


def test_modes_of_the_script_see_nothing_of_it(tmp_path):
    off = run(tmp_path / "off", LOOPS / "tensors.py", "mode", STEPTRACE_HOOKS="off").check()
    assert watched(tmp_path, "mode").said["seen"] == off.said["seen"]


def test_what_does_not_fit_is_left_out_and_counted(tmp_path):
    done = watched(tmp_path, FAKE_PROBE_NO_ROOM="head.weight")
    assert "head.weight" not in names(done, GRADIENT, 3)
    assert "head.bias" in names(done, GRADIENT, 3)
    assert done.facts("tensors")[-1]["uncovered"]["room"] >= 1
    assert not done.failed_hooks()


def test_failure_disables_only_tensor_statistics(tmp_path):
    plain = run(tmp_path / "off", LOOPS / "tensors.py", "plain", STEPTRACE_HOOKS="off").check()
    done = watched(tmp_path, FAKE_PROBE_FAIL="blocks.1.first.bias")
    assert done.said["digest"] == plain.said["digest"]
    assert done.failed_hooks()["optimizer"]["reason"].startswith("tensors: RuntimeError")
    assert len([r for r in done.trainer() if r.kind == "begin" and r.name == "optimizer"]) == 8


def test_no_statistics_unless_enabled(tmp_path):
    done = run(tmp_path / "none", LOOPS / "tensors.py", "plain").check()
    assert not [r for r in done.records if r.kind == "tensor"]


def test_without_room_for_names_the_search_ends():
    names = tensor_names.TensorNames(None)
    names.id_of = lambda text: 0  # the probe has no room
    taken = set()
    assert [names._free_id("weight", taken, {}) for _ in range(3)] == [0, 0, 0]


def test_names_that_several_have_are_numbered():
    names = tensor_names.TensorNames(None)
    ids = {}
    names.id_of = lambda text: ids.setdefault(text, len(ids) + 1)
    taken, numbers = set(), {}
    for _ in range(3):
        names._free_id("weight", taken, numbers)
    assert list(ids) == ["weight", "weight#2", "weight#3"]


def test_losses_of_accumulation_cost_what_they_cost_together():
    made = plan("loss")
    made.border(0, 0)
    made.border(1, 1_000_000)
    for number in range(1, 17):
        made.looked_at_loss(10_000, number * 10_000)
    made.border(2, 2_000_000)
    assert made.loss_every >= 64  # 160 us of steps of 0.84 ms: a 340th of 64


def test_losses_that_are_passed_over_are_backwards_of_the_step(monkeypatch):
    monkeypatch.setattr(tensors, "_losses_left", 0)
    made = tensors.Tensors.__new__(tensors.Tensors)
    made._plan = plan("loss")
    made._uncovered, made._reported, made._backwards = {}, 0, 16
    made.report_loss(None)  # the 17th
    for _ in range(47):
        tensors.loss(None)
    assert made.steps_until_due(0)[1] == 64
    assert made._uncovered == {"more than 16 losses of a step": 1}
