# SPDX-License-Identifier: Apache-2.0
"""Secrets of command lines and messages are in no file and no output of a run, and who may read a
run is its owner."""

import json
import os
import stat
import subprocess
import sys

import pyarrow.parquet
import pytest
from fault_tools import LIMIT_S, PRELUDE, Recording, executable, plain, record, script, wait_for
from pages_server import Server

SECRET = "S3CRETofMine"  # part of each secret below
TOKEN = "hf_S3CRETofMine0123456789abcdefghij"

TRAINS = (
    PRELUDE
    + """
import json
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    step()
try:
    raise OSError("GET https://me:S3CRETofMine@h/x?sig=1&token=S3CRETofMine: 403, "
                  "Authorization: Bearer S3CRETofMine")
except OSError as error:
    probe.fact("hook", json.dumps({"hook": "data", "state": "failed", "reason": str(error)}))
"""
)

WORDS = [
    f"--api-key={SECRET}1",
    "--password",
    f"{SECRET}2 of two words",
    f"wandb.api_key={SECRET}3",
    "--db",
    f"postgres://me:{SECRET}4@h/x",
    "--config",
    f'{{"token": "{SECRET}5", "lr": 0.1}}',
    "--positional",
    TOKEN,
]


def steptrace(*arguments, **how):
    done = plain([executable(), *map(str, arguments)], **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_of(run):
    return [path for path in run.rglob("*") if path.is_file()]


def stored_texts(run):
    """All bytes of the run's files, and what is in its compressed tables."""
    for path in files_of(run):
        yield path, path.read_bytes()
        if path.suffix == ".parquet":
            yield path, str(pyarrow.parquet.read_table(path).to_pydict()).encode()


def outputs(run, folder):
    yield "report", steptrace("report", run)
    yield "report --json", steptrace("report", run, "--json")
    yield "ls", steptrace("ls", run.parent, "--json")
    for table in ("run_metadata", "data_loss", "findings", "tracks"):
        yield table, steptrace("show", run, table, "--json")
    for number, options in enumerate([["--html"], ["--notebook"]]):
        file = folder / f"{number}.out"
        steptrace("report", run, *options, file)
        yield options[0], file.read_bytes()
    for form in ("perfetto", "chrome"):
        file = folder / f"{form}.out"
        steptrace("export", run, "--format", form, "-o", file)
        yield form, file.read_bytes()
    steptrace("export", run, "--format", "csv", "-o", folder / "csv")
    for path in files_of(folder / "csv"):
        yield path, path.read_bytes()
    server = Server(run.parent)
    try:
        for path in (
            "",
            f"{run.name}/report",
            f"{run.name}/table/run_metadata",
            f"{run.name}/timeline/tree",
        ):
            status, body = server.ask(path)
            assert status == 200, path
            yield f"/api/runs/{path}", body
    finally:
        server.end()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """bash -c, which starts torchrun with secrets, which starts a training with more."""
    folder = tmp_path_factory.mktemp("privacy")
    (folder / "train.py").write_text(TRAINS)
    quoted = " ".join(f"'{word}'" for word in WORDS)
    line = f"WANDB_API_KEY={SECRET}6 {sys.executable} -m torch.distributed.run --standalone "
    line += f"--nproc_per_node 1 {folder}/train.py {quoted} --lr 0.1"
    variables = {"OMP_NUM_THREADS": "1", "MY_PASSWORD": f"{SECRET}7"}
    done = record(folder, ["bash", "-c", line, "--token", f"{SECRET}8"], env=variables)
    assert done.status == 0, done.stderr
    return done.run


def test_no_secret_is_stored(recorded):
    found = [str(path) for path, text in stored_texts(recorded.path) if SECRET.encode() in text]
    assert not found


def test_no_output_has_a_secret(recorded, tmp_path):
    seen = [(name, SECRET.encode() in text) for name, text in outputs(recorded.path, tmp_path)]
    assert len(seen) > 15 and not any(secret for _, secret in seen), seen
    kept = [SECRET.encode() in text for _, text in stored_texts(recorded.path)]
    assert not any(kept), "nor does making them store one"


def test_what_is_no_secret_stays(recorded):
    words = recorded.manifest()["command"]
    assert words[:2] == ["bash", "-c"] and words[3:] == ["--token", "REDACTED"]
    assert f"{recorded.path.parent}/train.py" in words[2] and "--lr 0.1" in words[2]
    assert "WANDB_API_KEY=REDACTED" in words[2] and "postgres://me:REDACTED@h/x" in words[2]
    facts = [
        json.loads(row["json"]) for row in recorded.rows("run_metadata") if row["kind"] == "process"
    ]
    train = f"{recorded.path.parent}/train.py"
    arguments = next(fact["argv"] for fact in facts if fact["argv"][0] == train)
    assert arguments[1:4] == ["--api-key=REDACTED", "--password", "REDACTED"]
    assert arguments[-2:] == ["--lr", "0.1"]
    reasons = [json.loads(row["json"]).get("reason") for row in recorded.rows("run_metadata")]
    address = "GET https://me:REDACTED@h/x?sig=1&token=REDACTED 403, "
    assert address + "Authorization: Bearer REDACTED" in reasons


STEPS = "for i in range(3): step()\n"


def test_names_of_ones_own(tmp_path):
    command = [*script(tmp_path, STEPS), "--my-word", SECRET, "licence=" + SECRET]
    done = record(tmp_path, command, "--redact", "--my-word", env={"STEPTRACE_REDACT": "licence"})
    assert done.run.manifest()["command"][2:] == ["--my-word", "REDACTED", "licence=REDACTED"]


def test_a_list_in_the_file_of_settings(tmp_path):
    (tmp_path / "steptrace.toml").write_text('redact = ["--my-word", "licence"]\n')
    command = [*script(tmp_path, STEPS), "--my-word", SECRET, "licence=" + SECRET]
    done = record(tmp_path, command, cwd=tmp_path)
    assert done.run.manifest()["command"][2:] == ["--my-word", "REDACTED", "licence=REDACTED"]


def test_no_redact_stores_all(tmp_path):
    command = [*script(tmp_path, STEPS), "--password", SECRET]
    done = record(tmp_path, command, "--no-redact")
    assert done.run.manifest()["command"] == command


def test_a_secret_is_in_no_name(tmp_path):
    (tmp_path / "train.py").write_text("")
    command = [sys.executable, f"--token={SECRET}.py", str(tmp_path / "train.py")]
    with_env = ["env", f"API_KEY={SECRET}.sh", *command[:1], str(tmp_path / "train.py")]
    for number, line in enumerate((command, with_env)):
        runs = tmp_path / f"runs{number}"
        plain([executable(), "run", "--quiet", "--folder", str(runs), "--", *line])
        (run,) = runs.iterdir()
        assert SECRET not in run.name
        assert SECRET not in (run / "run.json").read_text()


def test_an_imported_profile_holds_none(tmp_path):
    events = [
        {"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": f"t.py --token {SECRET}"}},
    ]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"traceEvents": events}))
    steptrace("import", trace, "-o", tmp_path / "run")
    assert not [p for p, text in stored_texts(tmp_path / "run") if SECRET.encode() in text]
    steptrace("import", trace, "-o", tmp_path / "as-it-is", "--no-redact")
    assert [p for p, text in stored_texts(tmp_path / "as-it-is") if SECRET.encode() in text]


