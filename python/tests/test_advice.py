# SPDX-License-Identifier: Apache-2.0
"""Each piece of advice that names a command of ours leads on: it is brought about, taken out of what
was printed, and run. ADVICE is all of it: a test compares it with the sources."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess

import pytest
import run_manifest
from cli_tools import executable
from test_store_readable import make_run

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = "run|capture|report|rules|ls|show|import|join|export|ui|schema|doctor|recover|reference"
# As far as it may be typed: options, their values, names of runs.
TYPED = re.compile(rf"steptrace (?:{COMMANDS})\b(?: (?:--?[a-z][\w-]*|\{{[^}}]*\}}|%s))*")
# Of code: comments and adjacent parts of a text; texts.
CPP = (re.compile(r"^\s*//.*$", re.M), re.compile(r'(?<!\\)"\s*\n\s*"'))
PYTHON = (re.compile(r'"""[\s\S]*?"""|^\s*#.*$', re.M), re.compile(r'"\s*\n\s*f?"'))
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def advice_in_sources():
    """(file, command) of all texts that the executable and the package may print."""
    found = set()
    for pattern, (comment, joint) in (("src/**/*.cc", CPP), ("src/**/*.h", CPP)) + (
        ("python/steptrace/**/*.py", PYTHON),
    ):
        for path in ROOT.glob(pattern):
            if re.search(r"_(test|fuzz|bench)\.|testing", str(path.relative_to(ROOT))):
                continue
            text = joint.sub("", comment.sub("", path.read_text()))
            for literal in TEXT.findall(text):
                for command in TYPED.findall(literal):
                    found.add((str(path.relative_to(ROOT)), command))
    return found


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
    ("src/cli/command_capture.cc", "steptrace run --window"): asked("capture", "demo"),
    ("src/cli/command_capture.cc", "steptrace run"): asked("capture", "1"),
    ("src/runs/join_runs.cc", "steptrace ui"): of_two_runs_of_a_rank,
    ("src/cli/command_ls.cc", "steptrace ls --json"): of_many_that_cannot_be_read,
    ("src/cli/render/ranks_section.cc", "steptrace report {} --json"): of_many_ranks,
    ("src/cli/render/critical_path_section.cc", "steptrace capture --capture"): section(
        "critical-path"
    ),
    ("src/cli/render/critical_path_section.cc", "steptrace doctor"): section("critical-path"),
    ("src/cli/render/distributed_section.cc", "steptrace run"): section("distributed"),
    ("src/import/core/sources/find_sources.cc", "steptrace report"): asked(
        "import", "steptrace-runs/demo"
    ),
    ("src/serve/rpc/report.cc", "steptrace report"): recovered_with_no_room_for_its_report,
    ("python/steptrace/_run.py", "steptrace ls"): in_python(
        lambda steptrace, world: steptrace.open("none", folder=world.folder)
    ),
    ("src/cli/render/text_report.cc", "steptrace report {} --json"): asked("report", "demo"),
    ("src/cli/render/text_report.cc", "steptrace ui {}"): asked("report", "demo"),
    ("src/cli/render/text_report.cc", "steptrace show {}"): asked("report", "demo"),
    ("src/store/written_manifests.cc", "steptrace recover {}"): without_manifest,
    ("src/store/damaged_segments.cc", "steptrace recover {}"): with_a_damaged_segment,
    ("src/serve/rpc/run_path.cc", "steptrace import {}"): of_a_profile,
    ("src/serve/rpc/run_path.cc", "steptrace ls {}"): asked("report", "."),
    ("src/serve/rpc/run_path.cc", "steptrace ls"): asked("report", "none"),
    ("src/store/recovery.cc", "steptrace ls"): asked("recover", "none"),
    ("src/store/run_list.cc", "steptrace run"): asked("report", "--folder", "empty"),
    ("src/cli/command_ls.cc", "steptrace run"): of_an_empty_folder,
    ("src/cli/command_import.cc", "steptrace show {}"): imported,
    ("src/cli/command_capture.cc", "steptrace recover {}"): captured_dead,
    ("src/runs/join_runs.cc", "steptrace recover {}"): joined_dead,
    ("src/cli/command_run.cc", "steptrace run --help"): asked("run", "--none"),
    ("src/cli/run.cc", "steptrace report {}"): recorded,
    ("src/cli/main.cc", "steptrace run"): asked(),
    ("src/cli/render/kernels_section.cc", "steptrace capture --capture"): section("kernels"),
    ("src/cli/render/memory_section.cc", "steptrace capture --capture"): section("memory"),
    ("src/cli/render/modules_section.cc", "steptrace capture --capture"): section("modules"),
    ("src/cli/render/operators_section.cc", "steptrace capture"): section("operators"),
    ("src/cli/render/devices_section.cc", "steptrace doctor"): section("devices"),
    ("src/cli/render/devices_section.cc", "steptrace capture --capture"): section("devices"),
    ("src/serve/export/stacks.cc", "steptrace run --stack-rate"): asked(
        "export", "demo", "--format", "folded", "-o", "-"
    ),
}

# Advice whose situation takes hardware, a job or a reader of its own to bring about (the tests of
# those places do), and texts that only name a command: the words are run as they stand, on a run.
PLAIN = {
    ("python/steptrace/_plot.py", "steptrace ls"),
    ("python/steptrace/pth.py", "steptrace run"),
    ("src/agent/run/agent_options.cc", "steptrace run"),
    ("src/agent/capture/capture_port.cc", "steptrace capture"),
    ("src/agent/capture/capture_port.cc", "steptrace show {run}"),
    ("src/store/loss_causes.h", "steptrace doctor"),
    ("src/store/loss_causes.h", "steptrace run"),
    ("src/present/words/finding_words.h", "steptrace capture"),
    ("src/present/words/finding_words.h", "steptrace doctor"),
    ("src/present/words/finding_words.h", "steptrace capture --capture"),
    ("src/present/words/finding_words.h", "steptrace report"),
    ("src/present/words/finding_words.h", "steptrace report --section"),
    ("src/present/words/finding_words.h", "steptrace run"),
    ("src/present/words/finding_words.h", "steptrace ui"),
    ("src/cli/app.cc", "steptrace run"),
    ("src/cli/command_capture.cc", "steptrace capture"),
    ("src/cli/command_doctor.cc", "steptrace doctor"),
    ("src/cli/command_export.cc", "steptrace export"),
    ("src/cli/command_import.cc", "steptrace import"),
    ("src/cli/command_import.cc", "steptrace report"),
    ("src/cli/command_join.cc", "steptrace join"),
    ("src/cli/command_join.cc", "steptrace report"),
    ("src/cli/command_recover.cc", "steptrace recover"),
    ("src/cli/command_reference.cc", "steptrace reference"),
    ("src/cli/command_report.cc", "steptrace report"),
    ("src/cli/command_rules.cc", "steptrace rules"),
    ("src/cli/command_run.cc", "steptrace capture"),
    ("src/cli/command_run.cc", "steptrace report"),
    ("src/cli/command_run.cc", "steptrace run"),
    ("src/cli/command_schema.cc", "steptrace schema --markdown"),
    ("src/cli/command_show.cc", "steptrace show"),
    ("src/cli/command_ui.cc", "steptrace ui --open"),
    ("src/cli/doctor.cc", "steptrace run"),
    ("src/cli/render/system_section.cc", "steptrace report {} --json"),
    ("src/cli/render/text_report.cc", "steptrace report {} --section"),
    ("src/cli/render/text_report.cc", "steptrace report {} --section {} --json"),
    ("src/import/formats/perfetto/importer.cc", "steptrace export"),
    ("src/serve/pages/notebook.cc", "steptrace report --compare --notebook"),
    ("src/serve/pages/notebook.cc", "steptrace report --notebook"),
    ("src/serve/pages/notebook.cc", "steptrace schema"),
    ("src/store/arrow_support.cc", "steptrace ls"),
    (
        "src/store/run_reader.cc",
        "steptrace recover {}",
    ),  # of a writer's newest manifest, where an older one is left
    ("src/store/written_manifests.cc", "steptrace join"),
    ("src/store/schema.cc", "steptrace schema --markdown"),
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


@pytest.mark.parametrize("key", sorted(PLAIN), ids=" ".join)
def test_a_command_that_a_text_names_is_one(world, key):
    words = words_of(key[1])
    if words[0] == "show":
        words = ["show", "demo", "run_metadata"]
    done = world.ask(words[0], "--help")
    assert done.returncode == 0
    options = set(re.findall(r"--[a-z][\w-]+", done.stdout))
    assert {word for word in words if word.startswith("--")} <= options | {"--help"}


def test_all_advice_in_the_sources_is_tried():
    known = set(SITUATIONS) | PLAIN
    found = advice_in_sources()
    assert found - known == set(), "add a case for what is new"
    assert known - found == set(), "these are gone from the sources"


def test_the_examples_of_help_are_valid(world):
    shown = world.ask("--help").stdout
    for command in sorted(set(re.findall(rf"^  ({COMMANDS})\b", shown, re.M))):
        text = world.ask(command, "--help").stdout
        for example in re.findall(r"^  steptrace (.*)$", text, re.M):
            words = shlex.split(example.rstrip("\\").split("&&")[0].split(">")[0])
            options = {w for w in words if w.startswith("--") and w != "--"}
            assert options <= set(re.findall(r"--[a-z][\w-]+", text)), (command, example)
    assert json.loads(world.ask("ls", "--json").stdout)
