# SPDX-License-Identifier: Apache-2.0
"""An exception that nobody caught: its type, its message and where it was raised, for the report of a failed run.

The probe hears of it by an audit event (src/probe/python_tools.h) just before Python prints it, whatever
sys.excepthook is then: nothing that the script can see or replace is in the way. Of a thread Python says so to
threading.excepthook alone. No code of the script's runs here: what only its own `__str__` could say is not reported.
"""

import os
import re
import sys

from . import facts, tools, vocabulary

_MAX_REPORTED = 32  # of the main thread, and of all others together
_MAX_TEXT = 16 << 10  # of a message that is read
_MAX_MESSAGE = 1000
_MAX_END = 400  # of it
_MAX_PATH = 1000
_OUTER, _INNER = 8, 24  # frames that are kept of a deep stack
_MAX_FRAMES = 10000

_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'^ *File "([^"\n]{1,1000})", line (\d{1,9}), in (.{1,200})$', re.MULTILINE)
_PLAIN = (str, bytes, int, float, bool, type(None))
_SLOT = type(BaseException.__str__)
_FUNCTION = type(lambda: None)
_BUILTIN = type(len)
# What str() of these reads besides their arguments: the script may have put anything there.
_READ = {
    OSError: ("errno", "strerror", "filename", "filename2"),
    SyntaxError: ("msg",),
    UnicodeDecodeError: ("encoding", "reason"),
    UnicodeEncodeError: ("encoding", "reason"),
    UnicodeTranslateError: ("reason",),
}
_STANDARD = os.path.dirname(os.__file__) + os.sep

_reported = [0, 0]  # of other threads, of the main thread


def watch():
    """The process is attached: exceptions of its threads are told too."""
    threading = sys.modules.get("threading")
    if threading is not None and hasattr(threading, "excepthook"):
        tools.add(_ThreadHook(threading))


def report(kind, error, traceback, thread=None):
    """Called in the midst of an exception's end, where one more has no way to go: raises nothing."""
    try:
        of_main = thread is None
        if _reported[of_main] < _MAX_REPORTED:
            _reported[of_main] += 1
            fact = describe(kind, error, traceback)
            fact["thread"] = thread
            facts.say(vocabulary.FACT_EXCEPTION, fact)
    except BaseException:
        pass


def describe(kind, error, traceback):
    text = _text_of(kind, error)
    frames = _frames_of(traceback)
    if issubclass(kind, SyntaxError):
        file, line = _member(SyntaxError, "filename", error), _member(SyntaxError, "lineno", error)
        if type(file) is str and type(line) is int:
            frames.insert(0, [file, line, None])
    if text is not None and _TRACEBACK in text:
        # As it came from another process: a DataLoader worker, a spawned rank.
        frames = _frames_in(text) + frames
    return {
        "type": _name_of(kind),
        "message": None if text is None else facts.text_of(_one_line(text)),
        "frames": [
            [facts.text_of(file[-_MAX_PATH:]), line, name and facts.text_of(name[:200])]
            for file, line, name in frames[: _OUTER + _INNER]
        ],
    }


def _name_of(kind):
    """As the interpreter writes it: with its module, but of builtins and of the script itself."""
    name, module = _member(type, "__qualname__", kind), _member(type, "__module__", kind)
    if type(module) is str and module not in ("builtins", "__main__"):
        name = f"{module}.{name}"
    return facts.text_of(name[:200])


def _text_of(kind, error):
    """str(error), if that runs nothing of the script's; None: it would, or nobody knows."""
    arguments = _member(BaseException, "args", error)
    plain = all(map(_is_plain, arguments))
    for one, names in _READ.items():
        if issubclass(kind, one):
            plain = plain and all(_is_plain(_member(one, name, error)) for name in names)
    method = _method_of(kind)
    if plain and (type(method) is _SLOT or _is_standard(method)):
        text = str(error)
    else:
        # Of several, none is the message: the first of a UnicodeError is the encoding.
        text = arguments[0] if len(arguments) == 1 and type(arguments[0]) is str else None
    if text is not None and len(text) > 2 * _MAX_TEXT:
        return f"{text[:_MAX_TEXT]}\n{text[-_MAX_TEXT:]}"
    return text


def _member(owner, name, thing):
    """As the interpreter itself sees it, whatever a class of the script's puts in its place."""
    return vars(owner)[name].__get__(thing)


def _method_of(kind):
    for one in _member(type, "__mro__", kind):
        if "__str__" in vars(one):
            return vars(one)["__str__"]
    return None


def _is_plain(value):
    if type(value) in (list, tuple):
        return len(value) < 1000 and all(type(one) in _PLAIN for one in value)
    return type(value) in _PLAIN


def _is_standard(method):
    file = method.__code__.co_filename if type(method) is _FUNCTION else ""
    return file.startswith(_STANDARD) and "site-packages" not in file


def _frames_of(traceback):
    """Innermost first; of a deep stack both ends."""
    frames = []
    while traceback is not None and len(frames) < _MAX_FRAMES:
        code = traceback.tb_frame.f_code
        frames.append([code.co_filename, traceback.tb_lineno, code.co_name])
        traceback = traceback.tb_next
    frames.reverse()
    if len(frames) > _OUTER + _INNER:
        del frames[_INNER:-_OUTER]
    return frames


def _frames_in(text):
    found = _FRAME.findall(text)[-_INNER:]
    return [[file, int(line), name] for file, line, name in reversed(found)]


def _one_line(text):
    """Its words; of one that holds another process's traceback, what stands before that, and its last line. Of a
    long one both ends: a launcher tells of the process that failed first behind all others."""
    head, traceback, rest = text.partition(_TRACEBACK)
    line = " ".join(_words_of(head))
    if traceback:
        last = (list(_words_of(rest)) or [""])[-1]
        line = f"{line[: _MAX_MESSAGE // 2].replace(' Original', '').strip()} {last}"
    if len(line) <= _MAX_MESSAGE:
        return line
    return f"{line[: _MAX_MESSAGE - _MAX_END - 1]}…{line[-_MAX_END:]}"


def _words_of(text):
    """Without lines that only draw: "=====", "-----"."""
    for line in text.splitlines():
        if line.strip(" \t=-_*#~"):
            yield " ".join(line.split())


def _report_thread(threading, args):
    """As of tell: raises nothing, and runs none of the script's code, as a thread's own `name`."""
    try:
        if tools.audited() or type(args) is not threading.ExceptHookArgs:
            return
        if args.exc_type is not SystemExit:
            name = _name_of_thread(threading, args.thread)
            report(args.exc_type, args.exc_value, args.exc_traceback, name)
    except BaseException:
        pass


def _name_of_thread(threading, thread):
    if not issubclass(type(thread), threading.Thread):
        return "?"  # None: it is gone
    name = _member(threading.Thread, "__dict__", thread).get("_name")
    return facts.text_of(name[:200]) if type(name) is str else "?"


class _ThreadHook:
    """Python's own threading.excepthook tells, too. A part of the hooks (tools.add)."""

    def __init__(self, threading):
        self._threading = threading
        self._before = self._hook = None
        self.back()

    def aside(self):
        if self._hook is not None and self._threading.excepthook is self._hook:
            self._threading.excepthook = self._before

    def back(self):
        threading, before = self._threading, self._threading.excepthook
        if type(before) is not _BUILTIN:
            return  # the script's own may raise, and its traceback would show ours

        def hook(args):
            _report_thread(threading, args)
            before(args)

        self._before, self._hook = before, hook
        self._threading.excepthook = hook
