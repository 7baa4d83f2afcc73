"""What no compiler complains of: run by `./dev lint tree`, at the top of a checkout.

- No compiled file is tracked (ELF, archives) outside tests/data.
- A source file that a comment in C names exists, or is one of OTHERS.
- No file defines _GNU_SOURCE twice.
- No line of the product's C is longer than 100 characters, and no two of its source files have the same name.
"""
import re
import subprocess
import sys
from pathlib import Path

# Files of other projects that comments name.
OTHERS = {
    "code.h", "contextlib.py", "cublasLt.h", "cublas_api.h", "cuda.h", "cupti_activity.h", "cupti_driver_cbid.h",
    "cupti_runtime_cbid.h", "file.py", "gpu_event_parser.cc", "greenlet.h", "library_types.h", "profile_analysis.py",
    "stdint.h",
}
PRODUCT = ("libprof", "cupti", "nvtx", "collect", "export")
COLUMNS = 100
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FILE = re.compile(r"\b[\w/.-]*\w\.(?:c|h|cc|cu|py|sh|js)\b")


def tracked(*patterns: str) -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard", "--", *patterns],
                           stdout=subprocess.PIPE, check=True, text=True).stdout
    return [Path(name) for name in names.split("\0") if name and Path(name).is_file()]


def compiled(files: list[Path]) -> list[str]:
    return [f"{path}: is compiled: remove it from the repository" for path in files
            if path.parts[:2] != ("tests", "data") and path.read_bytes()[:8].startswith((b"\x7fELF", b"!<arch>"))]


def stale_names(path: Path, text: str, known: set[str]) -> list[str]:
    return [f"{path}:{text.count(chr(10), 0, comment.start()) + 1}: there is no {name}"
            for comment in COMMENT.finditer(text) for name in FILE.findall(comment.group())
            if Path(name).name not in known]


def main() -> None:
    files = tracked()
    known = {path.name for path in files} | OTHERS
    found = compiled(files)
    sources = [path.name for path in tracked("*.c") if path.parts[0] in PRODUCT]
    found += [f"{name}: is the name of several files" for name in sorted(set(sources)) if sources.count(name) > 1]
    for path in tracked("*.c", "*.h"):
        text = path.read_text(errors="replace")
        if path.parts[0] != "tests":
            found += stale_names(path, text, known)
        if path.parts[0] in PRODUCT:
            found += [f"{path}:{number}: has {len(line)} characters, more than {COLUMNS}"
                      for number, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS]
        if len(re.findall(r"^#define _GNU_SOURCE", text, re.MULTILINE)) > 1:
            found.append(f"{path}: defines _GNU_SOURCE twice")
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
