# SPDX-License-Identifier: Apache-2.0
"""The rows that a finding names are there for whoever asks: `show --where` takes each predicate as it is told, and
DuckDB counts as many in the Parquet files."""

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


def evidence(run):
    """Of the verdict and of both kinds of rules."""
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    found = [*report["verdict"]["evidence"]]
    for rule in report["rules"]["rows"]:
        found += rule["evidence"]
    compat = json.loads(profile_runs.steptrace("rules", run, "--mode", "compat", "--json"))
    for rule in compat["rules"]:
        found += rule["evidence"]
    return [one for one in found if one["table"]]


def shown(run, one):
    filters = ["--where", one["where"]] if one["where"] else []
    return len(json.loads(profile_runs.steptrace("show", run, one["table"], *filters, "--json")))


def counted(run, one):
    """None: the table is made of another when it is asked for, and stands in no file."""
    folder = run / "tables" / one["table"]
    if not any(folder.rglob("*.parquet")):
        return None
    where = f" where {one['where']}" if one["where"] else ""
    files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning=true, union_by_name=true)"
    return duckdb.sql(f"select count(*) from {files}{where}").fetchall()[0][0]


@pytest.mark.parametrize(
    "source",
    [made_ranks, recorded, *sorted(KINETO.glob("*.json.gz"))],
    ids=lambda source: getattr(source, "name", None) or source.__name__,
)
def test_each_predicate_finds_its_rows(source, tmp_path):
    run = source(tmp_path) if callable(source) else profile_runs.imported(tmp_path, source)
    found = evidence(run)
    assert found, "of these runs something is told"
    for one in found:
        rows = shown(run, one)
        assert rows > 0, one
        assert counted(run, one) in (None, rows), one


def test_the_catalogues_own_predicates_are_in_the_language_of_show(tmp_path):
    run = recorded(tmp_path)
    kinds = tomllib.loads((ROOT / "schema" / "findings.toml").read_text(encoding="utf-8"))["kind"]
    predicates = {(kind["table"], kind["where"]) for kind in kinds if kind.get("where")}
    assert len(predicates) > 5
    for table, where in sorted(predicates):
        profile_runs.steptrace("show", run, table, "--where", where, "--json")
