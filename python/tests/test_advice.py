# SPDX-License-Identifier: Apache-2.0
"""Each piece of advice that names a command of ours leads on: it is brought about, taken out of what
was printed, and run; what else texts name is a command with these options."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import types

import pytest
import run_manifest
from cli_tools import executable
from test_store_readable import make_run

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = (
    "run|capture|report|compare|rules|ls|show|import|join|export|ui|schema|doctor|recover|reference"
)
# As far as it may be typed: options, their values, names of runs.
TYPED = re.compile(rf"steptrace (?:{COMMANDS})\b(?: (?:--?[a-z][\w-]*|\{{[^}}]*\}}|%s))*")


def texts_of_the_executable():
    """What it may print lies in it as it is written, between zeros."""
    held = executable().read_bytes()
    at = held.find(b"steptrace ")
    while at >= 0:
        end = held.find(b"\0", at)
        yield held[held.rfind(b"\0", 0, at) + 1 : end]
        at = held.find(b"steptrace ", end)


def texts_of_the_package():
    """What its compiled modules may print."""
    codes = [
        compile(path.read_bytes(), str(path), "exec")
        for path in (ROOT / "python/steptrace").rglob("*.py")
    ]
    for code in codes:
        for constant in code.co_consts:
            if isinstance(constant, str) and constant != code.co_consts[0]:
                yield constant.encode()
            elif isinstance(constant, types.CodeType):
                codes.append(constant)


def named_commands():
    texts = [*texts_of_the_executable(), *texts_of_the_package()]
    return {command for text in texts for command in TYPED.findall(text.decode("utf-8", "replace"))}


class World:
    """A folder of runs, and the executable asked in it."""

    def __init__(self, folder):
        self.folder = folder
        self.runs = folder / "steptrace-runs"
        assert make_run(self.runs / "demo", "steps=12").returncode == 0
        assert make_run(folder / "dead", "steps=12", "end=die").returncode < 0
        (folder / "train.py").write_text("print('trained')\n")
        (folder / "trace.json").write_text(
            '{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1},{"ph":"X"}]}'
        )

    def ask(self, *arguments, cwd=None):
        plain = {k: v for k, v in os.environ.items() if not k.startswith("STEPTRACE_")}
        path = f"{pathlib.Path(executable()).parent}:{plain.get('PATH', '')}"
        return subprocess.run(
            [str(executable()), *map(str, arguments)],
            cwd=cwd or self.folder,
            env={**plain, "PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def copy(self, name, source=None):
        target = self.folder / name
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(source or self.runs / "demo", target)
        return target


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("advice"))


def serve_once(world, words):
    """`steptrace ui` leads on when it serves."""
    server = subprocess.Popen(
        [str(executable()), *words, "--port", "0"],
        cwd=world.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert "http://" in server.stdout.readline()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)


def follow(world, words, complaint="", cwd=None):
    """Runs the words behind `steptrace`; they end well, or in another state than before."""
    if words[0] == "ui":
        serve_once(world, words)
        return
    done = world.ask(*words, cwd=cwd)
    assert "--help" not in done.stderr or "--help" in words, (words, done.stderr)
    assert done.returncode in (0, 1) or (complaint and done.stderr != complaint), (
        words,
        done.stderr,
    )


# ---- situations: what is done, and what is printed then --------------------------------------


def without_manifest(world):
    run = world.copy("without manifest")
    run_manifest.newest(run).unlink()
    return world.ask("report", run)


def with_a_damaged_segment(world):
    run = world.copy("with damage")
    file = sorted(run.glob("tables/steps/**/*.parquet"))[0]
    file.write_bytes(b"?" * file.stat().st_size)
    return world.ask("report", run)


def of_a_profile(world):
    return world.ask("show", "trace.json", "steps")


def imported(world):
    return world.ask("import", "trace.json", "-o", world.folder / f"run-{os.urandom(4).hex()}")


def captured_dead(world):
    return world.ask("capture", world.copy("gone", world.folder / "dead"))


def joined_dead(world):
    return world.ask("join", world.copy("gone too", world.folder / "dead"), "-o", "joined")


def of_an_empty_folder(world):
    empty = world.folder / "empty"
    empty.mkdir(exist_ok=True)
    return world.ask("ls", empty)


def recorded(world):
    return world.ask("run", "-o", world.folder / f"run-{os.urandom(4).hex()}", "--", "true")


def section(name):
    return lambda world: world.ask("report", "demo", "--section", name)


def asked(*words):
    return lambda world: world.ask(*words)


def of_two_runs_of_a_rank(world):
    assert make_run(world.runs / "other", "steps=12").returncode == 0
    return world.ask("join", world.runs / "demo", world.runs / "other", "-o", "both")


def of_many_that_cannot_be_read(world):
    for number in range(12):
        run_manifest.newest(world.copy(f"many/{number}")).write_text("{")
    return world.ask("ls", "many")


def of_many_ranks(world):
    assert make_run(world.folder / "wide", "steps=12", "ranks=40").returncode == 0
    return world.ask("report", "wide")


def recovered_with_no_room_for_its_report(world):
    run = world.copy("without room")
    (run / "report.json").unlink(missing_ok=True)
    (run / "report.json").mkdir()
    return world.ask("recover", run)


def in_python(do):
    """What the package raises, as if a command had said it."""

    def raised(world):
        import steptrace

        with pytest.raises(steptrace.SteptraceError) as error:
            do(steptrace, world)
        return subprocess.CompletedProcess([], 2, "", f"{error.value}\n")

    return raised


SITUATIONS = {
    ("command capture", "steptrace run --window"): asked("capture", "demo"),
    ("command capture", "steptrace run"): asked("capture", "1"),
    ("join runs", "steptrace compare {} {}"): of_two_runs_of_a_rank,
    ("command ls", "steptrace ls --json"): of_many_that_cannot_be_read,
    ("ranks section", "steptrace report {} --json"): of_many_ranks,
    ("critical path section", "steptrace capture --capture"): section("critical-path"),
    ("critical path section", "steptrace doctor"): section("critical-path"),
    ("distributed section", "steptrace run"): section("distributed"),
    ("find sources", "steptrace report"): asked("import", "steptrace-runs/demo"),
    ("report", "steptrace report"): recovered_with_no_room_for_its_report,
    ("run of Python", "steptrace ls"): in_python(
        lambda steptrace, world: steptrace.open("none", folder=world.folder)
    ),
    ("text report", "steptrace report {} --json"): asked("report", "demo"),
    ("text report", "steptrace ui {}"): asked("report", "demo"),
    ("text report", "steptrace show {}"): asked("report", "demo"),
    ("written manifests", "steptrace recover {}"): without_manifest,
    ("damaged segments", "steptrace recover {}"): with_a_damaged_segment,
    ("run path", "steptrace import {}"): of_a_profile,
    ("run path", "steptrace ls {}"): asked("report", "."),
    ("run path", "steptrace ls"): asked("report", "none"),
    ("recovery", "steptrace ls"): asked("recover", "none"),
    ("run list", "steptrace run"): asked("report", "--folder", "empty"),
    ("command ls", "steptrace run"): of_an_empty_folder,
    ("command import", "steptrace show {}"): imported,
    ("command capture", "steptrace recover {}"): captured_dead,
    ("join runs", "steptrace recover {}"): joined_dead,
    ("command run", "steptrace run --help"): asked("run", "--none"),
    ("run", "steptrace report {}"): recorded,
    ("no command", "steptrace run"): asked(),
    ("kernels section", "steptrace capture --capture"): section("kernels"),
    ("memory section", "steptrace capture --capture"): section("memory"),
    ("modules section", "steptrace capture --capture"): section("modules"),
    ("operators section", "steptrace capture"): section("operators"),
    ("devices section", "steptrace doctor"): section("devices"),
    ("devices section", "steptrace capture --capture"): section("devices"),
    ("stacks", "steptrace run --stack-rate"): asked(
        "export", "demo", "--format", "folded", "-o", "-"
    ),
}


def words_of(command):
    words = shlex.split(re.sub(r"\{[^}]*\}|%s", "demo", command))[1:]
    if words[0] == "run" and "--help" not in words:
        return ["run", "--help"]
    return words


FLAGS = ("--json", "--help")  # without a value behind them


def printed_command(text, command):
    """The words of the command of that shape in what was printed, as a shell reads them, without the
    prose behind it."""
    pieces = [re.escape(part) for part in re.split(r"\{[^}]*\}|%s", command)]
    shape = r"(?:'[^']*'|[^\s`),;]+)".join(pieces)
    flat = re.sub(r"\s*\n\s*", " ", text)
    found = re.search(shape + r"((?: [^\s`),;()]+)*)", flat)
    assert found, (command, text)
    rest = shlex.split(found.group(1))
    words = shlex.split(found.group(0)[: len(found.group(0)) - len(found.group(1))])[1:]
    for word in rest:
        is_value = words[-1].startswith("-") and words[-1] not in FLAGS
        if not (word.startswith("-") or is_value or word in ("data_loss", "steps")):
            break
        words.append(word)
    return words


@pytest.mark.parametrize("key", sorted(SITUATIONS), ids=" ".join)
def test_advice_that_is_printed_leads_on(world, key):
    said = SITUATIONS[key](world)
    words = printed_command(said.stdout + said.stderr, key[1])
    if words[0] == "run" and "--" in words:
        at = words.index("--")
        words = [*words[:at], "--output", str(world.folder / f"run-{os.urandom(4).hex()}"), "--"]
        words += ["python3", "train.py"]
    elif words[0] == "run" and "--help" not in words:
        words += {"--window": ["3:1"], "--stack-rate": []}.get(words[-1], [])
        words += ["--output", str(world.folder / f"run-{os.urandom(4).hex()}"), "--", "true"]
    if words[0] == "import":
        words += ["-o", str(world.folder / f"run-{os.urandom(4).hex()}")]
    if words[0] == "show" and words[-1] not in ("steps", "data_loss"):
        words = words[:2] + ["data_loss"]
    if words[0] == "capture":
        words = ["capture", "demo", *words[1:3]]
    follow(world, words, said.stderr or "nothing was said")


# Of most the situation takes hardware, a job or a reader of its own to bring about: the tests of those places do.
def test_each_command_that_a_text_names_is_one(world):
    named = named_commands()
    assert {command for _, command in SITUATIONS} <= named, "these are said no more"
    typed = {}
    for command in named:
        words = words_of(command)
        options = {word for word in words if word.startswith("--")}
        typed.setdefault(words[0], {"--help"}).update(options)
    for command, options in typed.items():
        done = world.ask(command, "--help")
        assert done.returncode == 0, command
        assert options <= set(re.findall(r"--[a-z][\w-]+", done.stdout)), command


def test_the_examples_of_help_are_valid(world):
    shown = world.ask("--help").stdout
    for command in sorted(set(re.findall(rf"^  ({COMMANDS})\b", shown, re.M))):
        text = world.ask(command, "--help").stdout
        for example in re.findall(r"^  steptrace (.*)$", text, re.M):
            words = shlex.split(example.rstrip("\\").split("&&")[0].split(">")[0])
            options = {w for w in words if w.startswith("--") and w != "--"}
            assert options <= set(re.findall(r"--[a-z][\w-]+", text)), (command, example)
    assert json.loads(world.ask("ls", "--json").stdout)
