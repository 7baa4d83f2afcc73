"""ETRecord: what the compiler of a model knows of its instructions.

An ETRecord file is a ZIP file. Read of it are ``debug_handle_map`` and ``delegate_map`` (JSON), and from
``edge_dialect_exported_program`` (JSON too, of torch.export) which operator each debug handle is. Members
that are pickles are left alone: to load one is to run what it says.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

Handles = Union[int, Sequence[int]]
DelegateMetadata = Mapping[str, Any]
"""``{"name": backend, "delegate_map": {identifier: debug handles}}``"""


@dataclass
class OperatorNode:
    """An operator of the model. ``metadata`` may have ``stack_trace`` (text) and ``nn_module_stack``: from
    the key of
    each module around the operator to its path and class."""

    name: str
    op: Optional[str] = None
    metadata: Optional[Dict[str, Any]] = None


@dataclass
class ETRecord:
    """What is known of a model, from a file (:func:`parse_etrecord`) or from the program that made it.

    Instructions and identifiers may be numbers or texts. ``op_nodes`` says which operator a debug handle is;
    ``_reference_outputs`` has the outputs of each bundled input, by method.
    """

    edge_dialect_program: Any = None
    graph_map: Optional[Dict[str, Any]] = None
    _debug_handle_map: Optional[Mapping[Any, Any]] = None
    _delegate_map: Optional[Mapping[Any, Any]] = None
    _reference_outputs: Optional[Mapping[str, Sequence[Any]]] = None
    op_nodes: Dict[int, OperatorNode] = field(default_factory=dict)


def by_instruction(table: Optional[Mapping[Any, Any]], is_entry: Any) -> Dict[str, Any]:
    """The table with texts as keys, without the level of the method's name that it may have outside.

    ``is_entry`` tells an instruction's entry from such a level.
    """
    flat: Dict[str, Any] = {}
    for key, entry in (table or {}).items():
        if is_entry(entry):
            flat[str(key)] = entry
        elif isinstance(entry, Mapping):
            flat.update({str(inner): value for inner, value in entry.items()})
    return flat


# ---- the graph ----


def _module_stack(text: str) -> Dict[str, Tuple[str, str]]:
    """Of ``key,path,class;...``: keys have commas only if quoted, paths and classes never."""
    stack = {}
    for part in text.split(";"):
        key, path, name = (["", "", ""] + part.rsplit(",", 2))[-3:]
        stack[key or path] = (path, name)
    return stack


def _node_name(node: Mapping[str, Any]) -> str:
    if node.get("name"):
        return str(node["name"])
    for output in node.get("outputs", []):
        for argument in output.values():
            first = argument[0] if isinstance(argument, list) and argument else argument
            if isinstance(first, Mapping) and first.get("name"):
                return str(first["name"])
    return str(node.get("target", ""))


def _graph_nodes(program: Mapping[str, Any]) -> Dict[int, OperatorNode]:
    """By debug handle. A handle of several operators is the last one's, as it is in the compiler's own
    table."""
    nodes: Dict[int, OperatorNode] = {}
    for node in program["graph_module"]["graph"]["nodes"]:
        metadata = dict(node.get("metadata") or {})
        if isinstance(metadata.get("nn_module_stack"), str):
            metadata["nn_module_stack"] = _module_stack(metadata["nn_module_stack"])
        op = str(node.get("target", "")).rsplit(".ops.", 1)[-1]
        for handle in re.findall(r"-?\d+", str(metadata.get("debug_handle", ""))):
            nodes[int(handle)] = OperatorNode(_node_name(node), op or None, metadata)
    return nodes


# ---- the file ----


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    return json.loads(archive.read(name)) if name in archive.namelist() else None


def parse_etrecord(etrecord_path: Union[str, "os.PathLike[str]"]) -> ETRecord:
    """Reads an ETRecord file. Raises :class:`ValueError` when it is none, :class:`OSError` when it cannot be
    read."""
    path = os.fspath(etrecord_path)
    try:
        with zipfile.ZipFile(path) as archive:
            handles, delegates = _member(archive, "debug_handle_map"), _member(archive, "delegate_map")
            program = _member(archive, "edge_dialect_exported_program")
            op_nodes = _graph_nodes(program) if program else {}
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not an ETRecord: {error!r}") from error
    if handles is None and delegates is None and program is None:
        raise ValueError(f"{path}: not an ETRecord: it has neither a debug_handle_map nor a delegate_map")
    return ETRecord(_debug_handle_map=handles, _delegate_map=delegates, op_nodes=op_nodes)


def handle_list(handles: Optional[Handles]) -> List[int]:
    """One handle or several, as a list."""
    if handles is None:
        return []
    return [handles] if isinstance(handles, int) else list(handles)
