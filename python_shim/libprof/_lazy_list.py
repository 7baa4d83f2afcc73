"""A list whose elements are made when something reads them: a recording has millions, of which programs read few."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Protocol, Sequence, TypeVar

from ._collector import collected_later

Item = TypeVar("Item")
_FEW, _MANY = 8, 8192


class Maker(Protocol):
    """Makes the elements of a list."""

    def __len__(self) -> int: ...

    def items(self, places: Sequence[int]) -> List[Any]:
        """The elements at these indices, which are not negative. The same ones each time."""


def _made(maker: Maker, places: Sequence[int]) -> List[Any]:
    with collected_later():
        return maker.items(places)


class LazyList(List[Item]):
    """A list, with all that lists can do. Indexing, slicing and iterating make the elements that they return; everything else
    makes all elements first. Threads that read it at once get the same elements.
    """

    _maker: Optional[Maker] = None
    """None: all elements are made. Else the list holds None for those that are not."""

    @property
    def maker(self) -> Optional[Maker]:
        """None if all elements are made."""
        return self._maker

    @classmethod
    def of(cls, maker: Maker) -> "LazyList[Any]":
        """A list of what it makes."""
        made: LazyList[Any] = cls()
        made.make_later(maker)
        return made

    def make_later(self, maker: Maker) -> None:
        """Fills an empty list."""
        list.__init__(self, [None] * len(maker))  # type: ignore[misc]
        self._maker = maker if len(maker) else None

    def _make_all(self) -> None:
        maker = self._maker
        if maker is not None:
            list.__setitem__(self, slice(None), _made(maker, range(len(maker))))
            self._maker = None

    if not TYPE_CHECKING:  # checkers know list's

        def __getitem__(self, at: Any) -> Any:
            maker, found = self._maker, list.__getitem__(self, at)
            if maker is None:
                return found
            if isinstance(at, slice):
                return _made(maker, range(*at.indices(len(self))))
            return maker.items((at + len(self) if at < 0 else at,))[0] if found is None else found

    def __iter__(self) -> Iterator[Item]:
        return list.__iter__(self) if self._maker is None else self._items()

    def _items(self) -> Iterator[Item]:
        """Makes a few elements, then more and more at once: a loop may end early, but most do not."""
        at, count, maker = 0, _FEW, self._maker
        while maker is not None and maker is self._maker and at < len(maker):
            for item in _made(maker, range(at, min(at + count, len(maker)))):
                yield item
                at += 1
            count = min(2 * count, _MANY)
        if maker is self._maker:
            self._make_all()
        while at < len(self):  # it was changed meanwhile
            yield list.__getitem__(self, at)
            at += 1

    def __radd__(self, other: Any) -> Any:
        self._make_all()
        return other + self[:]


def _complete(name: str) -> Callable[..., Any]:
    """list's method of this name, after all elements of its operands were made."""
    method = getattr(list, name)

    @functools.wraps(method)
    def call(self: LazyList[Any], *arguments: Any, **keywords: Any) -> Any:
        for one in (self, *arguments):
            if isinstance(one, LazyList):
                one._make_all()
        return method(self, *arguments, **keywords)

    return call


for _name in (
    "__add__", "__contains__", "__delitem__", "__eq__", "__ge__", "__gt__", "__iadd__", "__imul__", "__le__", "__lt__", "__mul__",
    "__ne__", "__reversed__", "__rmul__", "__setitem__", "append", "clear", "copy", "count", "extend", "index", "insert", "pop",
    "remove", "reverse", "sort",
):  # fmt: skip
    setattr(LazyList, _name, _complete(_name))
