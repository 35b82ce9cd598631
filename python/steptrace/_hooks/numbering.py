# SPDX-License-Identifier: Apache-2.0
"""Numbers for objects of the script: from 1, never reused, and nothing written on the object."""

import functools
import itertools
import weakref


class _Number(int):
    """A number that keeps its object's weak reference."""


class Numbering:
    """Gives each object a number, or what `make` makes of (object, number), while it lives.

    Any thread. An entry goes with its object: the weak reference's callback runs before the
    object's address can be given to another. The callback is no Python code: in that, a signal
    handler of the script's could run, and what it raises would be printed and lost.
    """

    def __init__(self, make=lambda thing, number: _Number(number)):
        self._counter = itertools.count(1)
        self._make = make
        self.entries = {}  # id of an object -> its entry
        # The look-up of the hot path: entry of id(object), or None.
        self.get = self.entries.get

    def of(self, thing):
        entry = self.get(id(thing))
        return entry if entry is not None else self.renew(thing)

    def renew(self, thing):
        """A new number for an object that starts over."""
        key = id(thing)
        entry = self._make(thing, next(self._counter))
        entry.reference = weakref.ref(thing, functools.partial(self.entries.pop, key))
        self.entries[key] = entry
        return entry

    def replace(self, thing, entry):
        """Another entry for an object that has one."""
        entry.reference = self.entries[id(thing)].reference
        self.entries[id(thing)] = entry
        return entry
