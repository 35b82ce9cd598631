# SPDX-License-Identifier: Apache-2.0
"""Getting in: sitecustomize, the import hook and what they must leave as it was.

A stand-in for torch (two small modules) makes each of these a matter of milliseconds.
"""

import subprocess
import sys
import zipfile

import hooked
import pytest

BOOTSTRAP = hooked.PACKAGE / "bootstrap"

SERIALIZATION = """
def save(thing, path):
    return ("saved", thing, path)

def load(path):
    return ("loaded", path)
"""

USE = """
import torch.serialization as s
assert s.save(1, 2) == ("saved", 1, 2) and s.load(3) == ("loaded", 3)
"""


@pytest.fixture()
def site(tmp_path):
    """A folder for PYTHONPATH with a stand-in for torch."""
    folder = tmp_path / "site"
    (folder / "torch").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text("__version__ = '9.9'\n")
    (folder / "torch" / "serialization.py").write_text(SERIALIZATION)
    return folder


@pytest.fixture()
def python(tmp_path, site):
    def run(code, *options, path=None, **variables):
        entries = [hooked.TESTS / "fake_site", *(path or [site])]
        variables.setdefault("PYTHONPATH", ":".join(map(str, entries)))
        return hooked.run(tmp_path / "ring", *options, "-c", code, cwd=tmp_path, **variables)

    return run


def names(run):
    return [record.name for record in run.records if record.kind == "begin" and record.name != "gc"]


def test_a_hooked_module_is_patched_when_it_is_imported(python):
    run = python(USE).check()
    assert names(run) == ["checkpoint", "checkpoint"]
    assert [fact["version"] for fact in run.facts("framework")] == ["9.9"]


def test_a_python_without_hooked_modules_leaves_nothing(python):
    assert python("import json").check().records == []


def test_a_module_keeps_its_own_loader(python):
    python(
        USE + "import importlib.machinery as m, torch\n"
        "for module in (s, torch):\n"
        "    loader = module.__spec__.loader\n"
        "    assert type(loader) is m.SourceFileLoader and module.__loader__ is loader\n"
        "    assert vars(loader).keys() == {'name', 'path'}\n"
    ).check()


def test_looking_for_a_module_without_importing_it_changes_nothing(python):
    run = python("import importlib.util as u\nassert u.find_spec('torch').origin\n" + USE).check()
    assert names(run) == ["checkpoint", "checkpoint"]


def test_a_reloaded_module_is_patched_again(python):
    run = python(USE + "import importlib\nimportlib.reload(s).save(1, 2)").check()
    assert names(run) == ["checkpoint"] * 3


def test_a_module_that_fails_to_import_fails_as_ever(python, site):
    for error in ("ImportError", "ValueError"):
        path = site / "torch" / "serialization.py"
        path.write_text(f"raise {error}('no luck')")
        run = python("import torch.serialization")
        assert run.returncode == 1
        assert run.stderr == (
            "Traceback (most recent call last):\n"
            '  File "<string>", line 1, in <module>\n'
            f'  File "{path}", line 1, in <module>\n'
            f"    raise {error}('no luck')\n"
            f"{error}: no luck\n"
        )


def test_a_module_in_a_zip(python, site, tmp_path):
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in site.rglob("*.py"):
            file.write(path, path.relative_to(site))
    run = python(USE, path=[archive]).check()
    assert names(run) == ["checkpoint", "checkpoint"]


def test_a_module_without_source_is_wrapped(python, site):
    import py_compile

    source = site / "torch" / "serialization.py"
    py_compile.compile(str(source), cfile=str(source.with_suffix(".pyc")))
    source.unlink()
    run = python(USE).check()
    assert names(run) == ["checkpoint", "checkpoint"]
    (fact,) = [fact for fact in run.facts("hook") if fact["hook"] == "checkpoint"]
    assert fact["state"] == "active" and "source is not there" in fact["reason"]


def test_another_import_hook_goes_on_working(python):
    run = python(
        "import sys, importlib.util\n"
        "class Other:\n"
        "    seen, busy = [], False\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if self.busy: return None\n"
        "        Other.busy = True\n"
        "        try: spec = importlib.util.find_spec(name)\n"
        "        finally: Other.busy = False\n"
        "        self.seen.append(name)\n"
        "        return spec\n"
        "sys.meta_path.insert(0, Other())\n" + USE + "assert 'torch.serialization' in Other.seen"
    ).check()
    assert names(run) == ["checkpoint", "checkpoint"]


