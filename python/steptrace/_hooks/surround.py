# SPDX-License-Identifier: Apache-2.0
"""Puts calls around the body of a function by changing its code in place.

A wrapper would be seen: as a frame in every traceback, in the line that a warning names, by
`from torch.autograd import backward` done earlier, by pickle and by identity. So the function stays
the object that it is and gets the code that its own source gives with

    _steptrace_exit = enter(arguments)
    try: <body>
    finally: _steptrace_exit()

around the body, on the lines of the body; with the body alone while the script's own tools are on
(tools.py). `enter` must not raise; what it returns is called at the end and must not raise either.
Where a nested function is the one, each that is made goes through `tools.changes_code`. Nothing is
changed unless compiling the source again gives the very code that the function runs now.
"""

import __future__

import ast
import functools
import inspect
import linecache
import re
import types
import warnings
from contextlib import contextmanager

from . import tools

_FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

_LOCAL = "_steptrace_exit"

# The files that linecache holds only because of us.
_read = []


class CannotSurroundError(Exception):
    """The function's code cannot be changed in place; the text says why."""


# The exit of a range that was not begun: no frame of Python's, and of a class no profiler sees a call.
nothing = bool


def inert(*_):
    """The enter of a hook that is off."""
    return nothing


class Calls:
    """What to call around a body, all optional but `enter`.

    enter(arguments…) -> exit     around the whole body
    stop(arguments…)              when StopIteration leaves the body, before exit
    inner {method: enter() -> exit}   around each simple statement that calls self.<method>
    leaves=False                  what enter returns is not called, and nothing stands behind the body
    made() -> functions           where some may be that the code of a nested function was given to
    """

    def __init__(self, enter, arguments=(), stop=None, inner=None, leaves=True, made=tuple):
        self.enter = enter
        self.arguments = arguments
        self.stop = stop
        self.inner = inner or {}
        self.leaves = leaves
        self.made = made


class Surrounding:
    """A function with calls around its body. Called, it takes them away for good."""

    def __init__(self, function, changed, names, nested, made):
        self._function = function
        self._names = names
        self._codes = [(function.__code__, changed)]
        if nested:
            codes = _nested_code(function.__code__, nested), _nested_code(changed, nested)
            self._codes.append(codes)
            function.__globals__[names.made] = tools.changes_code(*codes)
        self._made = made
        self._over = False
        tools.change_code(function.__code__, changed, function)

    def __call__(self):
        self._over = True
        # Functions that were made from the nested code may keep it: their calls become inert.
        self._function.__globals__.update(dict.fromkeys(self._names.values, inert))
        self.aside()

    def aside(self):
        """What runs now runs to its end as it is."""
        for function, own, changed in self._changeable():
            if function.__code__ is changed:
                function.__code__ = own

    def back(self):
        if self._over:
            return
        for function, own, changed in self._changeable():
            if function.__code__ is own:
                tools.change_code(own, changed, function)

    def _changeable(self):
        for function in (self._function, *self._made()):
            for own, changed in self._codes:
                yield function, own, changed


def surround(function, calls, nested=None):
    """Puts `calls` around the body of `function`, or of the function `nested` defined in it."""
    if not isinstance(function, types.FunctionType):
        raise CannotSurroundError("not a Python function")
    original = function.__code__
    with _no_warnings():
        tree = _parse(function)
        names = _names(function, calls)
        definition = _definition(tree, original, nested)
        _check_arguments(definition, calls)
        _rewrite(definition, calls, names)
        if nested:
            names.made = names.free("made")
            _pass_through(definition, names.made)
        changed = _compile(tree, function)
    if changed.co_freevars != original.co_freevars:
        raise CannotSurroundError("its closure would change")
    function.__globals__.update(names.values)
    return Surrounding(function, changed, names, nested, calls.made)


def _nested_code(code, name):
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            found = const if const.co_name == name else _nested_code(const, name)
            if found is not None:
                return found
    return None


@contextmanager
def _no_warnings():
    """What compiling torch's source once more has to say has been said, or not, without us.

    Not catch_warnings: that makes every warning of the script's that was shown once be shown again.
    """
    filters = warnings.filters
    ours = [("ignore", None, kind, None, 0) for kind in (SyntaxWarning, DeprecationWarning)]
    filters[:0] = ours
    try:
        yield
    finally:
        for one in ours:
            if one in filters:
                filters.remove(one)


