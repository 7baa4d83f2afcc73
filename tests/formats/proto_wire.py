"""Protobuf's wire format, read strictly: what a parser may forgive is an error here.

A schema is {message: {number: (name, kind)}}; kinds are uint, int, bool, fixed64, double, string, bytes, or the name of a
message. parse() gives a dict of lists. Unknown fields, wrong wire types, varints longer than they must be, lengths beyond
the end and text that is not UTF-8 raise ValueError.
"""
import struct

WIRE = {"uint": 0, "int": 0, "bool": 0, "fixed64": 1, "double": 1}


def varint(data, at, end):
    value = shift = 0
    while True:
        if at >= end or shift > 63:
            raise ValueError(f"offset {at}: a varint does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if byte == 0 and shift:
                raise ValueError(f"offset {at}: a varint longer than it must be")
            if value >= 1 << 64:
                raise ValueError(f"offset {at}: a varint beyond 64 bits")
            return value, at
        shift += 7


def scalar(kind, value):
    if kind == "bool" and value > 1:
        raise ValueError(f"a bool of {value}")
    return value - (1 << 64) if kind == "int" and value >= 1 << 63 else value


def fields(data, at, end):
    """(number, wire type, value or (start, end)) of each field."""
    while at < end:
        tag, at = varint(data, at, end)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = varint(data, at, end)
        elif wire == 1 and at + 8 <= end:
            value, at = data[at:at + 8], at + 8
        elif wire == 2:
            size, at = varint(data, at, end)
            value, at = (at, at + size), at + size
            if at > end:
                raise ValueError(f"offset {at}: field {number} is longer than what it is in")
        else:
            raise ValueError(f"offset {at}: field {number} has wire type {wire}, or ends too early")
        yield number, wire, value


def parse(schema, message, data, at=0, end=None):
    known, result = schema[message], {}
    for number, wire, value in fields(data, at, len(data) if end is None else end):
        if number not in known:
            raise ValueError(f"{message} has no field {number}")
        name, kind = known[number]
        if WIRE.get(kind, 2) != wire:
            raise ValueError(f"{message}.{name} has wire type {wire}")
        if wire == 0:
            value = scalar(kind, value)
        elif wire == 1:
            value = struct.unpack("<d" if kind == "double" else "<Q", value)[0]
        elif kind == "string":
            value = data[value[0]:value[1]].decode("utf-8", "strict")
        elif kind == "bytes":
            value = data[value[0]:value[1]]
        else:
            value = parse(schema, kind, data, *value)
        result.setdefault(name, []).append(value)
    return result


def one(message, name, default=None):
    values = message.get(name, [])
    if len(values) > 1:
        raise ValueError(f"{name} stands {len(values)} times")
    return values[0] if values else default


def packed(values, kind="uint"):
    """The numbers of repeated fields in packed form."""
    result = []
    for data in values:
        at = 0
        while at < len(data):
            value, at = varint(data, at, len(data))
            result.append(scalar(kind, value))
    return result
