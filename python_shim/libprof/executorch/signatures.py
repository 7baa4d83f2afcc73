"""What makes two events, and two runs, the same: runs with equal signatures are iterations of one block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True, order=True)
class InstructionEventSignature:
    """An instruction of a model, or a part of the delegate that it calls."""

    instruction_id: int
    chain_index: int
    delegate_id: Optional[int] = None
    delegate_id_str: Optional[str] = None


@dataclass(frozen=True, order=True)
class ProfileEventSignature:
    """An event that was timed."""

    name: str
    instruction_id: Optional[int]
    delegate_id: Optional[int] = None
    delegate_id_str: Optional[str] = None


@dataclass(frozen=True, order=True)
class DebugEventSignature:
    """A value that was logged."""

    name: str = ""
    instruction_id: Optional[int] = -1
    delegate_id: Optional[int] = None
    delegate_id_str: Optional[str] = None


@dataclass(frozen=True, order=True)
class EventSignature:
    """A row of a block: an event that was timed, the first value of its instruction, or both."""

    instruction_id: int
    profile_event_signature: Optional[ProfileEventSignature] = None
    debug_event_signature: Optional[DebugEventSignature] = None


@dataclass(frozen=True, order=True)
class RunSignature:
    """A block: its name, its events in their order, and the bundled input that it ran on."""

    name: str
    events: Optional[Tuple[EventSignature, ...]] = None
    bundled_input_index: Optional[int] = None
