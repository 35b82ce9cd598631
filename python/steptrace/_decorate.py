# SPDX-License-Identifier: Apache-2.0
"""annotate() as a decorator, for each kind of function.

A coroutine or a generator gives its thread away between two resumptions, and others run then: its
range covers each stretch in which it runs, so that ranges of one thread always nest.
"""

import functools
import inspect


def decorate(range_, function):
    """The function with each call, or each resumption, inside the range."""
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(decorate(range_, function.__func__))
    if inspect.isclass(function) or not callable(function):
        return function
    if inspect.iscoroutinefunction(function):
        return _coroutine(range_, function)
    if inspect.isasyncgenfunction(function):
        return _async_generator(range_, function)
    if inspect.isgeneratorfunction(function):
        return _generator(range_, function)
    return _plain(range_, function)


def _plain(range_, function):
    @functools.wraps(function)
    def annotated(*args, **kwargs):
        with range_:
            return function(*args, **kwargs)

    return annotated


def _resumed(range_, iterator):
    """A generator that passes all on to `iterator`, which runs inside the range; as `yield from`."""
    resume, value = iterator.send, None
    try:
        while True:
            try:
                with range_:
                    yielded = resume(value)
            except StopIteration as end:
                return end.value
            try:
                resume, value = iterator.send, (yield yielded)
            except GeneratorExit:
                raise
            except BaseException as error:
                resume, value = iterator.throw, error
    finally:
        with range_:
            iterator.close()


def _generator(range_, function):
    @functools.wraps(function)
    def annotated(*args, **kwargs):
        return (yield from _resumed(range_, function(*args, **kwargs)))

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
        resume, value = generator.asend, None
        try:
            while True:
                try:
                    yielded = await _Awaitable(range_, resume(value))
                except StopAsyncIteration:
                    return
                try:
                    resume, value = generator.asend, (yield yielded)
                except GeneratorExit:
                    raise
                except BaseException as error:
                    resume, value = generator.athrow, error
        finally:
            await generator.aclose()

    return annotated
