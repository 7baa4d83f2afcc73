#!/usr/bin/env python3
"""Reads a pprof profile strictly and prints what it holds, innermost first:

    check_pprof.py PROFILE [--stacks]

    cpu=10 device=0 calls=1 inner < outer [pid=100 tid=101]

What is referred to must be there, ids are unique, every sample has as many values as there are types, strings begin with
an empty one. --stacks: at least one sample has addresses with a mapping. Exits with 1 after having said what is wrong.
"""
import gzip
import sys

from proto_wire import one, packed, parse

SCHEMA = {
    "Profile": {
        1: ("sample_type", "ValueType"), 2: ("sample", "Sample"), 3: ("mapping", "Mapping"), 4: ("location", "Location"),
        5: ("function", "Function"), 6: ("string", "string"), 9: ("time", "int"), 10: ("duration", "int"),
        14: ("default_type", "int")},
    "ValueType": {1: ("type", "int"), 2: ("unit", "int")},
    "Sample": {1: ("location", "bytes"), 2: ("value", "bytes"), 3: ("label", "Label")},
    "Label": {1: ("key", "int"), 2: ("str", "int"), 3: ("num", "int")},
    "Mapping": {
        1: ("id", "uint"), 2: ("start", "uint"), 3: ("limit", "uint"), 4: ("offset", "uint"), 5: ("file", "int"),
        6: ("build_id", "int")},
    "Location": {1: ("id", "uint"), 2: ("mapping", "uint"), 3: ("address", "uint"), 4: ("line", "Line")},
    "Line": {1: ("function", "uint"), 2: ("line", "int")},
    "Function": {1: ("id", "uint"), 2: ("name", "int"), 3: ("system_name", "int"), 4: ("file", "int"),
                 5: ("start_line", "int")},
}


def by_id(items, what):
    result = {one(item, "id"): item for item in items}
    if len(result) != len(items) or 0 in result or None in result:
        raise ValueError(f"ids of {what} are not unique")
    return result


class Profile:
    def __init__(self, data):
        profile = parse(SCHEMA, "Profile", data)
        self.strings = profile["string"]
        if self.strings[0] != "":
            raise ValueError("the first string is not empty")
        self.types = [self.strings[one(kind, "type")] for kind in profile["sample_type"]]
        if self.strings[one(profile, "default_type")] not in self.types:
            raise ValueError("the default type is none of the types")
        self.functions = by_id(profile.get("function", []), "functions")
        if any(one(function, "system_name", 0) == one(function, "name") for function in self.functions.values()):
            raise ValueError("pprof takes a name that is also a system name for mangled, and cuts its template arguments")
        known = [(self.strings[one(function, "name")], self.strings[one(function, "file")], one(function, "start_line", 0))
                 for function in self.functions.values() if one(function, "file", 0)]
        if len(known) != len(set(known)):
            raise ValueError("a function has several entries: one for each of its addresses")
        self.locations = by_id(profile.get("location", []), "locations")
        self.mappings = by_id(profile.get("mapping", []), "mappings")
        self.samples = profile.get("sample", [])
        for mapping in self.mappings.values():
            self.strings[one(mapping, "file", 0)], self.strings[one(mapping, "build_id", 0)]
            if one(mapping, "start") >= one(mapping, "limit"):
                raise ValueError("a mapping of no size")

    def names(self, number):
        location = self.locations[number]
        if "mapping" in location:
            self.mappings[one(location, "mapping")]
        return [self.strings[one(self.functions[one(line, "function")], "name")] for line in location["line"]]

    def label(self, label):
        value = one(label, "num") if "num" in label else self.strings[one(label, "str")]
        return f"{self.strings[one(label, 'key')]}={value}"

    def line(self, sample):
        values = packed(sample["value"], "int")
        if len(values) != len(self.types) or min(values) < 0:
            raise ValueError(f"values {values}")
        stack = [name for number in packed(sample.get("location", [])) for name in self.names(number)]
        counted = " ".join(f"{kind}={value}" for kind, value in zip(self.types, values))
        return f"{counted} {' < '.join(stack)} [{' '.join(sorted(map(self.label, sample.get('label', []))))}]"

    def has_addresses(self):
        return any(one(self.locations[number], "address") and one(self.locations[number], "mapping")
                   for sample in self.samples for number in packed(sample["location"]))


def main():
    try:
        with gzip.open(sys.argv[1]) as file:
            profile = Profile(file.read())
        for sample in profile.samples:
            print(repr(profile.line(sample))[1:-1])
        if "--stacks" in sys.argv and not profile.has_addresses():
            raise ValueError("no sample has an address")
    except (ValueError, KeyError, IndexError, OSError) as problem:
        print(f"{sys.argv[1]}: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
