# SPDX-License-Identifier: Apache-2.0
"""Metadata is what schema/metadata.toml declares."""

import pathlib

import tomllib

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "schema" / "metadata.toml"
KINDS = {kind["id"]: kind for kind in tomllib.loads(SCHEMA.read_text(encoding="utf-8"))["kind"]}
TYPES = {
    "text": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "list": list,
    "object": dict,
}


def check_declared(kind, values):
    """Fails where a kind or a key is not declared, or a value has another type."""
    declared = {key.get("name", key["id"]): key["type"] for key in KINDS[kind]["keys"]}
    for key, value in values.items():
        if key not in declared:
            assert KINDS[kind].get("open"), f"{kind}.{key} is not declared"
        elif value is not None:
            assert isinstance(value, TYPES[declared[key]]), f"{kind}.{key} is {value!r}"
