# SPDX-License-Identifier: Apache-2.0
"""What steptrace.Run tells of a run: as all of its writers say, whatever the copy run.json has."""

import shutil

import pytest
import run_manifest
from test_store_readable import make_run

import steptrace


@pytest.fixture()
def run(tmp_path):
    assert make_run(tmp_path / "run").returncode == 0
    return tmp_path / "run"


def test_the_copy_is_not_read(run):
    named = run_manifest.read(run)
    (run / "run.json").write_text('{"name": "of before"}')
    assert steptrace.open(run).manifest == named
    (run / "run.json").unlink()
    assert steptrace.open(run).manifest == named


def test_a_folder_with_manifests_alone_is_a_run(run):
    (run / "run.json").unlink()
    shutil.rmtree(run / "tables")
    assert steptrace.open(run).name == run_manifest.read(run)["name"]


def test_several_writers_are_one_run(run):
    one = steptrace.open(run).manifest
    other = {**run_manifest.read(run), "tables": {}, "first_number": 1 << 20}
    other.update(writer="z-0-1", status="failed", exit_code=3)
    (run / "manifest" / "z-0-1").mkdir()
    (run / "manifest" / "z-0-1" / "1.json").write_text(run_manifest.sealed(other))
    both = steptrace.open(run)
    assert (both.status, both.manifest.exit_code) == ("failed", 3)
    assert both.manifest.tables.keys() == one.tables.keys()


def test_what_cannot_be_read_says_what_to_do(run):
    run_manifest.newest(run).write_text("{")
    with pytest.raises(steptrace.SteptraceError, match=r"json: not a manifest .*steptrace recover"):
        _ = steptrace.open(run).manifest
