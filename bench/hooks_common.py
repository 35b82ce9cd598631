# SPDX-License-Identifier: Apache-2.0
"""A training whose hooks can be put in and taken out between two steps, for the hooks' benches."""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python" / "steptrace"

# One step of the loop below: data, fetch, collate, backward and optimizer, begin and end.
RECORDS_A_STEP = 10


def run_recorded(script, *arguments, prefix=(), hooks="data,worker,backward,optimizer"):
    """Runs `script` with a ring but no agent, and without hooks until it calls Switch()."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {
            **os.environ,
            "STEPTRACE_RING_DIR": folder,
            "STEPTRACE_PROBE": str(PACKAGE / "_probe.abi3.so"),
            "STEPTRACE_HOOKS": hooks,
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
        }
        command = [*prefix, sys.executable, script, *arguments]
        return subprocess.run(command, env=variables, timeout=1800).returncode


def callgrind_dumps(folder):
    """In the order in which they were made."""
    paths = pathlib.Path(folder).glob("callgrind.out.*")
    return sorted(paths, key=lambda path: int(path.suffix[1:]))


class Switch:
    """Puts the hooks in, and out by giving the functions their own code back."""

    def __init__(self):
        from torch.autograd import backward
        from torch.optim import SGD, Optimizer
        from torch.utils.data import dataloader
        from torch.utils.data._utils import fetch

        functions = [
            dataloader._BaseDataLoaderIter.__next__,
            fetch._MapDatasetFetcher.fetch,
            backward,
        ]
        plain = [function.__code__ for function in functions]
        sys.path.insert(0, str(PACKAGE.parent))
        from steptrace import _hooks

        _hooks.install()
        self._codes = [(f, code, f.__code__) for f, code in zip(functions, plain)]
        self._codes.append(self._step_codes(SGD, Optimizer.profile_hook_step))
        assert all(off is not on for _, off, on in self._codes), "a hook is not in"
        self.probe = sys.modules["steptrace._probe"]

    @staticmethod
    def _step_codes(optimizer, decorator):
        """The step was wrapped by torch before the hooks came: give it their wrapper's code."""
        step = optimizer.step
        while step.__code__.co_name != "wrapper":
            step = step.__wrapped__
        consts = decorator.__code__.co_consts
        (hooked,) = [c for c in consts if getattr(c, "co_name", None) == "wrapper"]
        return step, step.__code__, hooked

    def set(self, on):
        for function, without, with_hooks in self._codes:
            function.__code__ = with_hooks if on else without


class Training:
    """A loop of steps of a chosen size; step() runs one."""

    def __init__(self, width, rows, steps):
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        torch.manual_seed(0)
        self._model = torch.nn.Sequential(torch.nn.Linear(16, width), torch.nn.Linear(width, 1))
        self._optimizer = torch.optim.SGD(self._model.parameters(), lr=1e-4)
        self._inputs = torch.randn(rows, 16)
        data = TensorDataset(torch.arange(steps + 1))
        self._batches = iter(DataLoader(data, batch_size=1))

    def step(self):
        next(self._batches)
        self._model(self._inputs).mean().backward()
        self._optimizer.step()
        self._optimizer.zero_grad()


def order_of_pairs(pairs, seed=0):
    """on, off or off, on for each pair: what comes first must not decide."""
    generator = random.Random(seed)
    order = []
    for _ in range(pairs):
        pair = [True, False]
        generator.shuffle(pair)
        order += pair
    return order
