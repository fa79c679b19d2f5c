"""Checks that ship with the library: engines against the oracle, and the contract of encoders."""

from graphtm.testing.encoders import EncoderCheckError, check_encoder
from graphtm.testing.machines import MachineCase, random_case, wide_cases
from graphtm.testing.parity import ParityReport, check_engine
from graphtm.testing.variants import engine_variants

__all__ = [
    "EncoderCheckError",
    "MachineCase",
    "ParityReport",
    "check_encoder",
    "check_engine",
    "engine_variants",
    "random_case",
    "wide_cases",
]
