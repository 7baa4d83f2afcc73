"""The programs of tests/python/scripts: each difference between torch.profiler and libprof has a reason on the page."""

# long: it runs twenty programs twice
# packages: torch==2.13.0+cpu numpy transformers fsspec packaging pyyaml tqdm typing-extensions psutil
# bare packages: lightning lightning-utilities torchmetrics accelerate

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import List

import pytest

torch = pytest.importorskip("torch")
ROOT = Path(os.environ["SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests" / "python"))
import torch_scripts  # noqa: E402
from torch_scripts import Difference  # noqa: E402

KNOWN = torch_scripts.reasons(torch_scripts.REASONS.read_text())
NEEDED = {"trainer": "transformers", "lightning_fit": "lightning"}


@pytest.mark.parametrize("name", torch_scripts.names())
def test_differences_have_reasons(name: str, tmp_path: Path) -> None:
    if not torch.__version__.startswith("2.13."):
        pytest.skip("the reasons are those of PyTorch 2.13")
    needed = NEEDED.get(name, "torch")
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    same, found = torch_scripts.differences(name, tmp_path)
    assert same + len(found) > 0
    assert [one for one in found if not torch_scripts.reason_of(one, KNOWN)] == []
    assert torch_scripts.stale(found, KNOWN, [name]) == [], "reasons that are no longer needed"


def test_every_script_is_on_the_page() -> None:
    page = (ROOT / "docs" / "torch_scripts.md").read_text()
    missing = [name for name in torch_scripts.names() if f"| `{name}` | {torch_scripts.summary(name)} |" not in page]
    missing += [reason.text for reason in KNOWN if f"| {reason.text} |" not in page]
    assert missing == [], "python3 tests/python/torch_scripts.py --page docs/torch_scripts.md"


def test_a_fact_that_one_side_lacks_is_found() -> None:
    table = ["----  ----------", "Name  # of Calls", "----  ----------", "  mm           2", "----  ----------"]
    facts = list(torch_scripts._printed_facts("\n".join(["before", *table, "after 1.5ms"])))
    assert facts == ["line: before", "table 1 column: Name after none", "table 1 column: # of Calls after Name",
                     "table 1 row: mm # of Calls=2", "line: after #"]  # fmt: skip
    known = torch_scripts.reasons("better: It is.\n    a* ours line: x?\n    * theirs never\nstated: No.\n    * * *\n")
    one, other = Difference("abc", "ours", "line: xy"), Difference("b", "ours", "line: xy")
    assert torch_scripts.reason_of(one, known) is known[0] and torch_scripts.reason_of(other, known) is known[1]
    unused: List[Difference] = torch_scripts.stale([one], known, ["*", "a*"])
    assert [pattern.fact for pattern in unused] == ["never"]
