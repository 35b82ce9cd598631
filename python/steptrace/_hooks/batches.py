# SPDX-License-Identifier: Apache-2.0
"""How much a batch holds: its samples, and its token ids where it has any.

A few batches of each loader are looked at, where `__next__` hands them over. Only the shapes of plain tensors in plain
dicts, lists and tuples are read, so that no code of the script's runs. What is looked at costs some microseconds.
"""

import collections
import sys

from . import facts, interruption, vocabulary

FIRST = 4  # batches of each iterator that are looked at
THEN_EACH = 64  # where the wait is a call of Python's anyway

_MOST_LOADERS = 16
_MOST_TENSORS = 32
_MOST_PARTS = 64
_DEEPEST = 4
_FRAMES = 4  # between __next__ and what looks

_IDS = "input_ids"


def due(turn):
    return turn <= FIRST or turn % THEN_EACH == 0


class Batches:
    """What the batches of one loader held, as far as they were looked at."""

    def __init__(self, number, torch):
        self.on = True
        self._number = number
        self._torch = torch
        self._measured = 0
        self._samples, self._tokens = _Sum(), _Sum()
        self._shapes, self._shapes_alike = None, True

    def look(self, iterator):
        """Called from within the iterator's __next__."""
        try:
            batch = _handed_over(iterator, sys._getframe(1))
            if batch is None:  # it ended, or failed
                return
            # A mode of the script's (TorchFunctionMode) would see what is asked of the tensors.
            with self._torch._C.DisableTorchFunction():
                tensors = _tensors(batch, self._torch.Tensor)
                samples, tokens = _sizes(tensors, self._torch)
                shapes = [tuple(tensor.shape) for _, tensor in tensors]
            self._compare(shapes)
            self._measured += 1
            self._samples.add(samples)
            self._tokens.add(tokens)
            if self._measured & (self._measured - 1) == 0:
                facts.report(vocabulary.FACT_BATCH, self._fact)
        except Exception as error:
            self.on = False
            if interruption.of_the_script(error):
                raise

    def _compare(self, shapes):
        if self._shapes is None:
            self._shapes = shapes
        # Without tensors that were found nothing is known of what the model gets.
        self._shapes_alike = self._shapes_alike and bool(shapes) and shapes == self._shapes

    def _fact(self):
        return {
            "loader": self._number,
            "batches": self._measured,
            "samples": self._samples.total,
            "samples_alike": self._samples.alike,
            "tokens": self._tokens.total,
            "tokens_alike": self._tokens.alike,
            "shapes_alike": self._shapes_alike,
        }


class _Sum:
    """Of counts: None, as soon as one of them is not known."""

    def __init__(self):
        self.total, self.alike = 0, True
        self._first = None

    def add(self, count):
        if count is None or self.total is None:
            self.total = None
            return
        if self._first is None:
            self._first = count
        self.alike = self.alike and count == self._first
        self.total += count


class BatchSizes:
    """The Batches of each loader; of too many loaders none."""

    def __init__(self, torch):
        self._torch = torch
        self._of = {}

    def of(self, number):
        found = self._of.get(number)
        if found is None and len(self._of) < _MOST_LOADERS:
            found = self._of[number] = Batches(number, self._torch)
        return found


def _handed_over(iterator, frame):
    """What __next__ of the iterator returns: its local variable."""
    for _ in range(_FRAMES):
        if frame is None:
            return None
        if frame.f_code.co_name == "__next__":
            local = frame.f_locals
            if local.get("self") is iterator:
                return local.get("data")
        frame = frame.f_back
    return None


def measure(batch, torch):
    """(samples, tokens) of a batch; None: not known.

    Samples are the first dimension, where all tensors have the same. Tokens are the elements of `input_ids`; without
    names, of integers in two dimensions whose targets are integers in the same two.
    """
    return _sizes(_tensors(batch, torch.Tensor), torch)


def _sizes(tensors, torch):
    if not tensors:
        return None, None
    firsts = {tensor.shape[0] for _, tensor in tensors if tensor.dim() > 0}
    samples = firsts.pop() if len(firsts) == 1 else None
    integers = (torch.int64, torch.int32)
    ids = [(name, t) for name, t in tensors if t.dim() == 2 and t.dtype in integers]
    named = [t for name, t in ids if name == _IDS]
    if not named and len(ids) == len(tensors) == 2 and ids[0][1].shape == ids[1][1].shape:
        named = [ids[0][1]] if ids[0][0] is None else []
    return samples, named[0].numel() if named else None


def _tensors(batch, tensor):
    """(key, tensor) of those in it, in its order; [] where there are too many."""
    found, parts = [], 0
    left = collections.deque([(None, batch, 0)])
    while left:
        key, thing, depth = left.popleft()
        parts += 1
        if parts > _MOST_PARTS or len(found) > _MOST_TENSORS:
            return []
        if type(thing) is tensor:
            found.append((key, thing))
        elif depth < _DEEPEST:
            left.extend((name, part, depth + 1) for name, part in _parts(thing))
    return found


def _parts(thing):
    kind = type(thing)
    if issubclass(kind, collections.UserDict):  # as a tokenizer's batch is
        thing = object.__getattribute__(thing, "__dict__").get("data")
        kind = type(thing)
    if issubclass(kind, dict):
        parts = dict.items(thing)
    elif issubclass(kind, tuple):
        parts = ((None, part) for part in tuple.__iter__(thing))
    elif issubclass(kind, list):
        parts = ((None, part) for part in list.__iter__(thing))
    else:
        return []
    return [part for part, _ in zip(parts, range(_MOST_PARTS + 1))]
