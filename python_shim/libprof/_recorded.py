"""Objects whose attributes are read from a recording on access, until the program sets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, Tuple, Type, TypeVar

Fields = Dict[str, Callable[[Any], Any]]
"""Functions that read attributes, by name. They get the row, or the object if it keeps the value."""


class _Field:
    """An attribute that is read by row each time. Once the program has set it, the instance holds the value."""

    def __init__(self, *default: Any) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, one: Any, owner: Any = None) -> Any:
        if one is not None:
            return one._fields[self._name](one._row)
        if not self._default:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute {self._name!r}")
        return self._default[0]

    def read_default(self, row: Any) -> Any:
        """The value without a recording."""
        if not self._default:
            raise AttributeError(f"object has no attribute {self._name!r}")
        return self._default[0]


class _Kept(_Field):
    """An attribute that the program may change in place: it is read once, by object, and kept."""

    def __get__(self, one: Any, owner: Any = None) -> Any:
        if one is None:
            return self
        value = one._fields[self._name](one)
        setattr(one, self._name, value)
        return value

    def read_default(self, row: Any) -> Any:
        """A new object."""
        return super().read_default(row)()


def field(*default: Any) -> Any:
    """An attribute that is never changed in place, with the value that it has without a recording."""
    return _Field(*default)


def kept(*default: Any) -> Any:
    """An attribute that may be changed in place, with the function that makes it without a recording."""
    return _Kept(*default)


class _Attributes:
    """Gives instances a dictionary."""


class Recorded(_Attributes):
    """Base of events and averages."""

    __slots__ = ("_fields", "_row")
    _fields: Fields
    _row: int
    _defaults: Fields = {}
    _shown: Tuple[str, ...] = ()

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        return seen_at(cls, cls._defaults, -1)

    if not TYPE_CHECKING:

        @property
        def __dict__(self) -> Dict[str, Any]:
            """What was set, kept or recorded. Details are in it once they have been read."""
            own, fields, defaults = own_attributes(self), self._fields, self._defaults
            for name in self._shown:
                if name not in own and fields[name] is not defaults[name]:
                    own[name] = getattr(self, name)
            return own

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._fields, self._row = self._defaults, -1
        own_attributes(self).update(state)

    def as_instance_of(self, kind: Type["Kind"]) -> "Kind":
        """The same under another class."""
        other = seen_at(kind, self._fields, self._row)
        own_attributes(other).update(own_attributes(self))
        return other


Kind = TypeVar("Kind", bound=Recorded)
own_attributes: Callable[[Recorded], Dict[str, Any]] = _Attributes.__dict__["__dict__"].__get__
_new: Callable[[Any], Any] = object.__new__


def seen_at(kind: Type[Kind], fields: Fields, row: int) -> Kind:
    """An object of a row of a recording."""
    one: Kind = _new(kind)
    one._fields, one._row = fields, row
    return one


def finish(kind: Type[Recorded], late: Collection[str]) -> Fields:
    """Completes a class with such attributes. Returns the functions that read them without a recording. `late`: details, which
    ``vars()`` has only once they have been read.
    """
    found = {name: one for name, one in vars(kind).items() if isinstance(one, _Field)}
    kind._defaults = {name: one.read_default for name, one in found.items()}
    kind._shown = tuple(name for name in found if name not in late)
    return kind._defaults
