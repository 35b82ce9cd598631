# SPDX-License-Identifier: Apache-2.0
"""What a report breaks of docs/reference/report.schema.json, which knows every member and no other."""

import json
import pathlib

import jsonschema

PATH = pathlib.Path(__file__).parents[1] / "docs" / "reference" / "report.schema.json"
SCHEMA = json.loads(PATH.read_text(encoding="utf-8"))
OF_A_SECTION = {**SCHEMA, "required": ["schema", "run", "notes"]}
MOST_LINES = 20


def breaches(report, schema=SCHEMA):
    """A line for each breach; empty: the report follows the schema. OF_A_SECTION: what `--section` prints does."""
    errors = jsonschema.Draft202012Validator(schema).iter_errors(report)
    found = sorted(errors, key=lambda error: error.json_path)
    return [f"{error.json_path}: {error.message[:200]}" for error in found[:MOST_LINES]]
