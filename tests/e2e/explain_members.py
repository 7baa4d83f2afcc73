"""explain_members.py PAGE FILE...: each FILE, of profdump explain --json, has exactly the members that PAGE lists, of the types that it states."""
import json
import re
import sys

TYPES = {"integer": int, "string": str, "boolean": bool, "array": list, "object": dict, "null": type(None), "array of strings": list}


def is_of(value, words):
    return any(type(value) is TYPES[word] for word in words.split(" or "))


def main():
    listed = dict(re.findall(r"^\| `([a-z_.]+)` \| ([a-z ]+) \|", open(sys.argv[1]).read(), re.MULTILINE))
    seen, wrong = set(), []

    def check(prefix, item):
        for name, value in item.items():
            seen.add(prefix + name)
            if not is_of(value, listed.get(prefix + name, "object")):
                wrong.append(f"{prefix}{name} is {value!r}, not {listed.get(prefix + name, 'listed')}")
            for each in value if isinstance(value, list) else ():
                if isinstance(each, dict):
                    check(prefix + name + ".", each)
                elif type(each) is not str:
                    wrong.append(f"{prefix}{name} holds {each!r}")

    for path in sys.argv[2:]:
        report = json.load(open(path))
        check("", report)
        if (report["abstain"] is None) != bool(report["findings"]):
            wrong.append(f"{path}: abstain is {report['abstain']!r} with {len(report['findings'])} findings")
    wrong += [f"not listed: {name}" for name in sorted(seen - set(listed))] + [f"never seen: {name}" for name in sorted(set(listed) - seen)]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
