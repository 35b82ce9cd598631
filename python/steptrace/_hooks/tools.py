# SPDX-License-Identifier: Apache-2.0
"""The script's own tracers, profilers and debuggers: while one is on, nothing of ours is there.

The probe says when one is about to begin, and when none is on any more (src/probe/python_tools.h). All
hooks step aside then: functions have the code of their own source again. What is not recorded
meanwhile is a loss, counted by the agent.
"""

# Nothing large: each Python of the job loads this.
from . import ASIDE, interruption, leave_mark, vocabulary

aside = False

_probe = None
_names = None  # of the instants that the agent counts; None: nothing is recorded
_unsaid = None  # what could not be recorded yet
_parts = []  # with aside() and back()


def watch(probe):
    """From now on the script's tools are seen. Never raises."""
    global _probe
    _probe = probe
    probe.tools_watch(_step_aside, _come_back)


def record(probe):
    """The process is attached: from now on the agent learns what happens."""
    global _names, _unsaid
    words = (vocabulary.HOOKS_ASIDE, vocabulary.HOOKS_BACK)
    _names = [probe.name(word, vocabulary.PHASE) for word in words]
    unsaid, _unsaid = _unsaid, None
    if unsaid is not None:
        _tell(*unsaid)


def add(part):
    _parts.append(part)
    if aside:
        part.aside()


def remove(part):
    if part in _parts:
        _parts.remove(part)


class Part:
    """What is done when the hooks step aside, and when they come back: nothing, where none is given."""

    def __init__(self, aside=bool, back=bool):
        self.aside, self.back = aside, back


def quiet(function, made_up=True):
    """The function as a callback that is called without a frame of Python's, and by no tool of the
    script's seen: while one is on it is not called, but when they are off, if it is to be made up.
    """
    callback = _probe.Quiet(function)
    if made_up:
        _parts.append(Part(back=callback.make_up))
    return callback


def _step_aside(tool):
    global aside
    aside = True
    try:
        _each("aside")
    finally:
        _tell(0, "aside", f"{tool}: a tool of the script's is on, which is to see nothing of ours")


def _come_back():
    global aside
    aside = False
    try:
        _each("back")
    finally:
        _tell(1, "active", "the script's own tools are off")


def _each(method):
    """One that fails leaves the others to go on; what is the script's is raised behind the last."""
    raised = None
    for part in list(_parts):
        try:
            getattr(part, method)()
        except Exception as error:
            if interruption.of_the_script(error):
                raised = error
    if raised is not None:
        raise raised


def _tell(which, state, reason):
    global _unsaid
    if _names is None:
        if which == 0:
            _unsaid = which, state, reason
            leave_mark(ASIDE)  # all that it can leave before it has a ring
        return
    try:
        _probe.instant(_names[which], 0, 0)
    except Exception as error:
        if interruption.of_the_script(error):
            raise
    from . import facts

    fact = {"hook": "all", "module": "sys", "state": state, "reason": reason}
    facts.tell_once(vocabulary.FACT_HOOK, lambda: fact)
