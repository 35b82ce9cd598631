# SPDX-License-Identifier: Apache-2.0
"""Names of parameters, by identity: which module has this very object, and where that module lies.

Nothing is hooked for it and nothing is written on the script's objects; a parameter has not even a
weak reference, for torch.utils.swap_tensors refuses those. Modules are found among the objects that
Python's collector knows, when an optimizer steps parameters of which nobody knows the name. Types are
looked at, never `isinstance`: an object may answer that by code of the script's.
"""

import gc
import sys
import weakref
from time import monotonic_ns

from . import vocabulary

# Searches of a process: each goes over all of its objects.
_MAX_SEARCHES = 16
_MAX_MODULES = 1 << 20
# A wrapper's class, and what it calls the module that it wraps: no part of a parameter's name.
_WRAPPERS = frozenset(
    [
        ("DistributedDataParallel", "module"),
        ("DataParallel", "module"),
        ("DeepSpeedEngine", "module"),
        ("FullyShardedDataParallel", "_fsdp_wrapped_module"),
        ("OptimizedModule", "_orig_mod"),
        ("CheckpointWrapper", "_checkpoint_wrapped_module"),
    ]
)


class _Place:
    __slots__ = ("attribute", "id", "owner")

    def __init__(self, owner, attribute, name_id):
        self.owner = weakref.ref(owner)
        self.attribute = attribute
        self.id = name_id

    def is_of(self, key):
        """Whether the parameter of that id still is there."""
        owner = self.owner()
        return owner is not None and id(_part(owner, "_parameters").get(self.attribute)) == key


class TensorNames:
    """Ids of names for the probe; 0: it has no room for more."""

    def __init__(self, probe):
        self._probe = probe
        self._places = {}  # id of a parameter -> its place
        self._absent = frozenset()  # ids that the last search did not find
        self._by_text = {}
        self._searches = 0
        self._search_ns = 0

    def id_of(self, text):
        found = self._by_text.get(text)
        if found is None:
            found = self._by_text[text] = self._probe.name(text, vocabulary.TENSOR)
        return found

    def look_up(self, parameters):
        """Before these are asked for."""
        unknown = [
            parameter
            for parameter in parameters
            if id(parameter) not in self._absent and self._place_of(parameter) is None
        ]
        if unknown and self._searches < _MAX_SEARCHES:
            self._searches += 1
            began_ns = monotonic_ns()
            self._search({id(parameter) for parameter in unknown})
            self._search_ns += monotonic_ns() - began_ns

    def take_search_ns(self):
        """What searching has taken, which is no cost of a reading: it is done once."""
        took, self._search_ns = self._search_ns, 0
        return took

    def of(self, parameter, group, number, index):
        """Of the parameter at `index` of a group, the `number`th of its optimizer."""
        place = self._place_of(parameter)
        if place is not None:
            return place.id
        names = group.get("param_names")
        if isinstance(names, (list, tuple)) and index < len(names):
            return self.id_of(str(names[index]))
        return self.id_of(f"group{number}.{index}")

    def _place_of(self, parameter):
        place = self._places.get(id(parameter))
        return place if place is not None and place.is_of(id(parameter)) else None

    def _search(self, wanted):
        roots = [_Tree(root, wanted) for root in _roots()]
        roots = [tree for tree in roots if tree.found]
        roots.sort(key=lambda tree: (-len(tree.found), -tree.modules, type(tree.root).__name__))
        # What has gone gives its name back.
        self._places = {key: place for key, place in self._places.items() if place.is_of(key)}
        taken = {place.id for place in self._places.values()}
        numbers = {}
        for tree in roots:
            for key, (owner, attribute, text) in tree.found.items():
                if key not in wanted:
                    continue
                wanted.discard(key)
                name_id = self._free_id(text, taken, numbers)
                self._places[key] = _Place(owner, attribute, name_id)
        self._absent = frozenset(wanted)

    def _free_id(self, text, taken, numbers):
        """Of that name, with a number where others have it; 0: there is no room for names."""
        name_id = self.id_of(text)
        while name_id in taken:
            numbers[text] = number = numbers.get(text, 1) + 1
            name_id = self.id_of(f"{text}#{number}")
        if name_id:
            taken.add(name_id)
        return name_id


class _Tree:
    """The wanted parameters below a module: id -> (owner, attribute, name)."""

    def __init__(self, root, wanted):
        self.root = root
        self.found = {}
        self.modules = 0
        seen = set()
        todo = [(root, "")]
        while todo and self.modules < _MAX_MODULES:
            module, path = todo.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            self.modules += 1
            for attribute, parameter in _part(module, "_parameters").items():
                if id(parameter) in wanted:
                    self.found.setdefault(id(parameter), (module, attribute, path + attribute))
            children = list(_part(module, "_modules").items())
            for attribute, child in reversed(children):
                if child is not None:
                    wraps = (type(module).__name__, attribute) in _WRAPPERS
                    todo.append((child, path if wraps else f"{path}{attribute}."))


def _roots():
    """Modules that are no other's."""
    modules = _modules()
    children = set()
    for module in modules:
        children.update(map(id, _part(module, "_modules").values()))
    return [module for module in modules if id(module) not in children]


def _modules():
    base = sys.modules["torch"].nn.Module
    kinds = {}
    found = []
    for thing in gc.get_objects():
        kind = type(thing)
        is_module = kinds.get(kind)
        if is_module is None:
            is_module = kinds[kind] = base in type.mro(kind) if kind is not type else False
        if is_module:
            found.append(thing)
    return found


def _part(module, name):
    """What torch keeps of a module; empty before its __init__ is through."""
    part = object.__getattribute__(module, "__dict__").get(name)
    return part if isinstance(part, dict) else {}
