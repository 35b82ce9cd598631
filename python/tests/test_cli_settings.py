# SPDX-License-Identifier: Apache-2.0
"""Settings by flags, the environment and the file: what is wrong is refused at once."""

import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from cli_tools import complaint, executable, unrecorded

from steptrace._hooks import vocabulary


def special_file(kind, path):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "endless device":
        path.symlink_to("/dev/zero")
    elif kind == "link to nothing":
        path.symlink_to("nowhere.toml")
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        with path.open("wb") as file:
            file.truncate(300 << 20)


SPECIAL = ("pipe", "folder", "endless device", "link to nothing", "loop", "300 MiB")


@pytest.mark.parametrize("kind", SPECIAL)
def test_settings_that_are_no_file_are_refused_at_once(ask, tmp_path, kind):
    special_file(kind, tmp_path / "steptrace.toml")
    assert "steptrace.toml: " in complaint(ask("ls", cwd=tmp_path))
    trained = ask("run", "--", "echo", "trained", cwd=tmp_path)
    assert "steptrace.toml: " in unrecorded(trained, "trained\n")
    named = tmp_path / "named.toml"
    special_file(kind, named)
    assert "named.toml: " in complaint(ask("ls", STEPTRACE_CONFIG=str(named)))


WAITING = "trap 'exit 5' TERM; echo begun; while :; do sleep 0.05; done"


@pytest.mark.parametrize("kind", ["pipe", "endless device"])
def test_settings_that_become_no_file_leave_the_run_as_it_is(tmp_path, kind):
    run = tmp_path / "run"
    command = [str(executable()), "run", "-q", "-o", str(run), "--", "sh", "-c", WAITING]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as launcher:
        # Whatever hangs does so for the test's time, not for ever: the command holds the pipes too.
        watchdog = threading.Timer(60, os.killpg, (launcher.pid, signal.SIGKILL))
        watchdog.start()
        try:
            assert launcher.stdout.readline() == "begun\n"
            special_file(kind, tmp_path / "steptrace.toml")
            note = launcher.stderr.readline()
            assert note.startswith("steptrace: steptrace.toml: is a pipe or a device"), note
            assert note.endswith("(the run goes on with the settings that it has)\n")
            launcher.send_signal(signal.SIGTERM)
            assert launcher.wait(timeout=60) == 5
        finally:
            watchdog.cancel()
            launcher.kill()
    assert json.loads((run / "run.json").read_text())["status"] == "failed"
    assert not list(run.glob("journal/**/*.arrows"))


def test_the_words_of_hooks(ask, tmp_path):
    known = sorted(vocabulary.HOOK_WORDS)
    line = complaint(ask("run", "--hooks", "bogus,optimiser", "--", "true"))
    assert "unknown hook 'bogus'" in line
    told = re.search(r"they are (.*), or all, or off", line).group(1).split(", ")
    assert sorted(told) == known
    assert "'optimiser'" in complaint(ask("run", "--hooks", "optimizer, optimiser", "--", "true"))
    assert "empty list" in complaint(ask("run", "--hooks", ",", "--", "true"))
    (tmp_path / "steptrace.toml").write_text("hooks = 'nothing'")
    assert "steptrace.toml:1: hooks is not a list" in complaint(ask("ls", cwd=tmp_path))
    (tmp_path / "steptrace.toml").unlink()
    for words in ("all", " data , gc", "off", ",".join(known)):
        done = ask("run", "-q", "--hooks", words, "--", "true", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), words


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"STEPTRACE_RING_BUDGET_BYTES": "abc"}, "abc is not a whole number of bytes; give one"),
        ({"STEPTRACE_STACK_RATE": "often"}, "STEPTRACE_STACK_RATE: stack_rate is not"),
        ({"STEPTRACE_WINDOW": "5:0"}, "5:0"),
        ({"STEPTRACE_DISABLE": "perhaps"}, "STEPTRACE_DISABLE: disable is not true or false"),
        ({"STEPTRACE_CONFIG": "/there/is/no.toml"}, "/there/is/no.toml: cannot be read"),
    ],
)
def test_a_wrong_variable_does_not_keep_the_command_from_running(ask, tmp_path, variables, says):
    done = ask("run", "--", "echo", "trained", cwd=tmp_path, **variables)
    assert says in unrecorded(done, "trained\n")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_file_does_not_keep_the_command_from_running(ask, tmp_path):
    (tmp_path / "steptrace.toml").write_text("[stages]\n'*:augment' = 'decod'\n")
    line = unrecorded(ask("run", "-q", "--", "echo", "trained", cwd=tmp_path), "trained\n")
    assert "steptrace.toml:2: stages: 'decod' of '*:augment' is not a stage" in line
    assert [path.name for path in tmp_path.iterdir()] == ["steptrace.toml"]
    done = ask("run", "-q", "--", "sh", "-c", "exit 2", cwd=tmp_path)
    assert done.returncode == 2, "the command's own"
    assert "--bogus" in complaint(ask("run", "--bogus", "--", "true", cwd=tmp_path))


