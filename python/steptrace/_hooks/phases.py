# SPDX-License-Identifier: Apache-2.0
"""Enters of the phases that each step has: without a frame of Python's as long as all is as usual."""

from . import vocabulary


def phase(probe, text, ask, known=None, outer=None, category=vocabulary.PHASE):
    """What begins that phase (_probe.pyi, Phase): `ask` is its enter where anything is unusual."""
    name = probe.name(text, category)
    return probe.Phase(name, ask, probe.end, probe.end_cpu, known, outer)