def test_a_module_that_lacks_what_is_hooked_fails_alone(python, site):
    (site / "torch" / "serialization.py").write_text("def save(): return 1\n")
    (site / "safetensors").mkdir()
    (site / "safetensors" / "torch.py").write_text(
        "def save_file(): return 1\ndef load_file(): return 2\n"
    )
    (site / "safetensors" / "__init__.py").write_text("")
    run = python(
        "import torch.serialization as s, safetensors.torch as t\n"
        "assert s.save() == 1 and t.save_file() == 1 and t.load_file() == 2"
    ).check()
    failed = run.failed_hooks()
    assert list(failed) == ["checkpoint"] and "load" in failed["checkpoint"]["reason"]
    assert names(run) == ["checkpoint", "checkpoint"]  # those of safetensors


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("off", []),
        ("backward", []),
        ("nonsense", []),
        ("checkpoint, data", ["checkpoint"] * 2),
        ("", ["checkpoint"] * 2),
        ("all", ["checkpoint"] * 2),
    ],
)
def test_the_setting_selects(python, setting, expected):
    assert names(python(USE, STEPTRACE_HOOKS=setting).check()) == expected


def test_without_a_run_nothing_is_installed(python, tmp_path):
    code = USE + "import sys\nassert '_steptrace_hooks' not in sys.modules"
    assert python(code, STEPTRACE_RING_DIR="").check().records == []


