# SPDX-License-Identifier: Apache-2.0
"""What a process says once about itself: as text, for the agent (wire/vocabulary.h, kFact)."""

import json
import os
import sys

from . import interruption, vocabulary

_MAX_TEXT = 300
_MAX_ARGUMENTS = 40

# Through what a library finds who collects its events: the launcher sets each unless it is set.
_COLLECTORS = (("NVTX", "NVTX_INJECTION64_PATH"), ("NCCL", "NCCL_PROFILER_PLUGIN"))

_MAX_REPORTED = 64

_probe = None
_reported = set()


def begin(probe):
    global _probe
    _probe = probe
    report(vocabulary.FACT_PROCESS, lambda: process(_role()))
    if "RANK" in os.environ:
        say(vocabulary.FACT_JOB, job_from_environment())
    for library, variable in _COLLECTORS:
        report_other_tool(library, variable)


def report_other_tool(library, variable):
    """Says that another tool collects there, so that nobody looks for what is missing."""
    collector = os.environ.get(variable)
    if collector is None or collector == os.environ.get("STEPTRACE_PROBE"):
        return
    fact = {
        "hook": library.lower(),
        "module": library,
        "state": "aside",
        "reason": _text(f"{variable} is not ours but {collector}: another tool collects"),
    }
    say(vocabulary.FACT_HOOK, fact)


def say(kind, fact):
    report(kind, lambda: fact)


def report(kind, make):
    """Leaves the fact that `make` makes; one that cannot be told is not worth a failure."""
    try:
        _probe.fact(kind, json.dumps(make(), default=_text))
    except Exception as error:
        if interruption.of_the_script(error):
            raise


def report_once(kind, make):
    """As tell, but of a fact that was told before nothing: there may be one a layer."""
    try:
        text = json.dumps(make(), default=_text)
        if (kind, text) not in _reported and len(_reported) < _MAX_REPORTED:
            _reported.add((kind, text))
            _probe.fact(kind, text)
    except Exception as error:
        if interruption.of_the_script(error):
            raise


def process(role, **more):
    arguments = getattr(sys, "argv", [])
    fact = {
        "pid": os.getpid(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "implementation": sys.implementation.name,
        "executable": _text(sys.executable),
        "argv": [_text(argument) for argument in arguments[:_MAX_ARGUMENTS]],
        "role": role,
    }
    fact.update(more)
    return fact


def job_from_environment():
    return {
        "rank": _number("RANK"),
        "local_rank": _number("LOCAL_RANK"),
        "world_size": _number("WORLD_SIZE"),
        "backend": None,
    }


def _role():
    """`child`: a process that multiprocessing made; a DataLoader worker says so itself later."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is None:
        return "main"
    # Until a spawned child has unpickled its task, only the mark of its start tells.
    inheriting = getattr(multiprocessing.current_process(), "_inheriting", False)
    return "child" if inheriting or multiprocessing.parent_process() is not None else "main"


def _number(variable):
    try:
        return int(os.environ[variable])
    except (KeyError, ValueError):
        return None


def _text(value):
    return text_of(str(value)[:_MAX_TEXT])


def text_of(text):
    """With what is no text (a byte of an argument, say) as \\udcff: readers of JSON refuse it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def name_of(thing):
    """`module.name` of a class or function, or of the class of another object."""
    if thing is None:
        return None
    if not hasattr(thing, "__qualname__"):
        thing = type(thing)
    return _text(f"{getattr(thing, '__module__', '?')}.{thing.__qualname__}")
