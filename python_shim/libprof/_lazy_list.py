"""A list whose elements are made when something reads them: a recording has millions, of which programs read few."""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Optional, Sequence, TypeVar

from ._collector import collected_later

Item = TypeVar("Item")
_FEW, _MANY = 8, 8192


_making = threading.RLock()  # a signal's handler or a destructor may read a list while its thread makes elements


def _new_lock() -> None:
    global _making
    _making = threading.RLock()


os.register_at_fork(after_in_child=_new_lock)  # another thread of the parent may have held it


class Maker:
    """Makes the elements of a list, each once. `made`: None for those that are not made yet."""

    def __init__(self, made: List[Any]) -> None:
        self._made = made

    def __len__(self) -> int:
        return len(self._made)

    def make(self, place: int) -> Any:
        """A new element."""
        raise NotImplementedError

    def items(self, places: Iterable[int]) -> List[Any]:
        """The elements at these indices, which must not be negative. Any thread may call this."""
        made, found = self._made, []
        with _making:
            for place in places:
                item = made[place]
                if item is None:
                    item = self.make(place)
                    if made[place] is None:  # else a handler made it meanwhile
                        made[place] = item
                found.append(made[place])
        return found

    def column(self, name: str) -> Optional[Sequence[Any]]:
        """A column of _table.py for all elements, as recorded; None if it is not known without making them."""

    def values(self, name: str, read: Callable[[Any], Any]) -> Optional[Sequence[Any]]:
        """The same, but for elements that exist, what `read` returns: the program may have changed them."""
        found = self.column(name)
        changed = [place for place, item in enumerate(self._made) if item is not None] if found is not None else []
        if found is None or not changed:
            return found
        values = list(found)
        for place in changed:
            values[place] = read(self._made[place])
        return values


class Rearranged(Maker):
    """The elements of another one in another order."""

    def __init__(self, maker: Maker, order: Sequence[int]) -> None:
        super().__init__([])
        self._maker, self._order = maker, order

    def __len__(self) -> int:
        return len(self._order)

    def items(self, places: Iterable[int]) -> List[Any]:
        """See Maker."""
        return self._maker.items([self._order[place] for place in places])

    def values(self, name: str, read: Callable[[Any], Any]) -> Optional[Sequence[Any]]:
        """See Maker."""
        found = self._maker.values(name, read)
        return None if found is None else [found[place] for place in self._order]


def _made(maker: Maker, places: Sequence[int]) -> List[Any]:
    if len(places) < _MANY:  # most reads: they do not touch the collector, which belongs to all threads
        return maker.items(places)
    with collected_later():
        return maker.items(places)


class LazyList(List[Item]):
    """A list with all operations of lists. Indexing, slicing and iterating make the elements that they return; everything else
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
        """A list of what `maker` makes."""
        made: LazyList[Any] = cls()
        made.make_later(maker)
        return made

    def make_later(self, maker: Maker) -> None:
        """Fills an empty list with elements that `maker` makes on access."""
        list.__init__(self, [None] * len(maker))  # type: ignore[misc]
        self._maker = maker if len(maker) else None

    def _make_all(self) -> None:
        maker = self._maker
        if maker is None:
            return
        made = _made(maker, range(len(maker)))
        with _making:
            if self._maker is maker:  # else another thread was first, and may have changed the list since
                list.__setitem__(self, slice(None), made)
                self._keep(made)
                self._maker = None

    def _keep(self, made: List[Item]) -> None:
        """Gets all elements right before the list counts as made."""

    if not TYPE_CHECKING:  # checkers know list's

        def __getitem__(self, at: Any) -> Any:
            maker, found = self._maker, list.__getitem__(self, at)
            if maker is None:
                return found
            if isinstance(at, slice):
                return _made(maker, range(*at.indices(len(maker))))
            return maker.items((at + len(maker) if at < 0 else at,))[0] if found is None else found

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