def bare(code, *options, path=(), **variables):
    """Python with our own folder on PYTHONPATH, as `steptrace run` sets it; no fake."""
    entries = ":".join(map(str, [BOOTSTRAP, *path]))
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        env={"PYTHONPATH": entries, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_probe_that_cannot_be_loaded_is_silence(site, tmp_path):
    for probe in ("/nonexistent.so", __file__, ""):
        done = bare(USE, path=[site], STEPTRACE_RING_DIR=str(tmp_path), STEPTRACE_PROBE=probe)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def marks(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("hooks"))


def test_marks_tell_the_agent_what_became_of_the_hooks(site, tmp_path):
    """The names that src/agent/ingest/hooks_marks.cc reads; of a process the remainder of its pid."""
    slots = "import os, sys; print(os.getpid() % 1024, file=sys.__stdout__)"
    cases = {
        "loaded": (slots, {}, ["hooks"]),
        "off": (slots + "; import torch", {"STEPTRACE_HOOKS": "off"}, ["hooks_off"]),
        "unloadable": (USE + slots, {"STEPTRACE_PROBE": __file__}, ["hooks", "hooks_no_probe"]),
        "none": (USE + slots, {}, ["hooks", "hooks_no_probe"]),
        "another build": (
            "import sys; sys.abiflags = 't'\n" + USE + slots,
            {},
            ["hooks", "hooks_other_build"],
        ),
        "common": ("import json; " + slots, {}, ["hooks"]),
    }
    for case, (code, variables, names) in cases.items():
        folder = tmp_path / case
        folder.mkdir(mode=0o700)
        done = bare(code, path=[site], STEPTRACE_RING_DIR=str(folder), **variables)
        assert (done.returncode, done.stderr) == (0, ""), case
        assert marks(folder) == [f"{name}.{done.stdout.strip()}" for name in names], case


def test_a_ring_that_cannot_be_made_is_told_by_a_mark(site, tmp_path):
    """Below the size of a ring the limit on files would end the script: none is made."""
    probe = hooked.PACKAGE / "_probe.abi3.so"
    small = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
    (tmp_path / "ring").mkdir(mode=0o700)
    done = bare(
        small + USE,
        path=[site],
        STEPTRACE_RING_DIR=str(tmp_path / "ring"),
        STEPTRACE_PROBE=str(probe),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [name.split(".")[0] for name in marks(tmp_path / "ring")] == ["hooks", "hooks_no_ring"]


@pytest.mark.parametrize("folder", ["/nonexistent", "/proc", "x" * 5000])
def test_a_mark_that_cannot_be_left_is_silence(site, tmp_path, folder):
    done = bare(USE, path=[site], STEPTRACE_RING_DIR=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_folder_for_marks_that_is_not_told_any_more_is_silence(site, tmp_path):
    gone = "import os; del os.environ['STEPTRACE_RING_DIR']\n" + USE
    done = bare(gone, path=[site], STEPTRACE_RING_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


SITECUSTOMIZES = {
    "sets": "import os; os.environ['SEEN'] = __name__",
    "raises": "raise ValueError('theirs is broken')",
    "exits": "raise SystemExit(7)",
    "does not parse": "def (",
    "is interrupted": "raise KeyboardInterrupt",
    "imports what is not there": "import nowhere",
    "calls what raises": "def f(): raise OSError(2)\nf()",
}


@pytest.mark.parametrize("case", SITECUSTOMIZES)
def test_the_sitecustomize_of_the_script_runs_as_without_us(tmp_path, case):
    (tmp_path / "sitecustomize.py").write_text(SITECUSTOMIZES[case])
    code = (
        "import os, sys; print(os.environ.get('SEEN'))\n"
        "print(getattr(sys.modules.get('sitecustomize'), '__file__', None), sys.path)"
    )
    ours = bare(code, path=[tmp_path], STEPTRACE_RING_DIR=str(tmp_path))
    theirs = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
    assert ours.stderr == theirs.stderr


def test_without_a_sitecustomize_there_is_none(tmp_path):
    code = "import sys; print('sitecustomize' in sys.modules, sys.path)\nimport sitecustomize"
    done = bare(code, STEPTRACE_RING_DIR=str(tmp_path))
    assert done.returncode == 1 and "No module named 'sitecustomize'" in done.stderr
    assert done.stdout.startswith("False") and "bootstrap" not in done.stdout


@pytest.mark.parametrize("option", ["-S", "-E", "-I", "-s", "-O"])
def test_pythons_options(tmp_path, option):
    done = bare("print('fine')", option, STEPTRACE_RING_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


def test_our_code_breaking_is_not_the_scripts_matter(tmp_path):
    """A copy of the package whose hooks do not even import."""
    (tmp_path / "bootstrap").mkdir()
    (tmp_path / "_hooks").mkdir()
    (tmp_path / "_hooks" / "__init__.py").write_text("1/0")
    copy = tmp_path / "bootstrap" / "sitecustomize.py"
    copy.write_text((BOOTSTRAP / "sitecustomize.py").read_text())
    done = subprocess.run(
        [sys.executable, "-c", "print('fine')"],
        env={"PYTHONPATH": str(copy.parent), "STEPTRACE_RING_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A Python environment of its own, with a stand-in for torch and the fake probe in it."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").write_text("")
    (packages / "torch" / "serialization.py").write_text(SERIALIZATION)
    # Sorts before steptrace-hooks.pth: the fake takes the native module's place.
    (packages / "a.pth").write_text(
        f"import sys; sys.path.append({str(hooked.TESTS)!r}); import fake_probe; "
        "sys.modules['steptrace._probe'] = fake_probe; sys.path.pop()\n"
    )
    (packages / "steptrace").symlink_to(hooked.PACKAGE)
    return folder / "bin" / "python"


def pth(python, action):
    return subprocess.run(
        [python, "-m", "steptrace.pth", action], capture_output=True, text=True, timeout=60
    )


def test_the_pth_file_reaches_pythons_that_ignore_the_environment(environment, tmp_path):
    def record(*options, **variables):
        folder = tmp_path / "ring"
        variables = hooked.environment(folder, **variables)
        code = USE + "import sys; print(sys.path)"
        done = subprocess.run(
            [environment, *options, "-c", code], env=variables, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        found = names(hooked.Run(done, folder))
        for path in folder.glob("*"):
            path.unlink()
        return found

    ours = {"PYTHONPATH": str(BOOTSTRAP)}
    assert pth(environment, "status").returncode == 1
    assert record("-I", **ours) == record("-E", **ours) == []
    assert pth(environment, "install").returncode == pth(environment, "status").returncode == 0
    for option in ("-I", "-E", "-Xdev"):
        assert record(option, **ours) == ["checkpoint", "checkpoint"], option
    assert record("-I", STEPTRACE_RING_DIR="") == []
    assert pth(environment, "remove").returncode == pth(environment, "remove").returncode == 0
    assert record("-I", **ours) == []


def test_a_pth_file_that_cannot_be_written(environment):
    packages = next(environment.parents[1].glob("lib/python*/site-packages"))
    in_the_way = packages / "steptrace-hooks.pth"
    in_the_way.mkdir()
    try:
        done = pth(environment, "install")
    finally:
        in_the_way.rmdir()
    assert done.returncode == 2
    assert done.stderr.startswith("steptrace.pth: ") and "Is a directory" in done.stderr