# ---- who may read a run ----


def modes(run):
    """The permissions of the run's folder, of all that is in it, and no link."""
    found = {stat.S_IMODE(run.stat().st_mode) & 0o777: {"."}}
    for path in run.rglob("*"):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # of a run that is being recorded: a newer one is in its place
            continue
        kind = 0o1000 if stat.S_ISDIR(mode) else 0
        found.setdefault(stat.S_IMODE(mode) & 0o777 | kind, set()).add(path.name)
    return found


def check_modes(run, folder, file):
    found = modes(run)
    assert set(found) <= {folder, folder | 0o1000, file}, found


def under(umask):
    return {"preexec_fn": lambda: os.umask(umask)}


UMASKS = [0o000, 0o022, 0o077]


@pytest.mark.parametrize("umask", UMASKS)
def test_a_run_is_its_owners(tmp_path, umask):
    saved = "open('made-by-the-script', 'w').close()\n"
    recording = Recording(
        tmp_path, script(tmp_path, saved + STEPS + "input()\n" + STEPS), cwd=tmp_path,
        stdin=subprocess.PIPE, **under(umask),
    )  # fmt: skip
    run = tmp_path / "run"
    wait_for(lambda: list(run.glob("journal/*/slices-*")) or recording.process.poll() is not None)
    assert recording.process.poll() is None
    check_modes(run, 0o700, 0o600)  # while it is recorded
    recording.process.stdin.write(b"\n")
    recording.process.stdin.flush()
    done = recording.finish()
    assert done.status == 0
    steptrace("report", run, **under(umask))
    check_modes(run, 0o700, 0o600)
    made = (tmp_path / "made-by-the-script").stat().st_mode
    assert stat.S_IMODE(made) == 0o666 & ~umask, "the command's umask is its own"


