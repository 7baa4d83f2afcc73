"""doctored.py PROFDUMP FILE...: the judge notices every number of profdump's that is off.

Of each file's answer, one number after the other is increased, the first of its kind that there is, and the judge must
disagree about that number. Every kind of number that the judge knows must occur.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Iterator, Set, Tuple

import answers
from answers import Answers, ask, numbers_in
from judge import disagreements, trace_of
from numbers_of import Numbers, numbers_of

# Members of an answer: where its rows are, and what is judged of each.
JUDGED = [("table", None, answers.TOTALS), ("table", "key_averages", answers.ROW), ("table", "device_time", answers.DEVICE),
          ("table", "processes", {"duration_ns": "window"}), ("breakdown", "temporal", answers.TEMPORAL),
          ("breakdown", "kernels", answers.KERNEL), ("breakdown", "copies", answers.COPY),
          ("memory", "heaps", answers.HEAP), ("memory", "ranges", answers.OF_RANGE), ("paths", "key_averages", answers.PATH),
          ("table", "key_averages", {"outer_count": "outer calls"})]


def rows_of(answer: Dict[str, Any], where: Any) -> Iterator[Dict[str, Any]]:
    if where is None:
        yield answer
        return
    for row in answer[where]:
        sides = (row["cpu"], row["cuda"]) if where == "ranges" else (row,)
        yield from (side for side in sides if where != "ranges" or side["allocations"] or side["frees"])


def doctor(answer: Answers, judges: Numbers, unseen: Set[Tuple[str, Any, str]]) -> int:
    """Increases the first number of each kind that no file had before; returns how many the judge did not notice."""
    missed = 0
    for command, where, fields in JUDGED:
        for field, number in fields.items():
            row = next((row for row in rows_of(answer[command], where) if row.get(field) is not None
                        and (command != "paths" or row["kind"] in answers.OPERATIONS)), None)
            if row is None or (command, where, field) not in unseen:
                continue
            unseen.discard((command, where, field))
            row[field] += 2  # more than a rounded half
            found = disagreements(judges, numbers_in(answer))
            row[field] -= 2
            if not any(each.startswith(number + " of ") for each in found):
                print(f"missed: {field} of {where} of {command}: {found}")
                missed += 1
    return missed


def main() -> int:
    profdump, *files = sys.argv[1:]
    unseen = {(command, where, field) for command, where, fields in JUDGED for field in fields}
    count, missed = len(unseen), 0
    for path in files:
        answer = ask(profdump, path)
        judges = numbers_of(trace_of(path))
        if disagreements(judges, numbers_in(answer)):
            print(f"{path}: the judge disagrees before anything is changed")
            return 1
        missed += doctor(answer, judges, unseen)
    for each in sorted(unseen, key=str):
        print("no file has", *each)
    print(f"{count - len(unseen) - missed} of {count} kinds of numbers: the judge noticed that one was off")
    return 1 if missed or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
