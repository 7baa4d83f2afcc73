"""Ranges in code that PyTorch compiles, traces or transforms: what works with torch's record_function works with ours."""

# packages: torch==2.13.0+cpu numpy
# long: Dynamo is slow to import, and is in several processes

from __future__ import annotations

import contextlib
import copy
import io
import pickle
from typing import Any, Callable, Iterator, Tuple

import pytest
from conftest import RunPython

import libprof
from libprof import _torch_observer

torch = pytest.importorskip("torch")
if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    pytest.skip("ranges compile from PyTorch 2.4 on", allow_module_level=True)

from torch._dynamo.testing import CompileCounter  # noqa: E402

X = torch.ones(4, 8)


@pytest.fixture(params=[False, True], ids=["no profile", "profile"])
def profile(request: Any) -> Iterator[None]:
    """What uses it works with a running profile and without."""
    torch._dynamo.reset()
    with libprof.profile() if request.param else contextlib.nullcontext():
        yield


class Block(torch.nn.Module):  # type: ignore[misc,no-any-unimported]
    """A module whose forward has ranges of all forms."""

    def __init__(self, record_function: Any = libprof.record_function) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.record_function = record_function
        self.held = record_function("held")

    def forward(self, x: Any) -> Any:
        with self.record_function(f"block of {x.shape[0]}"):
            y = self.linear(x)
            with self.record_function("inner", "words"):
                y = torch.relu(y)
        return y * 2


class Held(Block):
    def forward(self, x: Any) -> Any:
        with self.held:
            return self.linear(x) * 2


@libprof.record_function("decorated", bytes=3)
def decorated(x: Any, plus: int = 0) -> Any:
    return x * 2 + plus


def with_attributes(x: Any) -> Any:
    with libprof.record_function("outer", bytes=x.numel(), note="text") as range:
        range.attr("later", 1.5)
        libprof.attr("also", 7)
        number = libprof.range_start("between")
        x = x * 2
        libprof.range_end(number)
    return x + 1


def with_break(x: Any) -> Any:
    x = x + 1
    with libprof.record_function("broken", n=1) as range:
        x = x * 2
        print(end="")
        range.attr("n", 2)
        x = x + 3
    return x * 4


def with_torch_break(x: Any) -> Any:
    x = x + 1
    with torch.profiler.record_function("broken"):
        x = x * 2
        print(end="")
        x = x + 3
    return x * 4


def returns_within(x: Any) -> Any:
    with libprof.record_function("returns"):
        return x * 2


def raises_within(x: Any) -> Any:
    try:
        with libprof.record_function("raises"):
            x = x + 1
    finally:
        x = x * 2
    return x


def counted(function: Callable[..., Any]) -> Tuple[int, int]:
    """Compiled frames and operations; the result is the uncompiled function's."""
    torch._dynamo.reset()
    counter = CompileCounter()
    assert torch.equal(torch.compile(function, backend=counter)(X), function(X))
    return counter.frame_count, counter.op_count


@pytest.mark.usefixtures("profile")
def test_compiles_as_much_as_with_torchs_range() -> None:
    assert counted(Block()) == counted(Block(torch.profiler.record_function)) == (1, 3)
    assert counted(with_break) == counted(with_torch_break) == (2, 4)


@pytest.mark.parametrize(
    "function", [Block(), Held(), decorated, with_attributes, returns_within, raises_within], ids=lambda one: getattr(one, "__name__", type(one).__name__)
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.usefixtures("profile")
def test_compiles_without_a_break(function: Callable[..., Any], backend: str) -> None:
    assert torch.equal(torch.compile(function, backend=backend, fullgraph=True)(X), function(X))
    assert counted(function)[0] == 1


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.usefixtures("profile")
@pytest.mark.parametrize("kind", [Block, Held])
def test_exports(kind: Any, strict: bool) -> None:
    module = kind()
    assert torch.equal(torch.export.export(module, (X,), strict=strict).module()(X), module(X))


def test_says_once_that_ranges_are_omitted(run_python: RunPython) -> None:
    said = run_python(
        "import libprof, torch\n"
        "@libprof.record_function('whole')\n"
        "def f(x):\n    with libprof.record_function('part'): return x + 1\n"
        "g = torch.compile(f, backend='eager', fullgraph=True)\n"
        "with libprof.profile() as prof:\n"
        "    with libprof.record_function('around'): g(torch.ones(1)); g(torch.ones(2))\n"
        "print(sorted({e.name for e in prof.events()} & {'whole', 'part', 'around'}))\n",
        env={"LIBPROF_TORCH_OBSERVER": "0"},
    )
    assert said.stdout == "['around']\n"
    assert said.stderr.count("ranges within functions that torch.compile compiles are not recorded") == 1


@pytest.mark.parametrize("first", ["libprof", "torch", "torch._dynamo"])
def test_whatever_is_imported_first(run_python: RunPython, first: str) -> None:
    """Also where the program looked whether torch is installed."""
    run_python(
        f"import {first}\nimport importlib.util, libprof\n"
        "assert importlib.util.find_spec('torch._dynamo')\n"
        "import torch\n"
        "def f(x):\n    with libprof.record_function('part'): return x + 1\n"
        "torch.compile(f, backend='eager', fullgraph=True)(torch.ones(1))\n"
    )


@pytest.mark.usefixtures("profile")
def test_other_transforms() -> None:
    module = Block()
    expected = module(X)
    for transformed in (
        torch.fx.symbolic_trace(with_attributes),
        torch.fx.experimental.proxy_tensor.make_fx(with_attributes)(X),
    ):
        assert torch.equal(transformed(X), with_attributes(X))
    assert torch.equal(torch.jit.trace(module, (X,))(X), expected)
    assert torch.allclose(torch.func.vmap(module)(X), expected)
    assert torch.equal(torch.func.functional_call(module, dict(module.named_parameters()), X), expected)
    assert torch.func.grad(lambda x: module(x).sum())(X).shape == X.shape
    for reentrant in (True, False):
        x = X.clone().requires_grad_()
        torch.utils.checkpoint.checkpoint(module, x, use_reentrant=reentrant).sum().backward()
        assert x.grad is not None
    held = Held()
    held(X)
    assert torch.equal(copy.deepcopy(held)(X), held(X))
    torch.save(held, io.BytesIO())
    assert pickle.loads(pickle.dumps(libprof.record_function("a", k=1))).name == "a"


class Scripted(torch.nn.Module):  # type: ignore[misc,no-any-unimported]
    """What TorchScript can compile: with names of the module alone."""

    def __init__(self) -> None:
        super().__init__()
        self.held = libprof.record_function("held")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with libprof.record_function("scripted", "words"):
            x = x + 1
        with self.held:
            return x * 2


@libprof.record_function("of the whole")
def scripted(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_scripts() -> None:
    assert torch.equal(torch.jit.script(scripted)(X), X + 1)
    module = torch.jit.script(Scripted())
    with libprof.profile() as prof:
        assert torch.equal(module(X), (X + 1) * 2)
    if _torch_observer.find(torch)[0] is not None:
        assert {"scripted", "held"} <= {event.name for event in prof.events()}
