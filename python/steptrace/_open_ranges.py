# SPDX-License-Identifier: Apache-2.0
"""annotation_begin() and annotation_end(): ranges that are ended by id, in any order.

Records nest. When a range ends that is not the innermost of its thread, those inside it are ended
with it and begun again at once: each keeps its exact time, in two pieces.
"""

import itertools
import threading

# Far beyond what nests: a script that forgets to end its ranges costs this, and no more.
_MAX_OPEN = 1024

_ids = itertools.count(1)  # next() on it is atomic
_open = threading.local()
_probe = None
_range_of = None  # the range of a name


def use(probe, range_of):
    """What records the ranges."""
    global _probe, _range_of
    _probe, _range_of = probe, range_of


def _stack():
    """(id, name id) of what this thread has open, outermost first."""
    try:
        return _open.stack
    except AttributeError:
        _open.stack = []
        return _open.stack


def annotation_begin(name):
    """Begins a range on this thread; the id ends it."""
    range_id = next(_ids)
    name_id = _range_of(name if isinstance(name, str) else str(name)).id
    _probe.begin(name_id)
    stack = _stack()
    if len(stack) < _MAX_OPEN:
        stack.append((range_id, name_id))
    else:
        _probe.end()  # the probe has counted it as nested too deep
    return range_id


def annotation_end(range_id):
    """Ends that range; an id that is not open on this thread is passed over."""
    stack = _stack()
    place = next((i for i in range(len(stack) - 1, -1, -1) if stack[i][0] == range_id), None)
    if place is None:
        return
    inner = stack[place + 1 :]
    del stack[place]
    for _ in range(len(inner) + 1):
        _probe.end()
    for _, name_id in inner:
        _probe.begin(name_id)
