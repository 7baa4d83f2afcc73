"""explain_members.py PROFDUMP FILE...: the answers of profdump explain --json in FILEs are as its schema says, and have all its members."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from schema_faults import faults, load


def paths_of(schema, prefix=""):
    """The declared members, with their dots."""
    for name, member in schema.get("properties", {}).items():
        yield prefix + name
        yield from paths_of(member, f"{prefix}{name}.")
        yield from paths_of(member.get("items", {}), f"{prefix}{name}.")


def seen_in(value, prefix=""):
    for item in value if isinstance(value, list) else [value]:
        for name, member in item.items() if isinstance(item, dict) else ():
            yield prefix + name
            yield from seen_in(member, f"{prefix}{name}.")


def main():
    schema, seen, wrong = load(sys.argv[1], "explain"), set(), []
    for path in sys.argv[2:]:
        report = json.loads(Path(path).read_text())
        wrong += [f"{path}: {fault}" for fault in faults(report, schema, "explain")]
        seen |= set(seen_in(report))
        if not report["abstained"] and not report["findings"]:
            wrong.append(f"{path}: abstained is {report['abstained']!r} with {len(report['findings'])} findings")
    common = ("lost", "truncated.", "units")
    wrong += [f"never seen: {path}" for path in paths_of(schema) if path not in seen and not path.startswith(common)]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
