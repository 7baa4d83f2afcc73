"""PyTorch's operators as ranges, for a whole program: through the observer, or through PyTorch's own annotations.

PyTorch's profiler has a state in which it annotates every operator through NVTX. Builds without CUDA do not implement
that state, so libprof registers its own object for it. This module switches the state on without ``emit_nvtx``, which
synchronises the device first. That would initialise CUDA in a program that may still want to fork.

A thread has room for one profiler. When the program begins one of its own, this one makes room, and comes back when
that has ended; meanwhile operators are not recorded, and a mark says so.
"""

from __future__ import annotations

import atexit
import ctypes
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, List, Optional

from . import _native, _new_threads, _torch_observer, _torch_tasks
from ._guest import thread_local
from ._torch_observer import MEMORY, OPERATORS, SHAPES, Observer, together
from .errors import ProfError, warn

TAKEN_MARK = b"operators are not recorded: the program's own torch profiler has begun"
BACK_MARK = b"operators are recorded again"
ELSEWHERE = "the profile ended on a different thread than it began on: on the first thread, {} until the thread ends"


class PlaceHolder:
    """Has the one place that a thread has for a profiler, and leaves it while the program has one of its own.

    Marks say when; what has been left meanwhile is not recorded.
    """

    TAKEN_MARK, BACK_MARK = TAKEN_MARK, BACK_MARK

    def __init__(self) -> None:
        self._left = thread_local()

    def say(self, mark: bytes) -> None:
        """Marks that the place is left, or taken again."""
        _native.library().prof_mark(mark)

    def begin(self) -> bool:
        """Takes the calling thread's place if it is free; returns whether it was."""
        raise NotImplementedError

    def end(self) -> bool:
        """Leaves it; returns whether it was held."""
        raise NotImplementedError

    def times_left(self) -> int:
        """How often the calling thread's place was left."""
        return int(getattr(self._left, "times", 0))

    def make_room(self, torch: ModuleType) -> None:
        """Has the program's own profilers find the thread's place free."""
        legacy = sys.modules.get("torch.autograd.profiler_legacy")
        for where in (torch._C._autograd, torch.autograd, torch.autograd.profiler, legacy):
            for name in ("_prepare_profiler", "_enable_profiler", "_enable_profiler_legacy"):
                if hasattr(where, name):
                    setattr(where, name, self._before(getattr(where, name)))
            for name in ("_disable_profiler", "_disable_profiler_legacy"):
                if hasattr(where, name):
                    setattr(where, name, self._after(getattr(where, name)))

    def _before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            if self.end():
                self._left.taken = True
                self._left.times = self.times_left() + 1
                self.say(self.TAKEN_MARK)
            return function(*arguments, **named)

        return wrapper

    def _after(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            finally:
                if getattr(self._left, "taken", False):
                    self._left.taken = False
                    if self.begin():
                        self.say(self.BACK_MARK)

        return wrapper


class Hold:
    """What one profile wants of a thread's place: SHAPES, MEMORY, or nothing more than a profiler's presence."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.is_over = wanted, False


class Place(PlaceHolder):
    """The calling thread's place while profiles want something of it: memory, or ranges that begin only where a profiler
    is, with inputs. Profiles may nest and overlap."""

    TAKEN_MARK = b"memory is not recorded: the program's own torch profiler has begun"
    BACK_MARK = b"memory is recorded again"

    def __init__(self, torch: ModuleType, observer: Observer) -> None:
        super().__init__()
        self.observer = observer
        self._local = thread_local()
        self._ranges_in_tasks = _torch_tasks.Ranges(torch, self.is_on)
        self.make_room(torch)

    def hold(self, wanted: int) -> Hold:
        """For one profile more, with SHAPES and MEMORY of `wanted`."""
        self._ranges_in_tasks.begin()
        hold = Hold(wanted)
        self._change([*self._holds(), hold])
        return hold

    def leave(self, hold: Hold) -> None:
        """For one less. If that was another thread's, its place is left when that thread's next profile begins or ends."""
        hold.is_over = True
        self._ranges_in_tasks.end()
        holds = self._holds()
        if any(one is hold for one in holds):
            self._change(holds)
        elif hold.wanted & MEMORY:
            warn(ELSEWHERE.format("PyTorch reports its memory"))

    def _holds(self) -> List[Hold]:
        """Of the profiles of this thread, those that have ended elsewhere included."""
        return getattr(self._local, "holds", [])

    def _wanted(self) -> int:
        return together([hold.wanted for hold in self._holds() if not hold.is_over])

    def _change(self, holds: List[Hold]) -> None:
        before, self._local.holds = self._wanted_when_taken(), [hold for hold in holds if not hold.is_over]
        if not self._local.holds or not self.is_on() or self._wanted() != before:
            self.end()
            self.begin()

    def _wanted_when_taken(self) -> int:
        return int(getattr(self._local, "taken_for", 0))

    def is_on(self) -> bool:
        """On the calling thread."""
        return bool(getattr(self._local, "on", False))

    def say(self, mark: bytes) -> None:
        """Without memory nothing is missed: the ranges have the program's own profiler."""
        if self._wanted() & MEMORY:
            super().say(mark)

    def begin(self) -> bool:
        """Where a profile wants it."""
        if self._holds() and not self.is_on():
            self._local.taken_for = self._wanted()
            self._local.on = self.observer.place_begin(self._local.taken_for)
        return self.is_on()

    def end(self) -> bool:
        """On the calling thread; whether it was on."""
        was, self._local.on = self.is_on(), False
        if was:
            self.observer.place_end()
        return was


_place: Optional[Place] = None


def place_of(torch: ModuleType, observer: Observer) -> Place:
    """The same for all profiles."""
    global _place
    if _place is None:
        _place = Place(torch, observer)
    return _place


class _Announcement:
    """The flag by which PyTorch's own code and others' decide whether to name what they do: Inductor its kernels. A profiler
    of PyTorch's own takes it back when it ends."""

    def __init__(self) -> None:
        self._users, self._lasts = 0, False

    def begin(self, torch: ModuleType) -> None:
        """For one user more."""
        self._users += 1
        if not self._lasts and hasattr(torch.autograd.profiler, "_run_on_profiler_stop"):
            self._lasts = True
            torch.autograd.profiler._run_on_profiler_stop = self._after(torch, torch.autograd.profiler._run_on_profiler_stop)
        torch.autograd.profiler._is_profiler_enabled = True

    def end(self, torch: ModuleType) -> None:
        """For one less."""
        self._users -= 1
        if not self._users and not torch.autograd._profiler_enabled():
            torch.autograd.profiler._is_profiler_enabled = False

    def _after(self, torch: ModuleType, stop: Callable[[], None]) -> Callable[[], None]:
        def wrapper() -> None:
            stop()
            if self._users:
                torch.autograd.profiler._is_profiler_enabled = True

        return wrapper


announcement = _Announcement()


class _Session:
    """One thread's recording. It is in the thread's storage, and so ends with the thread: PyTorch warns on standard
    error of a profiler that is still on then."""

    def __init__(self, disable: Callable[[], Any]) -> None:
        self._disable: Optional[Callable[[], Any]] = disable

    def end(self) -> None:
        disable, self._disable = self._disable, None
        if disable is not None:
            disable()

    def __del__(self) -> None:
        self.end()


class Operators(PlaceHolder):
    """Records the operators of the threads that call :meth:`begin`.

    `torch` is the imported module; `shapes`: with the sizes of their inputs; `state`: see annotation_state().
    """

    def __init__(self, torch: ModuleType, shapes: bool, state: Any) -> None:
        super().__init__()
        self._torch = torch
        self.shapes = shapes
        self._local = thread_local()
        self._state = state
        self._enable = torch.autograd._enable_profiler
        self._disable = torch.autograd._disable_profiler

    def has_shapes(self) -> bool:
        """Whether annotations contain the sizes of inputs."""
        return bool(self._state == self._torch.autograd.ProfilerState.NVTX)

    def begin(self) -> bool:
        """On the calling thread, where no other profiler of PyTorch's is on; whether none is."""
        if self._torch.autograd._profiler_enabled():
            return False
        experimental = self._torch._C._profiler._ExperimentalConfig()
        config = self._torch.autograd.ProfilerConfig(
            self._state, self.shapes, False, False, False, False, experimental
        )
        self._enable(config, set())
        self._local.session = _Session(self._disable)
        return True

    def end(self) -> bool:
        """On the calling thread; whether it was on."""
        session = self._local.__dict__.pop("session", None)
        if session is not None:
            session.end()
        return session is not None


_STUBS = ["record", "elapsed", "mark", "rangePush", "rangePop", "enabled", "onEachDevice", "synchronize", "~ProfilerStubs"]


def _give_stubs(torch: ModuleType, register: str) -> None:
    """Registers libprof's object for annotations with PyTorch, if this PyTorch's class has the expected functions."""
    home = Path(str(torch.__file__)).parent
    try:
        header = (home / "include" / "torch" / "csrc" / "profiler" / "stubs" / "base.h").read_text(encoding="utf-8")
        if re.findall(r"\bvirtual\s[^(]*?(~?\w+)\(", header) != _STUBS:
            raise ProfError("its class ProfilerStubs has unexpected functions")
        function = ctypes.CDLL(str(home / "lib" / "libtorch_cpu.so"))[
            f"_ZN5torch8profiler4impl{len(register)}{register}EPNS1_13ProfilerStubsE"
        ]
    except (AttributeError, OSError, ProfError) as error:
        raise ProfError(f"PyTorch {torch.__version__} cannot annotate its operators: {error}") from error
    function.restype, function.argtypes = None, [ctypes.c_void_p]
    function(_native.library().torch_stubs())


def annotation_state(torch: Any) -> Any:
    """The state of PyTorch's profiler whose annotations libprof receives; :class:`ProfError` where it has none."""
    states = torch.autograd.ProfilerState
    if torch.version.cuda is not None:
        return states.NVTX
    if torch.version.hip is not None:  # its NVTX is roctx, which its own profiler may need
        _give_stubs(torch, "registerITTMethods")
        return states.ITT
    _give_stubs(torch, "registerCUDAMethods")
    return states.NVTX


_operators: Optional[Operators] = None
_is_observed = False


def start(torch: ModuleType, shapes: bool) -> None:
    """Records operators of all threads through the observer. Without one, those of the calling thread and, as far as
    the program leaves threads' profile functions alone, of threads that :mod:`threading` starts from now on. The second
    call does nothing."""
    global _operators, _is_observed
    if _operators is not None or _is_observed:
        return
    if not hasattr(torch, "autograd"):
        raise ProfError("the module 'torch' here is not PyTorch")
    observer, why = _torch_observer.find(torch)
    if observer is not None:
        inputs = SHAPES if shapes else 0
        observer.begin(OPERATORS | inputs)
        place_of(torch, observer).hold(inputs)
        announcement.begin(torch)
        _is_observed = True
        return
    _operators = Operators(torch, shapes, annotation_state(torch))
    if why != _torch_observer.SWITCHED_OFF:
        warn(f"PyTorch's operators are recorded on Python threads only, without input types: {why}")
    _operators.make_room(torch)
    _operators.begin()
    _new_threads.add(begin_thread)
    atexit.register(_operators.end)


def is_on() -> bool:
    """Whether they are emitted for the whole program, in the place that threads have for a profiler."""
    return _operators is not None


def begin_thread() -> None:
    """For a thread that begins while operators are recorded."""
    if _operators is not None:
        _operators.begin()
