"""Every recipe of docs/python.md and docs/slow_rank.md does what the page shows."""

# packages: torch==2.13.0+cpu numpy pandas pyarrow duckdb
# long: each recipe is a program

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ["SOURCE_DIR"])


@pytest.mark.parametrize("page", ["python", "slow_rank"])
def test_recipes(tmp_path: Path, page: str) -> None:
    if page == "slow_rank":
        pytest.importorskip("duckdb")
    (tmp_path / "bin").mkdir()
    # Not a link: an interpreter of a virtual environment finds that by its own path.
    python = tmp_path / "bin" / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / "recipes").mkdir()
    compiled = "import torch; from libprof import _torch_observer; _torch_observer.find(torch)"  # else the page's first run says so
    subprocess.run([sys.executable, "-c", compiled], capture_output=True, check=False)
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/e2e/pages.py"), str(ROOT / f"docs/{page}.md"), str(tmp_path / "recipes")],
        env={**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
