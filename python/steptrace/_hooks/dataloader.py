# SPDX-License-Identifier: Apache-2.0
"""torch.utils.data.dataloader: how long the training waits for each batch, and for whom."""

import dis
import functools
import multiprocessing

from . import batches, device_phases, facts, interruption, stacks, vocabulary
from .numbering import Numbering
from .surround import Calls, nothing

_UNKNOWN_DEPTH = vocabulary.UNKNOWN_QUEUE_DEPTH << 32


class _Iterator:
    """What the wait for a batch needs to know of its iterator."""

    __slots__ = ("batches", "depths", "in_order", "number", "pids", "reference", "turn", "unknown")

    def __init__(self, iterator, number):
        self.number = number
        self.unknown = number | _UNKNOWN_DEPTH
        self.pids = None
        self.batches = None
        self.turn = 0

    def look(self, iterator):
        """At the first wait: the workers have been started then."""
        workers = getattr(iterator, "_workers", None) or ()
        self.pids = [worker.pid or 0 for worker in workers]
        self.in_order = getattr(iterator, "_in_order", True)
        self.depths = _depths(iterator) if workers else ()
        return self.pids

    def looks(self):
        """At each wait: whether its batch is looked at."""
        self.turn += 1
        return self.batches is not None and self.batches.on and batches.due(self.turn)

    def is_usual(self):
        """Nothing is to be asked of it any more."""
        return not self.pids and (self.turn >= batches.FIRST or self.batches is None)


class _Alone(int):
    """The same of an iterator without workers: each of its waits has this one argument."""

    pids = ()
    turn = 0

    def looks(self):
        return False

    def is_usual(self):
        return False

    def __new__(cls, state):
        alone = super().__new__(cls, state.unknown)
        alone.unknown, alone.number = state.unknown, state.number
        return alone


def _depths(iterator):
    """The sizes whose sum is the number of batches that wait for the training."""
    queues = [iterator._worker_result_queue]
    if iterator._data_queue is not queues[0]:
        queues.append(iterator._data_queue)  # those that the pin-memory thread has handled
    try:
        for queue in queues:
            queue.qsize()
    except NotImplementedError:
        return ()
    return tuple(queue.qsize for queue in queues)


def _wait(iterator, state):
    """Both arguments of a wait: (iterator and queue depth, the awaited worker and its batch)."""
    task = iterator._task_info.get(iterator._rcvd_idx)
    arrived = task is not None and len(task) > 1
    pid = state.pids[task[0]] if task and state.in_order else 0
    if arrived and pid:
        pid |= vocabulary.BATCH_ARRIVED
    if not state.depths:
        return state.unknown, pid
    depth = arrived
    for size in state.depths:
        depth += size()
    return state.number | depth << 32, pid


def _whose(iterator, state, asked):
    """The worker of the task that is not asked for any more; 0: there is none."""
    tasks = iterator._task_info
    for number, task in asked:
        if number not in tasks:
            return state.pids[task[0]]
    return 0


