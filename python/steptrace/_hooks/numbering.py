# SPDX-License-Identifier: Apache-2.0
"""Numbers for objects of the script: from 1, never reused, and nothing written on the object."""

import itertools
import weakref


class Numbering:
    """Gives each object a number, or what `make` makes of (object, number), while it lives.

    Any thread. An entry goes with its object: the weak reference's callback runs before the
    object's address can be given to another.
    """

    def __init__(self, make=None):
        self._counter = itertools.count(1)
        self._make = make
        self._entries = {}
        self._references = {}
        # The look-up of the hot path: entry of id(object), or None.
        self.get = self._entries.get

    def of(self, thing):
        entry = self._entries.get(id(thing))
        return entry if entry is not None else self.renew(thing)

    def renew(self, thing):
        """A new number for an object that starts over."""
        key = id(thing)
        number = next(self._counter)
        entry = self._make(thing, number) if self._make else number
        if key not in self._references:
            self._references[key] = weakref.ref(thing, self._forgetter(key))
        self._entries[key] = entry
        return entry

    def _forgetter(self, key):
        def forget(_):
            self._references.pop(key, None)
            self._entries.pop(key, None)

        return forget
