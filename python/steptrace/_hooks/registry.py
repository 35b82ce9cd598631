# SPDX-License-Identifier: Apache-2.0
"""Which modules are hooked, and how a hook gets into one: right after its import, at its own risk.

Nothing here imports a module of the script's. The process attaches to its ring when the first
hooked module has been imported, so that a Python without one leaves no trace.
"""

import importlib
import sys
from _thread import get_ident

from . import interruption, tools, vocabulary

# What the other hooks rest on: no word of STEPTRACE_HOOKS turns it off.
ALWAYS = "always"

# Defining module -> (word for STEPTRACE_HOOKS, module of ours that patches it).
TARGETS = {
    "steptrace": (ALWAYS, "own"),
    "torch._dynamo": (ALWAYS, "own"),
    "torch.compiler": (ALWAYS, "compiling"),
    **vocabulary.HOOKED_MODULES,
}

# These alone are no reason to attach: many a Python that trains nothing imports them.
COMMON = frozenset(["numpy"])

_IMPORT_SYSTEM = "<frozen importlib._bootstrap>"


class Registry:
    """The meta-path finder, and what it has patched."""

    def __init__(self, words):
        self._words = words
        self._probe = None
        self._waiting = []
        self._searching = set()
        self._seen = {}  # name -> the module that was to be patched
        self.hooks = {}

    def install(self):
        from . import native

        probe = native.load(listed=False)
        if probe is not None:
            tools.add(self)
            tools.watch(probe, self)
            probe.tools_uncaught(self._report_uncaught)
        self.back()

    def aside(self):
        if self in sys.meta_path and not _search_is_on():
            sys.meta_path.remove(self)

    def back(self):
        """Also at the begin: what has been imported without us is patched."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        for name in TARGETS:
            module = sys.modules.get(name)
            spec = getattr(module, "__spec__", None)
            if module is None or getattr(spec, "_initializing", False):
                continue
            if self._seen.get(name) is not module:
                self.patch(name, module)

    def find_spec(self, name, path=None, target=None):
        searching = (name, get_ident())
        if name not in TARGETS or tools.on() or searching in self._searching:
            return None
        self._searching.add(searching)
        try:
            spec = self._find_elsewhere(name, path, target)
            if spec is not None and hasattr(spec.loader, "exec_module"):
                _after_exec(_that_executes(spec.loader), name, self.patch)
            return spec
        finally:
            self._searching.discard(searching)

    def _find_elsewhere(self, name, path, target):
        for finder in list(sys.meta_path):
            if finder is self:
                continue
            if not hasattr(finder, "find_spec"):
                return None  # of before PEP 451: the import system knows how to ask it
            else:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def patch(self, name, module):
        """Never raises: a hook that cannot get in says so and is off."""
        if tools.on():
            return  # back() does it
        self._seen[name] = module
        try:
            if self._probe is None and not self._attach(name):
                self._waiting.append((name, module))
                return
            self._patch(name, module)
        except Exception as error:
            if interruption.of_the_script(error):
                raise

    def _attach(self, name):
        if name in COMMON:
            return False
        from . import NO_RING, leave_mark, native

        probe = native.load()
        if probe is None or not (probe.attached() or probe.attach()):
            if self._words:
                leave_mark(native.why_not() if probe is None else NO_RING)
            self._words = frozenset()
            return False
        from . import facts, uncaught

        facts.begin(probe)
        tools.record(probe)
        uncaught.watch()
        self._probe = probe
        for attached, (word, patcher) in vocabulary.HOOKED_WHEN_ATTACHED.items():
            self._patch_by_word(word, patcher, importlib.import_module(attached))
        waiting, self._waiting = self._waiting, []
        for waiting_name, module in waiting:
            self._patch(waiting_name, module)
        return True

    def _report_uncaught(self, kind, error, traceback):
        """Nobody caught it, and Python is about to print it."""
        if self._probe is not None:
            from . import uncaught

            uncaught.report(kind, error, traceback)

    def _patch(self, name, module):
        word, patcher = TARGETS[name]
        self._patch_by_word(word, patcher, module)

    def _patch_by_word(self, word, patcher, module):
        if word not in self._words:
            return
        from .hook import Hook
        from .surround import forget_sources

        hook = Hook(word, module.__name__, self._probe)
        try:
            importlib.import_module("." + patcher, __package__).patch(module, hook)
        except BaseException as error:
            hook.give_up(error)  # never half of it
            if not isinstance(error, Exception) or interruption.of_the_script(error):
                raise
        else:
            self.hooks[module.__name__] = hook
            hook.say("active", "; ".join(hook.wrapped))
        forget_sources()


def _search_is_on():
    """Whether a thread goes through the finders: one that is taken out would make it skip another."""
    for frame in sys._current_frames().values():
        while frame is not None:
            code = frame.f_code
            if code.co_name == "_find_spec" and code.co_filename == _IMPORT_SYSTEM:
                return True
            frame = frame.f_back
    return False


def _that_executes(loader):
    """The loader that runs the module: one that waits for the module's first use has it inside."""
    return loader.loader if type(loader).__name__ == "LazyLoader" else loader


def _after_exec(loader, name, patch):
    """Calls patch(name, module) once `loader` has executed that module; leaves the loader as it is."""
    if isinstance(loader, type):
        return  # one for all modules (frozen, built in): nothing to put this on

    def exec_module(module):
        vars(loader).pop("exec_module", None)
        loader.exec_module(module)
        if module.__name__ == name:
            patch(name, sys.modules.get(name, module))

    # A traceback leaves out the import system's frames, known by this name: this is one of them.
    exec_module.__code__ = exec_module.__code__.replace(co_filename=_IMPORT_SYSTEM)
    try:
        loader.exec_module = exec_module
    except Exception:
        pass  # a loader without attributes: its module stays unhooked


def words_of(setting):
    """The hooks that STEPTRACE_HOOKS selects: all of them when it is not set."""
    known = {ALWAYS, *vocabulary.HOOK_WORDS}
    if setting is None or setting.strip() in ("", "all"):
        return known
    chosen = known & {word.strip() for word in setting.split(",")}
    return chosen | {ALWAYS} if chosen else chosen
