# SPDX-License-Identifier: Apache-2.0
"""Enters of plain ranges: a name, and nothing to be known at run time."""

from . import compiling, vocabulary
from .surround import nothing


def entering(hook, text, category=vocabulary.PHASE):
    """An enter for a phase without arguments."""
    name = hook.probe.name(text, category)
    begin, end = hook.probe.begin, hook.probe.end

    def enter():
        if compiling.now():
            return nothing
        try:
            begin(name)
            return end
        except Exception as error:
            return hook.fail(error)

    return enter


def entering_checkpoint(hook, direction):
    """An enter for a function that saves or loads."""
    name = hook.probe.name(vocabulary.CHECKPOINT, vocabulary.PHASE)
    begin_args, end = hook.probe.begin_args, hook.probe.end

    def enter():
        try:
            begin_args(name, direction, 0)
            return end
        except Exception as error:
            return hook.fail(error)

    return enter
