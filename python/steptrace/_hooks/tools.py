# SPDX-License-Identifier: Apache-2.0
"""The script's own tracers, profilers and debuggers: while one is on, nothing of ours is there.

The probe says when one is about to begin, and when none is on any more (src/probe/python_tools.h). All
hooks step aside then: functions have the code of their own source again. What is not recorded
meanwhile is a loss, counted by the agent. One that begins beside other threads is stepped aside for
a little later: until then the probe itself gives functions their own code, and takes the finder out.
"""

# Nothing large: each Python of the job loads this.
from . import ASIDE, interruption, leave_mark, vocabulary

aside = False

_probe = None
_watched = False
_recorded = False
_unreported = None  # what could not be recorded yet
_parts = []  # with aside() and back()


def watch(probe, finder):
    """From now on the script's tools are seen. Never raises."""
    global _probe, _watched
    _probe = probe
    _watched = probe.tools_watch(_step_aside, _come_back, finder)


def on():
    """Whether tools of the script's are on, though nobody may have stepped aside yet."""
    return aside or (_watched and _probe.tools_aside())


def audited():
    """Whether an audit hook of the script's would see what is done."""
    return _watched and _probe.tools_audited()


def change_code(own, changed, function):
    """The function gets its changed code; its own as soon as a tool is on, also where no Python may
    run to give it that."""
    if _watched:
        _probe.tools_change(own, changed, function)
    else:
        function.__code__ = changed


def changes_code(own, changed):
    """What a function that is made with its changed code is passed through."""
    if not _watched:
        return _as_it_is
    from functools import partial

    return partial(_probe.tools_made, own, changed)


def _as_it_is(function):
    return function


def record(probe):
    """The process is attached: from now on the agent learns what happens."""
    global _recorded, _unreported
    words = (vocabulary.HOOKS_ASIDE, vocabulary.HOOKS_BACK)
    probe.tools_record(*(probe.name(word, vocabulary.PHASE) for word in words))
    _recorded = True
    unreported, _unreported = _unreported, None
    if unreported is not None:
        _report(*unreported)


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
        _report("aside", f"{tool}: a tool of the script's is on, which is to see nothing of ours")


def _come_back():
    global aside
    aside = False
    try:
        _each("back")
    finally:
        _report("active", "the script's own tools are off")


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


def _report(state, reason):
    global _unreported
    if not _recorded:
        _unreported = (state, reason) if state == "aside" else None
        if _unreported is not None:
            leave_mark(ASIDE)  # all that it can leave before it has a ring
        return
    from . import facts

    fact = {"hook": "all", "module": "sys", "state": state, "reason": reason}
    facts.report_once(vocabulary.FACT_HOOK, lambda: fact)
