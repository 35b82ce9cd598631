# SPDX-License-Identifier: Apache-2.0
"""One hook: what it changed in the module that it hooks, and the way back when it fails."""

import functools
import inspect
import json

from . import facts, interruption, tools, vocabulary
from .surround import CannotSurroundError, inert, nothing, surround


class Hook:
    """One patched module: what it changed, and the way back when it fails."""

    def __init__(self, name, module, probe):
        self.name = name
        self.module = module
        self.probe = probe
        self.wrapped = []
        self._undo = []
        self._failed = False

    def around(self, owner, attribute, calls, nested=None):
        """Puts calls around owner.attribute: in place, or by a wrapper where that cannot be."""
        function = _original(getattr(owner, attribute), attribute)
        try:
            self.add(surround(function, calls, nested))
        except CannotSurroundError as error:
            if nested or calls.inner or _is_generator(function):
                raise
            self.add(_wrap(owner, attribute, calls))
            self.wrapped.append(f"{attribute}: {error}")

    def phase(self, text, ask, known=None, outer=None, category=vocabulary.PHASE):
        """What begins that phase (_probe.pyi, Phase), without a frame of Python's as long as all is as usual:
        `ask` is its enter where anything is unusual."""
        probe = self.probe
        name = probe.name(text, category)
        return probe.Phase(name, ask, probe.end, probe.end_cpu, known, outer)

    def add(self, part):
        """What is taken away by part(), and not there between part.aside() and part.back()."""
        tools.add(part)
        self._undo.append(lambda: tools.remove(part))
        self._undo.append(part)

    def on_undo(self, undo):
        self._undo.append(undo)

    def fail(self, error):
        """Takes this hook away for good. For `return hook.fail(error)` in an enter."""
        if interruption.of_the_script(error):
            raise error
        self.give_up(error)
        return nothing

    def give_up(self, error):
        if not self._failed:
            self._failed = True
            self._withdraw()
            self.say("failed", error_text(error))

    def _withdraw(self):
        while self._undo:
            try:
                self._undo.pop()()
            except Exception:
                pass  # a hook that is off may stay patched in: its enter is what failed

    def say(self, state, reason, **more):
        """`more`: what programs are to know of the reason."""
        try:
            reason = facts.text_of(reason[:500])
            fact = {"hook": self.name, "module": self.module, "state": state, "reason": reason}
            for name, value in more.items():
                fact[name] = facts.text_of(value[:500])
            self.probe.fact(vocabulary.FACT_HOOK, json.dumps(fact))
        except Exception:
            pass


def error_text(error):
    """Of whatever was raised: its own text may raise, too."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # a text of the script's that cannot be made
        return type(error).__name__


def _original(function, attribute):
    """The function under decorators, also under those that forgot functools.wraps."""
    function = getattr(function, "__func__", function)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if getattr(function, "__name__", attribute) != attribute:
        for cell in getattr(function, "__closure__", None) or ():
            if getattr(cell.cell_contents, "__name__", None) == attribute:
                return _original(cell.cell_contents, attribute)
    return function


def _is_generator(function):
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_GENERATOR)


class Wrapped:
    """owner.attribute is a wrapper of ours. Called, that is taken away for good."""

    def __init__(self, owner, attribute, wrapper):
        self._owner, self._attribute = owner, attribute
        self._static = isinstance(vars(owner).get(attribute), staticmethod)
        self._original = getattr(owner, attribute)
        self._wrapper = wrapper
        self.off = False

    def __call__(self):
        self.off = True
        self.aside()

    def aside(self):
        self._replace(self._wrapper, self._original)

    def back(self):
        if not self.off:
            self._replace(self._original, self._wrapper)

    def _replace(self, present, other):
        if getattr(self._owner, self._attribute) is present:
            other = staticmethod(other) if self._static else other
            setattr(self._owner, self._attribute, other)


def _wrap(owner, attribute, calls):
    """The visible way: for a function whose source is not there."""
    original = getattr(owner, attribute)
    place = _placed(original, calls.arguments)
    enter, stop = calls.enter, calls.stop or inert

    @functools.wraps(original)
    def wrapper(*args, **kwargs):
        if wrapped.off:  # somebody has kept it
            return original(*args, **kwargs)
        given = _arguments(place, calls.arguments, args, kwargs)
        leave = enter(*given)
        try:
            return original(*args, **kwargs)
        except StopIteration:
            stop(*given)
            raise
        finally:
            leave()

    wrapped = Wrapped(owner, attribute, wrapper)
    wrapped.back()  # the wrapper finds it now
    return wrapped


def _placed(function, names):
    """The signature that tells where the arguments are; LookupError: they are not among its own."""
    if not names:
        return None
    signature = inspect.signature(function)
    for name in names:
        if name not in signature.parameters:
            raise LookupError(f"{function.__qualname__} has no argument {name}")
    return signature


def _arguments(signature, names, args, kwargs):
    if not names:
        return ()
    try:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return [bound.arguments[name] for name in names]
    except TypeError:  # the call is wrong: the function itself will say so
        return [None for _ in names]