@pytest.mark.parametrize(("umask", "folder", "file"), [(0, 0o750, 0o640), (0o077, 0o700, 0o600)])
def test_a_run_for_its_group(tmp_path, umask, folder, file):
    runs = tmp_path / "runs"
    options = ["--quiet", "--readable-by", "group", "--folder", str(runs)]
    line = [executable(), "run", *options, "--", *script(tmp_path, STEPS)]
    plain(line, **under(umask))
    (run,) = runs.iterdir()
    steptrace("report", run, **under(umask))
    check_modes(run, folder, file)
    assert stat.S_IMODE(runs.stat().st_mode) == folder


def test_the_group_by_a_setting(tmp_path):
    done = record(tmp_path, script(tmp_path, STEPS), env={"STEPTRACE_READABLE_BY": "group"})
    check_modes(done.run.path, 0o750, 0o640)


@pytest.mark.parametrize("umask", UMASKS)
def test_a_folder_that_was_given_becomes_private(tmp_path, umask):
    run = tmp_path / "run"
    run.mkdir()
    run.chmod(0o755)
    record(tmp_path, script(tmp_path, STEPS), **under(umask))
    check_modes(run, 0o700, 0o600)


def trace(folder):
    events = [
        {"ph": "X", "name": "ProfilerStep#1", "cat": "user_annotation", "pid": 1, "tid": 1}
        | {"ts": 10, "dur": 9},
        {"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 11, "dur": 1},
    ]
    path = folder / "trace.json"
    path.write_text(json.dumps({"traceEvents": events, "baseTimeNanoseconds": 10**18}))
    return path


@pytest.mark.parametrize("umask", UMASKS)
def test_imports_and_what_is_added_to_a_run(tmp_path, umask):
    how = under(umask)
    for options, folder, file in (
        ([], 0o700, 0o600),
        (["--readable-by", "group"], 0o750 & ~umask, 0o640 & ~umask),
    ):
        runs = tmp_path / f"runs{len(options)}"
        steptrace("import", trace(tmp_path), "--folder", runs, *options, **how)
        (run,) = runs.iterdir()
        steptrace("report", run, **how)
        server = Server(runs)
        try:
            # Makes the index of the timeline.
            assert server.ask(f"{run.name}/timeline/tree")[0] == 200
        finally:
            server.end()
        steptrace("recover", run, **how)
        check_modes(run, folder, file)
        assert stat.S_IMODE(runs.stat().st_mode) == folder


def test_the_users_own_files_have_his_umask(tmp_path):
    steptrace("import", trace(tmp_path), "-o", tmp_path / "run", **under(0o022))
    steptrace("report", tmp_path / "run", "--html", tmp_path / "a.html", **under(0o022))
    steptrace("export", tmp_path / "run", "--format", "csv", "-o", tmp_path / "csv", **under(0o022))
    assert stat.S_IMODE((tmp_path / "a.html").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "csv").stat().st_mode) == 0o755
    assert {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "csv").iterdir()} == {0o644}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--readable-by", "world"], "owner"),
        (["--redact=--"], "names"),
        (["--redact", "x", "--no-redact"], "excludes"),
    ],
)
def test_a_wrong_option_is_one_line(tmp_path, options, says):
    line = [executable(), "run", "-o", str(tmp_path / "run"), *options, "--", "true"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert says in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("options", [[], ["--readable-by", "group"]])
def test_a_joined_run(tmp_path, options):
    nodes = []
    for rank in ("0", "1"):
        folder = tmp_path / rank
        folder.mkdir()
        job = {"RANK": rank, "WORLD_SIZE": "2"}
        nodes.append(record(folder, script(folder, STEPS), "--name", rank, env=job).run.path)
    steptrace("join", *nodes, "-o", tmp_path / "job", *options, **under(0))
    check_modes(tmp_path / "job", *((0o750, 0o640) if options else (0o700, 0o600)))
