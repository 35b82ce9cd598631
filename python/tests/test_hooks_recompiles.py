# SPDX-License-Identifier: Apache-2.0
"""Why torch.compile compiles anew: what is told of a guard, and what is not."""

import hooked
import pytest

from steptrace._hooks import recompiles

HIDDEN = "'\u2026'"


@pytest.mark.parametrize(
    "reason, guard",
    [
        (
            "0/0: tag == 'my secret'          # if tag != \"off\":  # train.py:6 in forward\n"
            'User stack trace:\n  File "/home/me/train.py", line 6',
            f"tag == {HIDDEN}",
        ),
        ("0/0: L['tag'] == \"it's # 7\"  # x = L['tag']", f"L['tag'] == {HIDDEN}"),
        ("12/3: G['SCALE'] == 2    # return x * SCALE", "G['SCALE'] == \u2026"),
        ("0/0: L['n'] == 17", "L['n'] == \u2026"),
        ("0/0: L['rate'] == -1.5e-05", "L['rate'] == \u2026"),
        ("0/0: L['pair_2'] == (17, 4)", "L['pair_2'] == (\u2026, \u2026)"),
        ("0/0: L['of']['ann'][17] == True", f"L['of'][{HIDDEN}][\u2026] == True"),
        (
            "0/0: list(L['of'].keys()) == ['ann', 'bob']",
            f"list(L['of'].keys()) == [{HIDDEN}, {HIDDEN}]",
        ),
        (
            "0/0: L['self']._modules['0']._parameters['weight'].size()[0] == 4",
            "L['self']._modules['0']._parameters['weight'].size()[0] == 4",
        ),
        (
            "0/0: 2 <= L['x'].size()[1] and L['n'] == 17",
            "2 <= L['x'].size()[1] and L['n'] == \u2026",
        ),
        ("0/0: len(L['xs']) == 3", "len(L['xs']) == 3"),
        (
            "0/0: tensor 'L['of'][17]' rank mismatch. expected 2",
            "tensor 'L['of'][\u2026]' rank mismatch. expected 2",
        ),
        ("0/0: L['of']['a b@c.d'] == 1", f"L['of'][{HIDDEN}] == \u2026"),
        ("0/0: tag == b'\\x00\\'key'", f"tag == {HIDDEN}"),
        (
            "0/0: tensor 'L['x']' size mismatch at index 0. expected 4, actual 5",
            "tensor 'L['x']' size mismatch at index 0. expected 4, actual 5",
        ),
        (
            "0/0: tensor 'x' requires_grad mismatch. expected requires_grad=0",
            "tensor 'x' requires_grad mismatch. expected requires_grad=0",
        ),
        ("0/0: ___check_obj_id(fn, 140295397058144)", "___check_obj_id(fn, \u2026)"),
        ("0/0: GLOBAL_STATE changed: grad_mode ", "GLOBAL_STATE changed: grad_mode"),
        ("0/0: tag == 'cut in the mid", f"tag == {HIDDEN}"),
    ],
)
def test_a_guard_is_told_without_what_it_compares_with(reason, guard):
    assert recompiles.guard_of(reason) == guard


def test_reported_reason_is_bounded():
    assert len(recompiles.guard_of("0/0: " + "n" * 10_000)) == 160
    assert len(recompiles.guard_of("0/0: n == " + "(" * 1_000_000)) <= 160


def test_each_reason_is_told_with_function_and_line_and_how_often(tmp_path):
    script = hooked.TESTS / "scripts" / "recompiled.py"
    run = hooked.run(tmp_path / "ring", script).check()
    assert not run.failed_hooks()
    told = {}
    for fact in run.facts("recompilation"):
        told[fact["function"].split(".")[-1], fact["guard"]] = fact
    by_text = told["forward", f"tag == {HIDDEN}"]
    assert by_text["count"] == 4
    assert by_text["file"] == str(script)
    assert by_text["line"] == run.said["line"]
    assert "limit" not in by_text
    counted = told["counts", "calls == \u2026"]
    assert counted["limit"] == 8
    assert "secret" not in str(run.facts("recompilation"))


def test_a_reason_that_cannot_be_read_takes_the_hook_away_and_leaves_the_script_alone(tmp_path):
    script = hooked.TESTS / "scripts" / "recompiled.py"
    run = hooked.run(tmp_path / "ring", script, BREAKS_REASONS="1").check()
    assert set(run.failed_hooks()) == {"compile"}
    assert run.said["calls"] == 16
