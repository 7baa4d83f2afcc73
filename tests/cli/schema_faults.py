"""schema_faults.py - what is wrong with JSON of profdump, by its command's schema.

Of JSON Schema, this has what `profdump schema` writes: type, properties, required, additionalProperties and items.
"""
import json
import subprocess

TYPES = {"integer": int, "number": (int, float), "string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}


def faults(value, schema, path):
    """What is wrong with a value, as lines."""
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    fits = any(isinstance(value, TYPES[name]) and (name == "boolean") == isinstance(value, bool) for name in types)
    if types and not fits:
        yield f"{path} is {value!r:.60}, not {' or '.join(types)}"
    elif isinstance(value, list):
        for item in value:
            yield from faults(item, schema.get("items", {}), f"{path}[]")
    elif isinstance(value, dict):
        rest, known = schema.get("additionalProperties", True), schema.get("properties", {})
        yield from (f"{path}.{name} is missing" for name in schema.get("required", ()) if name not in value)
        for name, item in value.items():
            if name in known:
                yield from faults(item, known[name], f"{path}.{name}")
            elif rest is False:
                yield f"{path}.{name} is not declared"
            elif rest is not True:
                yield from faults(item, rest, f"{path}.{name}")


def load(profdump, command):
    return json.loads(subprocess.run([profdump, "schema", command], capture_output=True, check=True, text=True).stdout)
