"""A range around what a decorated function does: one wrapper for each kind of function."""

from __future__ import annotations

import functools
import inspect
from typing import Any, AsyncGenerator, Callable, Generator, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def decorate(function: Function, again: Callable[[], Any]) -> Function:
    """`again` makes a new range of the same name and attributes."""
    if inspect.iscoroutinefunction(function):
        wrapper = _of_coroutine(function, again)
    elif inspect.isasyncgenfunction(function):
        wrapper = _of_asynchronous_generator(function, again)
    elif inspect.isgeneratorfunction(function):
        wrapper = _of_generator(function, again)
    else:
        wrapper = _of_function(function, again)
    return cast(Function, functools.wraps(function)(wrapper))


def _of_function(function: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        with again():
            return function(*arguments, **keywords)

    return call


def _of_coroutine(function: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    async def call(*arguments: Any, **keywords: Any) -> Any:
        async with again():
            return await function(*arguments, **keywords)

    return call


def _of_generator(function: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    """Hands on what is sent and thrown, as `yield from` does, with a range around each resumption."""

    def call(*arguments: Any, **keywords: Any) -> Generator[Any, Any, Any]:
        inner = function(*arguments, **keywords)
        resume, value = inner.send, None
        while True:
            with again():
                try:
                    item = resume(value)
                except StopIteration as end:
                    return end.value
            try:
                resume, value = inner.send, (yield item)
            except GeneratorExit:
                with again():
                    inner.close()
                raise
            except BaseException as error:  # whatever is thrown in is the inner generator's
                resume, value = inner.throw, error

    return call


def _of_asynchronous_generator(function: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    async def call(*arguments: Any, **keywords: Any) -> AsyncGenerator[Any, Any]:
        inner = function(*arguments, **keywords)
        resume, value = inner.asend, None
        while True:
            try:
                async with again():
                    item = await resume(value)
            except StopAsyncIteration:
                return
            try:
                resume, value = inner.asend, (yield item)
            except GeneratorExit:
                async with again():
                    await inner.aclose()
                raise
            except BaseException as error:  # as above
                resume, value = inner.athrow, error

    return call
