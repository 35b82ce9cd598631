# SPDX-License-Identifier: Apache-2.0
"""Processes that the script makes itself say that they are there, and are as without that."""

import hooked
import pytest

SCRIPT = """
import json, os, sys
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import torch
from torch.utils.data import DataLoader

def work(number):
    return number * 2, os.getpid()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        doubled, pid = pool.submit(work, 21).result()
    batches = len(list(DataLoader(range(4), batch_size=2, num_workers=1)))
    print(json.dumps({"doubled": doubled, "pid": pid, "batches": batches}))
"""


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_a_process_of_a_pool_says_that_it_is_there(tmp_path, context):
    script = tmp_path / "pool.py"
    script.write_text(SCRIPT)
    run = hooked.run(tmp_path / "ring", script, context).check()
    assert (run.said["doubled"], run.said["batches"]) == (42, 2)
    said = [(fact["role"], fact["pid"]) for fact in run.facts("process")]
    assert ("child", run.said["pid"]) in said
    workers = {pid for role, pid in said if role == "worker"}
    assert len(workers) == 1
    assert not [pid for role, pid in said if role == "child" and pid in workers]
    assert not run.failed_hooks()


def test_failure_disables_only_this_hook(tmp_path):
    script = tmp_path / "pool.py"
    script.write_text(SCRIPT)
    breaks = (
        "import sys, torch\n"
        "facts = sys.modules['_steptrace_hooks.facts']\n"
        "def refused(*arguments): raise RuntimeError('made to fail')\n"
        "facts.report = refused\n"
    )
    script.write_text(breaks + SCRIPT)
    run = hooked.run(tmp_path / "ring", script, "fork").check()
    assert (run.said["doubled"], run.said["batches"]) == (42, 2)
    assert run.stderr == ""
