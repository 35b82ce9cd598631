# SPDX-License-Identifier: Apache-2.0
"""annotate() as a decorator, for each kind of function.

A coroutine or a generator gives its thread away between two resumptions, and others run then: its
range covers each time range in which it runs, so that ranges of one thread always nest.

What is passed through is held by nobody on the way: a batch that a generator has yielded, or an
exception with the tensors of its frames, may go when the script lets it go.
"""

import functools
import inspect
import types

_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


# Whether torch.compile is looking: torch's own question, which _hooks/own.py puts here.
tracing = None


def decorate(range_, function):
    """The function with each call, or each resumption, inside the range.

    Other callables (modules, compiled kernels, cached functions) can do more than be called, which
    no function in their place could: they stay what they are.
    """
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(decorate(range_, function.__func__))
    if type(function) is functools.partial:
        inner = decorate(range_, function.func)
        return functools.partial(inner, *function.args, **function.keywords)
    if not isinstance(function, _FUNCTIONS):
        return function
    if inspect.iscoroutinefunction(function):
        return _coroutine(range_, function)
    if inspect.isasyncgenfunction(function):
        return _async_generator(range_, function)
    if inspect.isgeneratorfunction(function):
        return _generator(range_, function)
    return _plain(range_, function)


def _plain(range_, function):
    begin, end = range_.enter, range_.__exit__

    @functools.wraps(function)
    def annotated(*args, **kwargs):
        if tracing is not None and tracing():
            return function(*args, **kwargs)
        try:
            begin()  # inside: a signal's exception may come as soon as it returns
            return function(*args, **kwargs)
        finally:
            end()

    return annotated


def wrapper_code():
    """The code that every wrapper of a plain function runs."""
    return next(c for c in _plain.__code__.co_consts if isinstance(c, types.CodeType))


def _resumed(range_, iterator):
    """A generator that passes all on to `iterator`, which runs inside the range; as `yield from`."""
    resume, box = iterator.send, [None]
    ended = False
    try:
        while True:
            try:
                with range_:
                    box.append(resume(box.pop()))
            except StopIteration as end:
                ended = True
                return end.value
            except BaseException:
                ended = True
                raise
            resume = iterator.send
            try:
                box.append((yield box.pop()))
            except GeneratorExit:
                raise
            except BaseException as error:
                resume = iterator.throw
                box.append(error)
    finally:
        if not ended:
            with range_:
                iterator.close()


def _generator(range_, function):
    @functools.wraps(function)
    def annotated(*args, **kwargs):
        return (yield from _resumed(range_, function(*args, **kwargs)))

    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & inspect.CO_ITERABLE_COROUTINE:
        return types.coroutine(annotated)  # one that can be awaited
    return annotated


class _Awaitable:
    __slots__ = ("awaitable", "range_")

    def __init__(self, range_, awaitable):
        self.range_ = range_
        self.awaitable = awaitable

    def __await__(self):
        return _resumed(self.range_, _as_generator(self.awaitable))


class _IteratorAsGenerator:
    """send, throw and close for an __await__ that gives a plain iterator."""

    def __init__(self, iterator):
        self.iterator = iterator

    def send(self, value):
        return next(self.iterator)

    def throw(self, error):
        raise error

    def close(self):
        pass


def _as_generator(awaitable):
    iterator = awaitable.__await__()
    return iterator if hasattr(iterator, "send") else _IteratorAsGenerator(iterator)


def _coroutine(range_, function):
    @functools.wraps(function)
    async def annotated(*args, **kwargs):
        return await _Awaitable(range_, function(*args, **kwargs))

    return annotated


def _async_generator(range_, function):
    @functools.wraps(function)
    async def annotated(*args, **kwargs):
        generator = function(*args, **kwargs)
        resume, box = generator.asend, [None]
        try:
            while True:
                try:
                    box.append(await _Awaitable(range_, resume(box.pop())))
                except StopAsyncIteration:
                    return
                resume = generator.asend
                try:
                    box.append((yield box.pop()))
                except GeneratorExit:
                    raise
                except BaseException as error:
                    resume = generator.athrow
                    box.append(error)
        finally:
            await generator.aclose()

    return annotated