def patch(module, hook):
    probe = hook.probe
    data_end = probe.name(vocabulary.DATA_END, vocabulary.PHASE)
    data_from = probe.name(vocabulary.DATA_FROM, vocabulary.PHASE)
    loader_iter = probe.name(vocabulary.LOADER_ITER, vocabulary.PHASE)
    begin_args, end, end_args, instant = (
        probe.begin_args,
        probe.end,
        probe.end_args,
        probe.instant,
    )
    # How much of a wait this thread ran tells taking a batch apart from waiting for its worker.
    begin_cpu_args, end_cpu = probe.begin_cpu_args, probe.end_cpu
    stacks_due, Quiet = probe.stacks_due, probe.Quiet
    iterators = Numbering(_Iterator)
    get = iterators.get
    loaders = Numbering()
    newest = {}  # loader -> its newest iterator
    sizes = batches.BatchSizes(module.torch)

    def enter_next(iterator):
        try:
            if stacks_due():
                stacks.look(probe, hook)
            state = get(id(iterator)) or iterators.renew(iterator)
            pids = state.pids
            if pids is None:
                pids = state.look(iterator)
            looked_at = state.batches if state.looks() else None
            if state.is_usual():
                state = iterators.replace(iterator, _Alone(state))
            leave = end_cpu if pids else end
            if device_phases.on:
                device_phases.border(device_phases.DATA_BEGIN)
                leave = device_phases.leaving(device_phases.DATA_END, leave)
            if pids:
                a, pid = _wait(iterator, state)
                if not state.in_order:
                    leave = leave_any(iterator, state, leave)
                begin_cpu_args(wait.id, a, pid)
            else:
                begin_args(wait.id, state.unknown, 0)
            return leave if looked_at is None else leave_sizes(iterator, looked_at, leave)
        except Exception as error:
            return hook.fail(error)

    def leave_any(iterator, state, leave):
        """Of batches that come in any order it shows at the end of the wait whose this one is."""
        asked = tuple(iterator._task_info.items())

        def leave_naming_loader():
            try:
                pid = _whose(iterator, state, asked)
                if pid:
                    instant(data_from, state.number, pid)
            except Exception as error:
                hook.fail(error)
            leave()

        return Quiet(leave_naming_loader, True)

    def leave_sizes(iterator, looked_at, leave):
        def leave_and_measure():
            leave()
            looked_at.look(iterator)

        return Quiet(leave_and_measure, True)

    def stop_next(iterator):
        try:
            state = get(id(iterator))
            if state is not None:
                instant(data_end, state.number, 0)
        except Exception as error:
            hook.fail(error)

    def enter_start(iterator, loader):
        """An iterator is made or, with persistent workers, starts over."""
        try:
            state = get(id(iterator))
            if state is None or state.pids is not None:
                state = iterators.renew(iterator)
            number = loaders.of(loader)
            newest[number] = state.number
            state.batches = sizes.of(number)
        except Exception as error:
            return hook.fail(error)
        return nothing

    def enter_iter(loader):
        try:
            number = loaders.get(id(loader))
            if number is None:
                number = loaders.of(loader)
                facts.report(vocabulary.FACT_LOADER, lambda: _describe(module, loader, number))
            begin_args(loader_iter, number, 0)
            return Quiet(lambda: end_args(newest.pop(number, 0), 0), True)
        except Exception as error:
            return hook.fail(error)

    wait = hook.phase(vocabulary.DATA, enter_next, iterators.entries)
    device_phases.has_boundaries(wait, device_phases.DATA_BEGIN)
    base = module._BaseDataLoaderIter
    hook.around(base, "__next__", Calls(wait.enter, ("self",), stop=stop_next))
    hook.around(base, "__init__", Calls(enter_start, ("self", "loader")))
    hook.around(base, "_reset", Calls(enter_start, ("self", "loader")))
    hook.around(module.DataLoader, "__iter__", Calls(enter_iter, ("self",)))


def _describe(module, loader, number):
    return {
        "loader": number,
        "class": _class_of(loader),
        "workers": loader.num_workers,
        "batch_size": _batch_size(loader),
        "prefetch_factor": loader.prefetch_factor,
        "pin_memory": bool(loader.pin_memory),
        "persistent_workers": bool(loader.persistent_workers),
        "drop_last": bool(loader.drop_last),
        "dataset": _class_of(loader.dataset),
        "iterable": loader._dataset_kind == module._DatasetKind.Iterable,
        "sampler": _class_of(loader.sampler),
        "batch_sampler": _class_of(loader.batch_sampler),
        "collate_fn": facts.name_of(_unwrapped(loader.collate_fn)),
        "collate_lines": _collate_lines(module._utils.fetch),
        "multiprocessing": _start_method(loader) if loader.num_workers else None,
        "length": _length(loader),
    }


def _unwrapped(function):
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _collate_lines(fetchers):
    """Where torch calls what collates, {function: line}: samples know it by that, whatever it is."""
    lines = {}
    try:
        for name in ("_MapDatasetFetcher", "_IterableDatasetFetcher"):
            code = getattr(fetchers, name).fetch.__code__
            starts = dict(dis.findlinestarts(code))
            line = None
            for instruction in dis.get_instructions(code):
                line = starts.get(instruction.offset) or line
                if instruction.argval == "collate_fn":
                    lines[f"{name}.fetch"] = line
    except Exception as error:
        if interruption.of_the_script(error):
            raise
    return lines


def _class_of(thing):
    # Never the truth of a sampler or a data set: that would run its __len__.
    return facts.name_of(type(thing)) if thing is not None else None


def _batch_size(loader):
    if loader.batch_size is not None:
        return loader.batch_size
    size = getattr(loader.batch_sampler, "batch_size", None)
    return size if isinstance(size, int) else None


def _start_method(loader):
    context = loader.multiprocessing_context or multiprocessing
    # Asking without allow_none would settle the default for the whole process.
    method = context.get_start_method(allow_none=True)
    return method or multiprocessing.get_all_start_methods()[0]


def _length(loader):
    """Batches an epoch, where no code of the script's has to run to tell."""
    parts = [loader.dataset, loader.sampler, loader.batch_sampler]
    if not all(part is None or _is_torchs_own(type(part)) for part in parts):
        return None
    try:
        return len(loader.batch_sampler if loader.batch_sampler is not None else loader.sampler)
    except TypeError:  # an endless sampler
        return None


def _is_torchs_own(kind):
    if kind.__name__ in ("Subset", "ConcatDataset", "StackDataset"):
        return False  # these ask the datasets inside
    return kind in (list, tuple) or kind.__module__.startswith("torch.utils.data.")
