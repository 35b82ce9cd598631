# SPDX-License-Identifier: Apache-2.0
"""Prints all that a script could see of the functions that are hooked.

Run with and without the hooks: both must print the same, to the letter.
"""

import copy
import gc
import importlib.util
import inspect
import io
import pickle
import sys
import traceback
import warnings

import torch
import torch.distributed
import torch.optim.optimizer
import torch.utils.data._utils.fetch as fetch
import torch.utils.data._utils.worker as worker
from torch.autograd import backward as early_backward
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, dataloader

FUNCTIONS = [
    dataloader._BaseDataLoaderIter.__next__,
    dataloader._BaseDataLoaderIter.__init__,
    DataLoader.__iter__,
    fetch._MapDatasetFetcher.fetch,
    fetch._IterableDatasetFetcher.fetch,
    worker._worker_loop,
    torch.autograd.backward,
    torch.save,
    torch.load,
    torch.distributed.all_reduce,
    torch.distributed.init_process_group,
    torch.distributed.barrier,
    torch.optim.Optimizer.profile_hook_step,
    torch.optim.SGD.step,
    torch.Tensor.backward,
]


def heading(text):
    print("==", text)


def show_functions():
    heading("functions")
    for function in FUNCTIONS:
        code = getattr(inspect.unwrap(function), "__code__", None)
        print(function.__module__, function.__qualname__, type(function).__name__)
        print(inspect.signature(function), len(function.__doc__ or ""))
        print(code.co_filename, code.co_firstlineno, code.co_name, code.co_argcount)
        print(inspect.getsource(function)[:60], sorted(vars(function)))
    for function in (torch.save, torch.load, torch.autograd.backward, torch.distributed.all_reduce):
        pickled = pickle.dumps(function)
        print(len(pickled), pickle.loads(pickled) is function, copy.deepcopy(function) is function)
    print(early_backward is torch.autograd.backward)


def show_modules():
    heading("modules")
    for name in ("torch", "torch.autograd", "torch.utils.data.dataloader", "numpy"):
        module = sys.modules[name]
        print(type(module.__loader__).__name__, type(module.__spec__.loader).__name__)
        print(vars(module.__loader__).keys(), module.__spec__.origin)
    print(type(importlib.util.find_spec("torch.optim").loader).__name__)
    print([entry for entry in sys.path if "steptrace" in entry], "sitecustomize" in sys.modules)
    print(len(sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks))


class Bad(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 2:
            raise KeyError(f"item {index}")
        return torch.zeros(1)


class BadStream(IterableDataset):
    def __iter__(self):
        yield torch.zeros(1)
        raise OSError("stream broke")


def bad_collate(items):
    raise ValueError("collate broke")


class BadFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 2

    @staticmethod
    def backward(ctx, gradient):
        raise ArithmeticError("backward broke")


class BadOptimizer(torch.optim.SGD):
    def step(self, closure=None):
        raise RuntimeError("step broke")


def failing_backward():
    BadFunction.apply(torch.ones(1, requires_grad=True)).sum().backward()


def failures():
    parameter = torch.nn.Parameter(torch.ones(1))
    two_workers = DataLoader(Bad(), batch_size=2, num_workers=1)
    return {
        "dataset": lambda: list(DataLoader(Bad(), batch_size=2)),
        "worker": lambda: list(two_workers),
        "stream": lambda: list(DataLoader(BadStream(), batch_size=2)),
        "collate": lambda: list(DataLoader(torch.zeros(4), collate_fn=bad_collate)),
        "backward": failing_backward,
        "closure": lambda: torch.optim.LBFGS([parameter]).step(failing_backward),
        "optimizer": lambda: BadOptimizer([parameter]).step(),
        "arguments": lambda: torch.optim.SGD([parameter]).step(1, 2, 3),
        "save": lambda: torch.save(lambda: 0, io.BytesIO()),
        "load": lambda: torch.load("/nonexistent"),
        "save arguments": lambda: torch.save(),
        "all_reduce": lambda: torch.distributed.all_reduce(parameter),
        "init": lambda: torch.distributed.init_process_group("nonsense"),
        "iterator pickle": lambda: pickle.dumps(iter(DataLoader(torch.zeros(4)))),
    }


def show_tracebacks():
    for name, fail in failures().items():
        heading("traceback: " + name)
        try:
            fail()
        except Exception:
            print(traceback.format_exc())


def show_warnings():
    heading("warnings")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loader = DataLoader(torch.zeros(4), pin_memory=True, pin_memory_device="cuda")
        list(loader)
        torch.autograd.backward(torch.ones(1, requires_grad=True).sum(), grad_variables=None)
        stream = DataLoader(Counted(), batch_size=1)
        len(stream)
        list(stream)
    for warning in caught:
        print(warning.filename, warning.lineno, warning.category.__name__)


class Counted(IterableDataset):
    def __len__(self):
        return 1

    def __iter__(self):
        return iter(torch.zeros(3))


def show_frames():
    heading("frames")

    def collate(items):
        print([frame.name for frame in traceback.extract_stack()][-8:])
        return items

    list(DataLoader(torch.zeros(2), collate_fn=collate))

    class Stepping(torch.optim.SGD):
        def step(self):
            print([frame.name for frame in traceback.extract_stack()][-4:])

    Stepping([torch.nn.Parameter(torch.ones(1))]).step()


def show_objects():
    heading("objects")
    data = TensorDataset(torch.arange(8.0))
    loader = DataLoader(data, batch_size=4)
    iterator = iter(loader)
    print(len(iterator), len(loader), isinstance(iterator, dataloader._BaseDataLoaderIter))
    print(type(iterator).__name__, sorted(vars(iterator)), sorted(vars(loader)))
    next(iterator)
    print(sorted(vars(iterator)))
    again = pickle.loads(pickle.dumps(loader))
    print([batch[0].tolist() for batch in copy.deepcopy(loader)], len(iter(again)))
    optimizer = torch.optim.Adam([torch.nn.Parameter(torch.ones(1))])
    optimizer.step()
    print(sorted(vars(optimizer)), len(pickle.dumps(optimizer)))
    print(type(optimizer).step.__qualname__, type(optimizer).step.hooked)
    print(len(pickle.dumps(loader)), gc.isenabled())


def show_length_calls():
    """The hooks must not run a data set's own code more often than torch does."""
    heading("calls of __len__")
    calls = []

    class Noted(Dataset):
        def __len__(self):
            calls.append([frame.name for frame in traceback.extract_stack()][-3:-1])
            return 4

        def __getitem__(self, index):
            return index

    list(DataLoader(Noted(), batch_size=2, shuffle=True))
    print(calls)


def main():
    show_functions()
    show_modules()
    show_tracebacks()
    show_warnings()
    show_frames()
    show_objects()
    show_length_calls()


if __name__ == "__main__":
    main()
