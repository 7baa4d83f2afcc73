"""check_schemas.py PROFDUMP KEPT: whether each answer that keep_json.sh kept is as its command's schema says.

Also: members of an object have different names, and a unit is that of the member's name. With the package jsonschema, the schemas themselves are checked, too.
"""
import json
import subprocess
import sys
from pathlib import Path

from schema_faults import faults, load

OF_PYTHON = ("fleet", "origins", "snapshot")  # their own tests check what they print
ENDINGS = {"_ns": "ns", "_bytes": "bytes", "_percent": "percent"}


def wrong_units(schema, path):
    """Members whose names end like those of a unit, and that have another one."""
    for name, member in schema.get("properties", {}).items():
        unit = next((unit for ending, unit in ENDINGS.items() if name.endswith(ending)), None)
        if unit and member.get("type") != "object" and "items" not in member and member.get("x-unit") != unit:
            yield f"{path}.{name} has the unit {member.get('x-unit')}, not {unit}"
        yield from wrong_units(member, f"{path}.{name}")
        yield from wrong_units(member.get("items", {}), f"{path}.{name}")


def once(pairs):
    """An object whose members have different names."""
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"several members have one name: {sorted({name for name in names if names.count(name) > 1})}")
    return dict(pairs)


def check_answer(file, schemas):
    """The command of a kept answer, and what is wrong with it."""
    status, words = file.with_suffix(".words").read_text().split(" ", 1)
    text = file.read_text(errors="surrogateescape")
    if not text and status in "12":
        return None, []
    try:
        answer = json.loads(text, object_pairs_hook=once)
        schema = schemas[answer["command"]]
    except (ValueError, KeyError, TypeError) as error:
        return None, [f"profdump {words.strip()}: {error!r}"]
    found = sorted(set(faults(answer, schema, answer["command"])))
    return answer["command"], [f"profdump {words.strip()}: {fault}" for fault in found]


def main():
    profdump, kept = sys.argv[1], sorted(Path(sys.argv[2]).glob("*.json"))
    names = subprocess.run([profdump, "schema"], capture_output=True, check=True, text=True).stdout.split()
    schemas = {name: load(profdump, name) for name in names}
    wrong = [fault for name in names for fault in wrong_units(schemas[name], name)]
    try:
        import jsonschema
    except ImportError:
        print("the schemas themselves were not checked: jsonschema is not installed")
    else:
        for schema in schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)
    counts = dict.fromkeys(names, 0)
    for file in kept:
        command, found = check_answer(file, schemas)
        wrong += found
        if command:
            counts[command] += 1
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    wrong += [f"no case printed the JSON of {name}" for name, count in counts.items() if not count and name not in OF_PYTHON]
    print("\n".join(sorted(set(wrong))))
    sys.exit(bool(wrong))


main()