def _check_arguments(definition, calls):
    """A name that is no argument would be a NameError in the script."""
    given = definition.args
    there = [*given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    there += getattr(given, "posonlyargs", [])
    names = {argument.arg for argument in there if argument is not None}
    for name in calls.arguments:
        if name not in names:
            raise CannotSurroundError(f"it has no argument {name}")


class _Names:
    """The globals by which the changed code finds what it calls."""

    def __init__(self, function):
        self._slug = re.sub(r"\W+", "_", function.__qualname__).strip("_")
        self._taken = function.__globals__
        self.values = {}
        self.enter = self.stop = self.made = None
        self.inner = {}

    def add(self, role, value):
        name = self.free(role)
        self.values[name] = value
        return name

    def free(self, role):
        name = f"_steptrace_{role}_{self._slug}"
        while name in self._taken or name in self.values:
            name += "_"
        return name


def _names(function, calls):
    names = _Names(function)
    names.enter = names.add("enter", calls.enter)
    if calls.stop:
        names.stop = names.add("stop", calls.stop)
    for method, enter in calls.inner.items():
        names.inner[method] = names.add(method, enter)
    return names


def _parse(function):
    """The function's definition as a tree that gives its code.

    The definition alone, on the lines and columns where it stands in its file, with the names that
    the file imports (3.11 compiles calls on those differently); else the whole file, which is slow.
    """
    code = function.__code__
    if code.co_filename not in linecache.cache:
        _read.append(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines[code.co_firstlineno - 1 : code.co_firstlineno]:
        raise CannotSurroundError("its source is not there")
    for source in (_alone, _whole):
        try:
            tree = ast.parse(source(function, lines))
            if _same_code(_compile(tree, function), code):
                return tree
        except (SyntaxError, LookupError):
            continue
    raise CannotSurroundError("its source does not give its code")


def forget_sources():
    """Gives back the memory of the files that were read: for when a module has been patched."""
    _imported.cache_clear()
    while _read:
        linecache.cache.pop(_read.pop(), None)


def _alone(function, lines):
    first = function.__code__.co_firstlineno
    path = function.__qualname__.split(".")
    block = inspect.getblock(lines[first - 1 :])
    head = ""
    if block[0][:1].isspace():  # a method: a class on the line before gives it its place
        head = f"class {path[-2]}:\n" if len(path) > 1 else "if 1:\n"
    imports = "".join(f"import {name};" for name in sorted(_imported(tuple(lines))))
    return imports + "\n" * (first - 1 - bool(head)) + head + "".join(block)


def _whole(function, lines):
    return "".join(lines)


@functools.lru_cache(maxsize=1)
def _imported(lines):
    """The names that statements without indentation import."""
    found = set()
    statement = ""
    for line in lines:
        if statement or line.startswith(("import ", "from ")):
            statement += line
            if statement.count("(") == statement.count(")") and not line.endswith("\\\n"):
                for alias in ast.parse(statement).body[0].names:
                    found.add(alias.asname or alias.name.split(".")[0])
                statement = ""
    return found - {"*"}


def _definition(tree, code, nested):
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            lines = [part.lineno for part in (node, *node.decorator_list)]
            if min(lines) == code.co_firstlineno:
                found = node
    for node in ast.walk(found) if nested else ():
        if isinstance(node, ast.FunctionDef) and node.name == nested:
            return node
    if found is None or nested:
        raise CannotSurroundError(f"{nested or code.co_name} is not in its source")
    return found


def _compile(tree, function):
    """The code of `function` that `tree` gives; LookupError: none."""
    code = function.__code__
    flags = code.co_flags & _FUTURE_FLAGS
    module = compile(tree, code.co_filename, "exec", flags=flags, dont_inherit=True)
    todo = [module]
    while todo:
        consts = [const for const in todo.pop().co_consts if isinstance(const, types.CodeType)]
        for const in consts:
            if (const.co_name, const.co_firstlineno) == (code.co_name, code.co_firstlineno):
                return const
        todo += consts
    raise LookupError(code.co_name)


def _same_code(one, other):
    fields = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags")
    if any(getattr(one, field) != getattr(other, field) for field in fields):
        return False
    if one.co_firstlineno != other.co_firstlineno or len(one.co_consts) != len(other.co_consts):
        return False
    return all(_same_const(a, b) for a, b in zip(one.co_consts, other.co_consts))


def _same_const(one, other):
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return _same_code(one, other)
    return type(one) is type(other) and one == other


def _rewrite(definition, calls, names):
    body = definition.body
    if names.inner:
        _InnerCalls(names.inner).visit(definition)
    docstring = body[:1] if ast.get_docstring(definition, clean=False) is not None else []
    rest = body[len(docstring) :]
    if not rest:
        raise CannotSurroundError("its body is empty")
    arguments = ", ".join(calls.arguments)
    if not calls.leaves:
        definition.body = docstring + _template(f"{names.enter}({arguments})", rest[0]) + rest
        return
    guard = _guarded(names.enter, arguments, rest, _LOCAL)
    if names.stop:
        stop = f"try: pass\nexcept StopIteration:\n {names.stop}({arguments})\n raise"
        guard[1].handlers = _template(stop, rest[0])[0].handlers
    definition.body = docstring + guard


def _pass_through(definition, name):
    """Each function that the definition makes goes through that, before its own decorators."""
    decorators = definition.decorator_list
    decorators.append(
        ast.copy_location(ast.Name(name, ast.Load()), (decorators or [definition])[-1])
    )


def _guarded(enter, arguments, body, local):
    source = f"{local} = {enter}({arguments})\ntry: pass\nfinally: {local}()"
    assign, guard = _template(source, body[0])
    guard.body = body
    return [assign, guard]


def _template(source, place):
    """Statements that claim to stand where `place` stands, so that no line moves."""
    statements = ast.parse(source).body
    for statement in statements:
        for node in ast.walk(statement):
            ast.copy_location(node, place)
    return statements


class _InnerCalls(ast.NodeTransformer):
    """Surrounds each simple statement that calls self.<method>."""

    def __init__(self, names):
        self._names = names

    def _statement(self, node):
        for part in ast.walk(node):
            function = part.func if isinstance(part, ast.Call) else None
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                enter = self._names.get(function.attr)
                if enter and function.value.id == "self":
                    return _guarded(enter, "", [node], f"{_LOCAL}_{function.attr}")
        return node

    visit_Return = visit_Assign = visit_AnnAssign = visit_Expr = _statement
