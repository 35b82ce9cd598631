# SPDX-License-Identifier: Apache-2.0
"""Trains while a tool of the script's is on, one after the other, and prints what each has seen: to be the
same with and without us.

usage: tools.py [TOOL ...]
"""

import contextlib
import io
import sys
import tempfile
import threading
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

seen = []


def epoch(after_step=bool):
    for (x,) in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        after_step()


def note(frame, event, argument=None):
    code = frame.f_code
    what = getattr(argument, "__qualname__", "") if event.startswith("c_") else ""
    seen.append(f"{event} {code.co_filename}:{frame.f_lineno} {code.co_name} {what}")
    return note


@contextlib.contextmanager
def settrace():
    sys.settrace(note)
    try:
        yield
    finally:
        sys.settrace(None)


@contextlib.contextmanager
def setprofile():
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


@contextlib.contextmanager
def cprofile():
    import cProfile

    profiler = cProfile.Profile()
    with profiler:
        yield
    seen.extend(str(entry.code) for entry in profiler.getstats())


@contextlib.contextmanager
def pdb():
    import pdb

    commands = io.StringIO("step\n" * 400 + "continue\n")
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
    debugger.set_trace(sys._getframe().f_back.f_back)
    yield
    sys.settrace(None)
    seen.extend(output.getvalue().splitlines())


@contextlib.contextmanager
def torch_profiler(**options):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], **options) as profiler:
        yield
    seen.extend(sorted({event.key for event in profiler.key_averages()}))
    seen.append(str(len(profiler.events())))


@contextlib.contextmanager
def autograd_profiler():
    with torch.autograd.profiler.profile(with_stack=True) as profiler:
        yield
    seen.extend(sorted({event.key for event in profiler.key_averages()}))


@contextlib.contextmanager
def schedule():
    from torch.profiler import ProfilerActivity, profile
    from torch.profiler import schedule as every

    def ready(profiler):
        seen.extend(sorted({event.key for event in profiler.key_averages()}))

    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=every(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=ready,
        with_stack=True,
    ) as profiler:
        yield profiler.step


@contextlib.contextmanager
def monitoring():
    tools = sys.monitoring
    tools.use_tool_id(3, "mine")

    def begins(code, offset):
        seen.append(f"{code.co_filename}:{code.co_firstlineno} {code.co_name}")

    tools.register_callback(3, tools.events.PY_START, begins)
    tools.set_events(3, tools.events.PY_START)
    try:
        yield
    finally:
        tools.set_events(3, 0)
        tools.register_callback(3, tools.events.PY_START, None)
        tools.free_tool_id(3)


@contextlib.contextmanager
def threads():
    threading.settrace(note)
    threading.setprofile(note)
    try:
        yield
    finally:
        threading.settrace(None)
        threading.setprofile(None)


TOOLS = {
    "settrace": settrace,
    "setprofile": setprofile,
    "cProfile": cprofile,
    "pdb": pdb,
    "torch.profiler": lambda: torch_profiler(with_stack=True),
    "modules": lambda: torch_profiler(with_stack=True, with_modules=True),
    "verbose": lambda: torch_profiler(
        with_stack=True,
        experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True),
    ),
    "autograd": autograd_profiler,
    "schedule": schedule,
    "monitoring": monitoring,
    "threads": threads,
}


class Other(torch.optim.SGD):
    """An optimizer that is made while the tool is on."""


class Late(torch.optim.SGD):
    """One that is made before, and steps for the first time while the tool is on."""


def under(tool):
    """What a script does, that has hooks of ours in all of it."""
    with TOOLS[tool]() as after_step, tempfile.TemporaryFile() as file:
        if tool == "threads":
            in_thread(epoch)
        else:
            epoch(after_step or bool)
        torch.save(model.state_dict(), file)
        late.step()
        Other(model.parameters(), lr=0.1).step()
        import torch.distributed as imported  # noqa: F401


def in_thread(work):
    """While the main thread waits: some tools see that it does."""
    over = threading.Lock()

    def run():
        time.sleep(0.3)
        try:
            work()
        finally:
            over.release()

    over.acquire()
    thread = threading.Thread(target=run)
    thread.start()
    over.acquire()
    thread.join()


def beside(tool):
    """While another thread waits."""
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait)
    thread.start()
    under(tool)
    gate.set()
    thread.join()


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
late = Late(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(24, 4)), batch_size=4)
epoch()
IN_THREAD = ("settrace", "setprofile", "cProfile", "torch.profiler")
BESIDE = ("settrace", "setprofile", "torch.profiler")
cases = [(f"{tool} in a thread", tool, lambda t: in_thread(lambda: under(t))) for tool in IN_THREAD]
cases += [(f"{tool} beside a thread", tool, beside) for tool in BESIDE]
cases += [(tool, tool, under) for tool in TOOLS]
for name, tool, train in cases:
    if (tool == "monitoring" and sys.version_info < (3, 12)) or name not in (
        sys.argv[1:] or [name]
    ):
        continue
    train(tool)
    print("== tool", name)
    print("\n".join(seen))
    seen.clear()
    time.sleep(0.02)  # that a thread has ended with its tool is looked for every 10 ms
    id(tool)
    epoch()
    Other(model.parameters(), lr=0.1).step()