ENVIRONMENT = "import os; print(sorted(name for name in os.environ if 'STEPTRACE' in name))"


def test_a_run_that_is_switched_off_is_the_command_alone(ask, tmp_path):
    command = [sys.executable, "-c", ENVIRONMENT]
    done = ask("run", "-o", "run", "--", *command, cwd=tmp_path, STEPTRACE_DISABLE="1")
    line = unrecorded(done, "['STEPTRACE_DISABLE']\n")
    assert line.startswith("steptrace: switched off by STEPTRACE_DISABLE: ")
    done = ask("run", "-q", "--", "sh", "-c", "exit 7", cwd=tmp_path, STEPTRACE_DISABLE="1")
    assert (done.returncode, done.stderr) == (7, "")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "steptrace.toml").write_text("disable = true\n")
    done = ask("run", "--", *command, cwd=tmp_path)
    assert "switched off by steptrace.toml: " in unrecorded(done, "[]\n")
    done = ask("run", "-q", "-o", "run", "--", "true", cwd=tmp_path, STEPTRACE_DISABLE="0")
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "run").is_dir()


def test_a_price_is_bounded_and_its_error_short(ask):
    for price in ("nan", "inf", "-1", "abc", "1e300", "1000001"):
        line = complaint(ask("report", "--price-per-hour", price))
        assert f"'{price}' is not a price (a number from 0 to 1000000)" in line and len(line) < 200
        line = complaint(ask("ls", STEPTRACE_PRICE_PER_HOUR=price))
        assert "price_per_hour is not a" in line and len(line) < 200
    assert ask("report", "--price-per-hour", "1e6").returncode == 0


def test_an_instance_must_be_one_of_those_listed(ask, tmp_path, folder):
    run = folder / "steptrace-runs" / "demo"
    assert "has no [[instances]]" in complaint(ask("rules", run, "--instance", "foo", cwd=tmp_path))
    types = "".join(
        f"[[instances]]\nname = '{name}'\ncores = 8\nmemory_gib = 61\nprice_per_hour = 3.8\n"
        for name in ("p3.2xlarge", "p3.8xlarge", "g4dn.xlarge", "c5.large")
    )
    (tmp_path / "steptrace.toml").write_text(types)
    line = complaint(ask("rules", run, "--instance", "P3.2xlage", cwd=tmp_path))
    assert "similar ones are p3.2xlarge, p3.8xlarge, c5.large; [[instances]]" in line
    assert "lists all 4" in line
    assert ask("rules", run, "--instance", "c5.large", cwd=tmp_path).returncode == 0
    (tmp_path / "steptrace.toml").write_text("instance = 'zz'\n" + types)
    told = "steptrace.toml:1: instance 'zz' is not a known machine type"
    for command in (["rules", run], ["report", run, "--section", "rules"], ["ui", run]):
        assert told in complaint(ask(*command, cwd=tmp_path))
    assert ask("ls", cwd=tmp_path).returncode == 0  # does not look at it


def test_an_instance_is_looked_at_after_the_flags_where_it_is_used(ask, tmp_path, folder):
    run = folder / "steptrace-runs" / "demo"
    (tmp_path / "steptrace.toml").write_text(
        "[[instances]]\nname = 'c5.large'\ncores = 2\nmemory_gib = 4\nprice_per_hour = 0.1\n"
    )
    bad = {"STEPTRACE_INSTANCE": "yy"}
    for command in (["ls"], ["report", run], ["rules", run, "--instance", "c5.large"]):
        assert ask(*command, cwd=tmp_path, **bad).returncode == 0
    line = complaint(ask("rules", run, cwd=tmp_path, **bad))
    assert line.startswith(
        "steptrace: STEPTRACE_INSTANCE: instance 'yy' is not a known machine type"
    )
    line = complaint(ask("rules", run, "--instance", "zz", cwd=tmp_path, **bad))
    assert line.startswith("steptrace: --instance: instance 'zz' is not a known machine type")


def test_the_null_device_is_a_file_without_settings(ask, tmp_path):
    assert ask("ls", cwd=tmp_path, STEPTRACE_CONFIG="/dev/null").returncode == 0
    (tmp_path / "steptrace.toml").symlink_to("/dev/null")
    assert ask("ls", cwd=tmp_path).returncode == 0


def test_unknown_variables_are_noted_and_stop_nothing(ask, tmp_path):
    done = ask("run", "--no-report", "--", "true", cwd=tmp_path, STEPTRACE_STAK_RATE="0")
    assert done.returncode == 0
    (note,) = [line for line in done.stderr.splitlines() if "STAK" in line]
    assert note.startswith("steptrace: STEPTRACE_STAK_RATE: no such setting; the variables are ")
    assert "STEPTRACE_STACK_RATE" in note
    known = {"STEPTRACE_STACK_RATE": "0", "STEPTRACE_CONFIG": ""}
    done = ask("run", "--no-report", "--", "true", cwd=tmp_path, **known)
    assert "no such setting" not in done.stderr
    done = ask("run", "-q", "--", "true", cwd=tmp_path, STEPTRACE_STAK_RATE="0")
    assert done.stderr == ""
