# SPDX-License-Identifier: Apache-2.0
"""The rows that a finding names are there for whoever asks, as many as it says: `show --where` takes each predicate as
it is told, and DuckDB counts as many in the Parquet files."""

import json
import shutil

import profile_runs
import pytest
import tomllib
from real_profiles import KINETO, ROOT

duckdb = pytest.importorskip("duckdb")


def made_ranks(folder):
    return profile_runs.imported(folder, *profile_runs.made_ranks(folder))


def recorded(folder):
    return shutil.copytree(ROOT / "tests" / "compat" / "format-2" / "closed", folder / "run")


# What was not there when a rule asked for it.
MAY_HAVE_NONE = {"rule.no_first_step", "rule.long_initialization"}


def evidence(run):
    """Of the verdict and of both kinds of rules."""
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    found = [*report["verdict"]["evidence"]]
    for rule in report["rules"]["rows"]:
        found += rule["evidence"]
    compat = json.loads(profile_runs.steptrace("rules", run, "--mode", "compat", "--json"))
    for rule in compat["rules"]:
        found += rule["evidence"]
    return found


def shown(run, rows):
    filters = ["--where", rows["where"]] if rows["where"] else []
    return len(json.loads(profile_runs.steptrace("show", run, rows["table"], *filters, "--json")))


def counted(run, rows):
    """None: the table is made of another when it is asked for, and stands in no file."""
    folder = run / "tables" / rows["table"]
    if not any(folder.rglob("*.parquet")):
        return None
    where = f" where {rows['where']}" if rows["where"] else ""
    files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning=true, union_by_name=true)"
    return duckdb.sql(f"select count(*) from {files}{where}").fetchall()[0][0]


@pytest.mark.parametrize(
    "source",
    [made_ranks, recorded, *sorted(KINETO.glob("*.json.gz"))],
    ids=lambda source: getattr(source, "name", None) or source.__name__,
)
def test_each_predicate_finds_the_rows_that_its_finding_counted(source, tmp_path):
    run = source(tmp_path) if callable(source) else profile_runs.imported(tmp_path, source)
    found = evidence(run)
    assert any(one["rows"] for one in found), "of these runs something is told"
    for one in found:
        rows = one["rows"]
        if rows is None:
            continue
        assert shown(run, rows) == rows["count"], one
        assert counted(run, rows) in (None, rows["count"]), one
        assert rows["count"] > 0 or one["kind"] in MAY_HAVE_NONE, one


def test_the_catalogues_own_predicates_are_in_the_language_of_show(tmp_path):
    run = recorded(tmp_path)
    kinds = tomllib.loads((ROOT / "schema" / "findings.toml").read_text(encoding="utf-8"))["kind"]
    predicates = {(kind["table"], kind["where"]) for kind in kinds if kind.get("where")}
    assert len(predicates) > 5
    for table, where in sorted(predicates):
        profile_runs.steptrace("show", run, table, "--where", where, "--json")
