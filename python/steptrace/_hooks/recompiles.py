# SPDX-License-Identifier: Apache-2.0
"""torch._dynamo.guards and cache_size: why torch.compile compiles a function anew.

torch itself finds the guard that failed, before each compilation but the first, and keeps its text
(guard_failures). Of that text the guard is told, without what it compares with: the contents of
texts, numbers but those of shapes and lengths, keys of dicts, and the script's own line, which
torch puts behind it, stay here.
"""

import re
import sys
from _thread import get_ident

from . import facts, vocabulary
from .surround import Calls, forget_sources

# As torch calls it now, and as older versions do.
_FINDS_REASONS = (
    "get_and_maybe_log_recompilation_reasons",
    "get_and_maybe_log_recompilation_reason",
)
_FINDS_LIMIT = ("exceeds_recompile_limit", "exceeds_cache_size_limit")
_LIMITS = ("recompile_limit", "cache_size_limit")

_MAX_READ = 2000
_MAX_GUARD = 160
# Different guards of a process; what is told of each is told at its first, second, fourth … failure.
_MAX_GUARDS = 64

_COMPILATION = re.compile(r"^\[?\d+/\d+\]?: ?")
_LITERAL = re.compile(r"""b?(?:'(?:[^'\\]|\\.)*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$))""")
_TENSOR = re.compile(r"^tensor '(.*?)' (?=[a-z_]+(?: [a-z]+)* mismatch)")
_KEY = re.compile(r"""['"]\w{1,40}['"]""")
# What stands before a key that is a name of the code's: a variable, a part of a module.
_BEFORE_NAME = re.compile(r"(?:(?<![\w.])[LG]|\b(?:_modules|_parameters|_buffers|__dict__))\[$")
_VALUE = re.compile(r"(?<![\w.])[-+]?\d[\w.]*(?:(?<=e)[-+]\d+)?")
_CLAUSES = re.compile(r"( and | or )")
_OF_SHAPE = (".size()", ".stride()", ".storage_offset()", ".ndim", ".dim()", "len(")
_BEFORE_DIMENSION = (".size()[", ".stride()[")
_ADDRESS = re.compile(r"\b(?:0x[0-9a-f]+|\d{6,})\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_(\d+)$")
_HIDDEN, _HIDDEN_NUMBER = "'\u2026'", "\u2026"

_guards = {}
_last = [None, None]  # thread, and what it told last


def patch(module, hook):
    if module.__name__.endswith(".guards"):
        _patch_reasons(module, hook)
    else:
        _patch_limit(module, hook)
    forget_sources()


def _patch_reasons(module, hook):
    quiet = hook.probe.Quiet
    failures = module.guard_failures  # of each function's code

    def enter(frame):
        try:
            code = frame.f_code
            before = len(failures.get(code, ()))
            return quiet(lambda: leave(code, before))
        except Exception as error:
            return hook.fail(error)

    def leave(code, before):
        try:
            reasons = failures.get(code, ())[before:]
            if reasons:
                _report(code, guard_of(reasons[0]))
        except Exception as error:
            hook.fail(error)

    hook.around(module, _one_of(module, _FINDS_REASONS), Calls(enter, ("frame",)))


def _patch_limit(module, hook):
    config = sys.modules["torch._dynamo.config"]

    def enter(cache_size):
        try:
            limit = getattr(config, _one_of(config, _LIMITS))
            if cache_size.will_compilation_exceed_specific_limit(limit):
                _report_limit(limit)
        except Exception as error:
            hook.fail(error)

    name = _one_of(module, _FINDS_LIMIT)
    hook.around(module, name, Calls(enter, ("cache_size",), leaves=False))


def _one_of(module, names):
    """The first that is there; the last where none is, for which there is an error then."""
    return next((name for name in names if hasattr(module, name)), names[-1])


def guard_of(reason):
    """What torch tells of a guard that failed, as far as it is nobody's secret."""
    text = _COMPILATION.sub("", str(reason)[:_MAX_READ].split("\n", 1)[0])
    tensor = _TENSOR.match(text)
    if tensor is not None:
        name = _without_numbers(_without_texts(tensor.group(1)))
        text = f"tensor '{name}' {text[tensor.end() :]}"
    else:
        text = _without_texts(text)
        text = _without_numbers(text.split("  #", 1)[0].split("# ", 1)[0])
    text = _ADDRESS.sub("\u2026", " ".join(text.split()))
    return text if len(text) <= _MAX_GUARD else text[: _MAX_GUARD - 1] + "\u2026"


def _without_texts(text):
    def shown(match):
        before = text[max(match.start() - 16, 0) : match.start()]
        is_name = _BEFORE_NAME.search(before) and _KEY.fullmatch(match.group())
        return match.group() if is_name else _HIDDEN

    return _LITERAL.sub(shown, text)


def _without_numbers(text):
    return "".join(map(_without_numbers_of, _CLAUSES.split(text)))


def _without_numbers_of(clause):
    is_of_shape = any(sign in clause for sign in _OF_SHAPE)

    def shown(match):
        before = clause[: match.start()]
        if before.endswith("'"):  # the name of a part that is a number: _modules['0']
            return match.group()
        is_shape = before.endswith(_BEFORE_DIMENSION) if before.endswith("[") else is_of_shape
        return match.group() if is_shape else _HIDDEN_NUMBER

    return _VALUE.sub(shown, clause)


class _Guard:
    def __init__(self, code, guard):
        resumed = _RESUMED.match(code.co_name)
        function, line = (
            (resumed.group(1), int(resumed.group(2)))
            if resumed
            else (getattr(code, "co_qualname", code.co_name), code.co_firstlineno)
        )
        self.fact = {
            "function": function,
            "file": code.co_filename,
            "line": line,
            "guard": guard,
            "count": 0,
        }

    def report(self):
        facts.say(
            vocabulary.FACT_RECOMPILATION,
            {
                **self.fact,
                "function": _named(self.fact, "function"),
                "file": _named(self.fact, "file"),
            },
        )


def _named(fact, key):
    return facts.text_of(fact[key][:300])


def _report(code, guard):
    key = (code.co_filename, code.co_firstlineno, code.co_name, _NUMBER.sub("#", guard))
    known = _guards.get(key)
    if known is None:
        if len(_guards) >= _MAX_GUARDS:
            _last[:] = None, None
            return
        known = _guards[key] = _Guard(code, guard)
    _last[:] = get_ident(), known
    count = known.fact["count"] = known.fact["count"] + 1
    if count & (count - 1) == 0:
        known.report()


def _report_limit(limit):
    """torch asks for it right behind the reason, of the same function."""
    thread, guard = _last
    if thread == get_ident() and "limit" not in guard.fact:
        guard.fact["limit"] = int(limit)
        guard.report()
