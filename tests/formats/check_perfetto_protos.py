#!/usr/bin/env python3
"""Reads a Perfetto trace with Perfetto's own message definitions (the Python package "perfetto").

    check_perfetto_protos.py TRACE.pftrace

Every packet parses, and nothing in it is a field that Perfetto does not know. The package lacks Perfetto's extensions
for GPUs (gpu_track_event.proto, gpu_interned_data.proto).
"""
import sys

from google.protobuf import unknown_fields
from perfetto.protos.perfetto.trace import perfetto_trace_pb2


GPU_EXTENSIONS = {"Trace.packet.track_event": {3000}, "Trace.packet.interned_data": {1000, 1001}}


def check(message, path):
    unknown = {field.field_number for field in unknown_fields.UnknownFieldSet(message)}
    if unknown - GPU_EXTENSIONS.get(path, set()):
        raise ValueError(f"{path} has unknown fields")
    for field, value in message.ListFields():
        if field.message_type:
            for item in value if field.is_repeated else [value]:
                check(item, f"{path}.{field.name}")


with open(sys.argv[1], "rb") as file:
    trace = perfetto_trace_pb2.Trace.FromString(file.read())
check(trace, "Trace")
kinds = {packet.WhichOneof("data") for packet in trace.packet}
print(f"{len(trace.packet)} packets, {sorted(kinds - {None})}")
sys.exit(0 if "track_event" in kinds else 1)
