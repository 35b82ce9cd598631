# SPDX-License-Identifier: Apache-2.0
"""Changing a function's code in place: what it does, and what must not be seen of it."""

import inspect
import pickle
import traceback
import warnings
from contextlib import contextmanager

import pytest

from steptrace._hooks.surround import Calls, CannotSurroundError, nothing, surround


def plain(value, other=2):
    """A docstring."""
    if value < 0:
        raise ValueError("negative")
    return value + other


def warns():
    warnings.warn("here", stacklevel=2)


class Thing:
    __hidden = 5

    def method(self, value):
        return warnings.__name__, self.__hidden + value

    def exhausted(self):
        raise StopIteration

    def outer(self, items):
        size = len(items)
        result = self.inner(items)
        return result, size

    def inner(self, items):
        return list(items)


class Other:
    def method(self, value):
        return value + len((lambda: "x")())


@contextmanager
def managed(name):
    yield name


def decorating(function):
    def wrapper(*args):
        return function(*args) * 2

    return wrapper


class Log(list):
    def enter(self, *given):
        self.append(("enter", *given))
        return lambda: self.append("exit")


@pytest.fixture()
def log():
    return Log()


@pytest.fixture()
def around(log):
    undos = []

    def put(function, arguments=(), nested=None, **calls):
        undos.append(surround(function, Calls(log.enter, arguments, **calls), nested))
        return undos[-1]

    yield put
    for undo in undos:
        undo()


def test_calls_stand_around_the_body(around, log):
    around(plain, ("value", "other"))
    assert plain(1) == 3
    assert log == [("enter", 1, 2), "exit"]


def test_undo_gives_the_code_back(around, log):
    code = plain.__code__
    undo = around(plain)
    assert plain.__code__ is not code
    undo()
    assert plain.__code__ is code
    assert plain(1) == 3
    assert log == []


def test_what_is_seen_of_the_function_stays(around):
    seen = (inspect.signature(plain), plain.__doc__, inspect.getsource(plain), pickle.dumps(plain))
    around(plain)
    assert seen == (
        inspect.signature(plain),
        plain.__doc__,
        inspect.getsource(plain),
        pickle.dumps(plain),
    )


def test_an_exception_passes_on_the_lines_where_it_was(around, log):
    def formatted():
        try:
            plain(-1)
        except ValueError:
            return traceback.format_exc()

    before = formatted()
    around(plain)
    assert formatted() == before
    assert log == [("enter",), "exit"]


def test_a_warning_names_the_same_line(around):
    def line():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warns()
        return caught[0].filename, caught[0].lineno

    before = line()
    around(warns)
    assert line() == before


def test_a_method_with_a_private_name_and_an_imported_module(around, log):
    around(Thing.method, ("self", "value"))
    thing = Thing()
    assert thing.method(1) == ("warnings", 6)
    assert log == [("enter", thing, 1), "exit"]


def test_stop_is_called_when_the_iteration_ends(around, log):
    around(Thing.exhausted, ("self",), stop=lambda thing: log.append("stop"))
    thing = Thing()
    with pytest.raises(StopIteration):
        thing.exhausted()
    assert log == [("enter", thing), "stop", "exit"]


def test_a_call_inside_can_be_surrounded_too(around, log):
    around(Thing.outer, inner={"inner": lambda: log.append("inner") or nothing})
    assert Thing().outer([1]) == ([1], 1)
    assert log == [("enter",), "inner", "exit"]


def test_a_generator_is_surrounded_until_it_ends(around, log):
    around(managed.__wrapped__, ("name",))
    with managed("x") as name:
        assert (name, log) == ("x", [("enter", "x")])
    assert log[-1] == "exit"


def test_a_function_defined_inside(around, log):
    around(decorating, ("args",), nested="wrapper")
    doubled = decorating(plain)
    assert doubled(1) == 6
    assert log == [("enter", (1,)), "exit"]


def test_undo_makes_what_was_made_inert(around, log):
    undo = around(decorating, ("args",), nested="wrapper")
    doubled = decorating(plain)
    undo()
    assert doubled(1) == 6
    assert log == []


def test_a_closure_keeps_its_cells(around, log):
    doubled = decorating(plain)
    around(doubled, ("args",))
    assert doubled(1) == 6
    assert log == [("enter", (1,)), "exit"]


def test_functions_of_one_name_are_told_apart(around, log):
    around(Other.method, ("self",))
    assert (Thing().method(1)[1], Other().method(1)) == (6, 2)
    assert len(log) == 2


def test_a_function_without_source_is_left_alone():
    space = {}
    exec("def made(): return 1", space)
    with pytest.raises(CannotSurroundError, match="source is not there"):
        surround(space["made"], Calls(lambda: nothing))
    assert space["made"]() == 1


def test_a_source_that_changed_on_disk_is_noticed(tmp_path, monkeypatch):
    import importlib

    path = tmp_path / "changing.py"
    path.write_text("def f():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    function = importlib.import_module("changing").f
    path.write_text("def f():\n    return 2\n")
    with pytest.raises(CannotSurroundError):
        surround(function, Calls(lambda: nothing))
    assert function() == 1


@pytest.mark.parametrize("thing", [len, Thing, Thing()])
def test_only_python_functions(thing):
    with pytest.raises(CannotSurroundError):
        surround(thing, Calls(lambda: nothing))
