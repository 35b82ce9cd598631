# SPDX-License-Identifier: Apache-2.0
"""What a run knows of the job and the code that it is of."""

import os
import subprocess
import sys

import pytest
import run_manifest
from cli_tools import complaint, executable

COMMIT = "0123456789abcdef0123456789abcdef01234567"
JOBS = ("SLURM", "PBS", "LSB", "TRAINING", "RAY", "TORCHELASTIC")


def ask(*words, **environment):
    plain = {name: value for name, value in os.environ.items() if not name.startswith(JOBS)}
    return subprocess.run(
        [executable(), *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**plain, **environment},
    )


@pytest.fixture()
def script(tmp_path):
    """A script below a repository that somebody else's git made."""
    (tmp_path / "code/.git/refs/heads").mkdir(parents=True)
    (tmp_path / "code/.git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "code/.git/refs/heads/main").write_text(COMMIT + "\n")
    (tmp_path / "code/train").mkdir()
    path = tmp_path / "code/train/train.py"
    path.write_text("pass\n")
    return path


def test_a_run_tells_its_job_its_commit_and_its_tags(script, tmp_path):
    run = tmp_path / "run"
    tags = ("--tag", "team=vision", "--tag", "note=a=b", "--tag", "api_key=S3CRET")
    done = ask(
        *("run", "-q", "-o", run, *tags, "--", sys.executable, script),
        SLURM_JOB_ID="4711",
        SLURM_RESTART_COUNT="1",
    )
    assert done.returncode == 0, done.stderr
    assert run_manifest.read(run)["identity"] == {
        "job_id": "4711",
        "attempt": 1,
        "topology": None,
        "git_commit": COMMIT,
        "tags": {"api_key": "REDACTED", "note": "a=b", "team": "vision"},
    }


@pytest.mark.parametrize("tag", ["", "team", "=vision", "k=" + "v" * 2000])
def test_what_is_no_tag_is_refused(tag):
    assert "is not a tag; give KEY=VALUE" in complaint(ask("run", "--tag", tag, "--", "true"))
