# SPDX-License-Identifier: Apache-2.0
"""Reports follow docs/reference/report.schema.json: those of the baseline's recordings, profiles and verdict cases."""

import copy
import json

import jsonschema
import pytest
import sources
from report_schema import SCHEMA, breaches


def report(run):
    return json.loads(sources.steptrace("report", run, "--json"))


def test_it_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_object_knows_its_members_alone():
    for name, one in [("the report", SCHEMA), *SCHEMA["$defs"].items()]:
        assert one["additionalProperties"] is False, name
        assert set(one["required"]) <= set(one["properties"]), name


@pytest.mark.parametrize("name", sources.recordings())
def test_a_recording(name):
    assert breaches(report(sources.recordings()[name])) == []


@pytest.mark.parametrize("name", sources.REAL)
def test_a_real_profile(name, tmp_path):
    if not (sources.PROFILES / sources.REAL[name]).exists():
        pytest.skip("needs the real profiles")
    assert breaches(report(sources.imported(name, tmp_path))) == []


def test_verdict_cases():
    found = {name: breaches(one) for name, one in sources.case_reports().items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_what_is_too_much_missing_or_of_another_type_is_found():
    good = report(sources.recordings()["healthy"])
    for change in (
        lambda one: one.update(more=1),
        lambda one: one["verdict"].update(more=1),
        lambda one: one["run"].pop("exit_code"),
        lambda one: one["steps"].update(count="1"),
        lambda one: one["steps"].update(count=None),
        lambda one: one["verdict"].update(status="perhaps"),
        lambda one: one.update(schema="steptrace.report/0"),
    ):
        bad = copy.deepcopy(good)
        change(bad)
        assert len(breaches(bad)) == 1
