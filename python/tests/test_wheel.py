# SPDX-License-Identifier: Apache-2.0
"""The wheel, built and then installed where nothing else of this tree is: what it holds, and that
it records and reads beside another pyarrow, without any, and on other Pythons.
"""

import base64
import csv
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHER_PYARROW = "24.0.0"  # not the one that the wheel bundles
MOST_MEGABYTES = 26
ELF = b"\x7fELF"
RANGE = "adding up"
MAKE_A_TABLE = "steptrace.open().table('slices', columns=['name', 'dur_ns'])"

SCRIPT = f"""
import steptrace
with steptrace.annotate({RANGE!r}):
    total = sum(range(1000))
print(total)
"""

SCRIPT_WITH_PYARROW = f"""
import pyarrow, pyarrow.compute
import steptrace
with steptrace.annotate({RANGE!r}):
    total = pyarrow.compute.sum(pyarrow.array(range(1000))).as_py()
maps = open("/proc/self/maps").read().split()
print(total, pyarrow.__version__, *sorted({{word for word in maps if "/libarrow" in word}}))
"""


def run(*command, status=0, **options):
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=300, check=False, **options
    )
    said = done.stdout[-3000:] + done.stderr[-3000:]
    assert done.returncode == status, f"{command}: {done.returncode}\n{said}"
    return done.stdout


def clean_environment(*first):
    """Variables of a user who has never seen this tree; `first`: folders at the head of PATH."""
    kept = ("PIP_", "SSL_", "HTTP_", "HTTPS_", "NO_PROXY", "http", "no_proxy", "LANG", "LC_")
    plain = {k: v for k, v in os.environ.items() if k.startswith(kept)}
    path = os.pathsep.join([*map(str, first), "/usr/local/bin", "/usr/bin", "/bin"])
    return {**plain, "PATH": path, "PYTHONNOUSERSITE": "1"}


class Environment:
    """A virtual environment, and a folder to work in."""

    def __init__(self, folder, python):
        self.root = folder / "venv"
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        run(python, "-m", "venv", self.root, env=clean_environment())
        self.python = self.root / "bin" / "python"
        self.command = self.root / "bin" / "steptrace"

    def __call__(self, *command, **options):
        environment = clean_environment(self.root / "bin")
        return run(*command, cwd=self.work, env=environment, **options)

    def pip(self, *arguments, **options):
        return self(self.python, "-m", "pip", "--disable-pip-version-check", *arguments, **options)

    def install(self, wheel):
        self.pip("install", "-q", "--no-index", "--no-deps", wheel)
        return self

    def ask(self, expression):
        """What an expression about `import steptrace` is, through JSON."""
        text = f"import json, steptrace; print(json.dumps({expression}))"
        return json.loads(self(self.python, "-c", text))

    def record(self, script):
        """What a script printed under `steptrace run`, started by its name as a user would."""
        (self.work / "script.py").write_text(script)
        return self("steptrace", "run", "--quiet", "--no-report", "--", "python", "script.py")

    def files(self):
        """All but what pip writes for itself."""
        return {p for p in self.root.rglob("*") if not {"pip", "setuptools"} & set(p.parts)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [ROOT / "tools" / "wheel", "--output", folder],
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("installed"), sys.executable).install(wheel)


@pytest.fixture(scope="module")
def beside(installed):
    """The environment, with a pyarrow of its own."""
    wanted = f"pyarrow=={OTHER_PYARROW}"
    pip = ["-m", "pip", "install", "-q", "--no-deps", "--only-binary=:all:"]
    got = subprocess.run(
        [installed.python, *pip, wanted],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if got.returncode:
        pytest.skip(f"{wanted} cannot be had here: {got.stderr.strip().splitlines()[-1]}")
    return installed


def entries(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_fits_every_python(wheel):
    name, version, python, abi, platform = wheel.name[: -len(".whl")].split("-")
    assert (name, python, abi) == ("steptrace", "py3", "none")
    assert platform.startswith("manylinux_") and platform.endswith(f"_{os.uname().machine}")
    (described,) = (data for n, data in entries(wheel).items() if n.endswith("dist-info/METADATA"))
    lines = described.decode().split("\n\n")[0].splitlines()
    assert f"Version: {version}" in lines and "Requires-Python: >=3.8" in lines
    assert not [line for line in lines if line.startswith("Requires-Dist")]


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size < MOST_MEGABYTES * 1e6


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = set(entries(wheel))
    package = ROOT / "python" / "steptrace"
    modules = {p for p in package.rglob("*") if p.suffix in (".py", ".pyi", ".typed")}
    headers = (ROOT / "include" / "steptrace").glob("*.h")
    wanted = {f"steptrace/{p.relative_to(package).as_posix()}" for p in modules}
    wanted |= {f"steptrace/include/steptrace/{p.name}" for p in headers}
    wanted |= {"steptrace/_probe.abi3.so", "steptrace/py.typed"}
    pages = {p for p in (package / "ui").rglob("*") if p.is_file()}
    assert {package / "ui" / "index.html", package / "ui" / "report.html"} <= pages
    wanted |= {f"steptrace/{p.relative_to(package).as_posix()}" for p in pages}
    assert {n for n in names if n.startswith("steptrace/")} == wanted

    other = {n for n in names if not n.startswith("steptrace/")}
    info = next(n for n in other if n.endswith("/RECORD"))[: -len("RECORD")]
    command = info.replace(".dist-info/", ".data/scripts/steptrace")
    assert {n for n in other if ".data/" in n} == {command}
    libraries = {n.split("/")[1].split("-")[0] for n in other if n.startswith("steptrace.libs/")}
    assert {"libarrow", "libparquet"} <= libraries
    assert {n for n in other if not n.startswith((info, "steptrace.libs/"))} == {command}
    assert {f"{info}licenses/LICENSE", f"{info}licenses/arrow/NOTICE.txt"} <= names


def test_the_wheel_knows_no_place_on_this_machine(wheel):
    build = str(ROOT).encode()
    home = str(pathlib.Path.home()).encode() + b"/"
    for name, data in entries(wheel).items():
        ours = not name.startswith("steptrace.libs/")  # Arrow's builders have a home too
        found = [place for place in ((build, home) if ours else (build,)) if place in data]
        assert not found, f"{name}: {found}"


def test_the_record_is_true(wheel):
    held = entries(wheel)
    (record,) = (n for n in held if n.endswith("dist-info/RECORD"))
    lines = list(csv.reader(held[record].decode().splitlines()))
    assert sorted(name for name, _, _ in lines) == sorted(held)
    for name, digest, size in lines:
        if name == record:
            assert (digest, size) == ("", "")
            continue
        made = base64.urlsafe_b64encode(hashlib.sha256(held[name]).digest()).rstrip(b"=")
        assert (digest, int(size)) == (f"sha256={made.decode()}", len(held[name])), name


def test_the_command_is_the_executable_itself(installed):
    assert installed.command.read_bytes()[:4] == ELF
    assert installed("steptrace", "--version").split()[-1] == installed.ask("steptrace.__version__")


def test_the_command_loads_its_own_arrow(installed):
    """By the loader's own account, from any place, and through a link (as pipx makes one)."""
    loaded = installed("ldd", installed.command)
    assert "not found" not in loaded
    arrow = [line.split()[2] for line in loaded.splitlines() if "libarrow" in line]
    assert arrow
    libraries = next(installed.root.glob("lib/python3*/site-packages/steptrace.libs")).resolve()
    assert {pathlib.Path(path).resolve().parent for path in arrow} == {libraries}
    link = installed.work / "a-link"
    link.symlink_to(installed.command)
    assert installed(link, "--version") == installed("steptrace", "--version")


def test_it_records_and_reads_beside_another_pyarrow(beside):
    total, version, *libraries = beside.record(SCRIPT_WITH_PYARROW).split()
    assert (total, version) == ("499500", OTHER_PYARROW)
    assert libraries and not [path for path in libraries if "steptrace.libs" in path]

    report = json.loads(beside("steptrace", "report", "--json"))
    assert report["schema"] == "steptrace.report/2"
    facts = beside.ask(
        f"(lambda pyarrow, table: [pyarrow.__version__, isinstance(table, pyarrow.Table), "
        f"table.to_pylist()])(__import__('pyarrow'), {MAKE_A_TABLE})"
    )
    assert facts[:2] == [OTHER_PYARROW, True]
    (row,) = (row for row in facts[2] if row["name"] == RANGE)
    assert row["dur_ns"] > 0


def test_pip_finds_nothing_to_complain_of(installed):
    shown = installed.pip("show", "-f", "steptrace")
    assert "Requires: \n" in shown and "bin/steptrace\n" in shown
    assert installed.pip("check") == "No broken requirements found.\n"


def other_pythons():
    """Every other CPython 3.8+ here that can make an environment, oldest first."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *pyenv.glob("versions/*/bin")]
    question = "import ensurepip, sys, venv; print(sys.implementation.name, sys.version_info[1])"
    found = {}
    for minor in range(8, 20):
        for folder in folders:
            python = shutil.which(f"python3.{minor}", path=str(folder))
            if not python or minor == sys.version_info[1] or minor in found:
                continue
            asked = subprocess.run([python, "-c", question], capture_output=True, text=True)
            if asked.stdout.split() == ["cpython", str(minor)]:
                found[minor] = python
    return [python for _, python in sorted(found.items())]


OTHERS = {
    "oldest": lambda: next(iter(other_pythons()), None),
    "newest": lambda: next(iter(other_pythons()[1:][::-1]), None),
}


@pytest.mark.parametrize("which", ["this", "oldest", "newest"])
def test_it_needs_nothing_and_leaves_nothing(wheel, tmp_path, which):
    """In an empty environment it records and reads, without pyarrow; uninstalled, it is gone."""
    pythons = {"this": lambda: sys.executable, **OTHERS}
    python = pythons[which]()
    if not python:
        pytest.skip(f"no {which} other CPython 3.8+ here")
    made = Environment(tmp_path, python)
    before = made.files()
    made.install(wheel)
    assert made.record(SCRIPT) == "499500\n"
    rows = made.ask(MAKE_A_TABLE)
    assert [row["dur_ns"] > 0 for row in rows if row["name"] == RANGE] == [True]
    report = json.loads(made("steptrace", "report", "--json"))
    assert report["schema"] == "steptrace.report/2"

    made.pip("uninstall", "-q", "-y", "steptrace")
    assert made.files() - before == set()
    made(made.python, "-c", "import steptrace", status=1)


def test_it_works_from_any_folder_of_packages(wheel, tmp_path):
    """`pip install --target` makes no environment: the package and bin/ lie side by side."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run(*pip, "--no-index", "--no-deps", "--target", tmp_path / "packages", wheel)
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**clean_environment(), "PYTHONPATH": str(tmp_path / "packages")}
    command = tmp_path / "packages" / "bin" / "steptrace"
    options = {"cwd": tmp_path, "env": environment}
    said = run(command, "run", "-q", "--no-report", "--", sys.executable, "script.py", **options)
    assert said == "499500\n"
    rows = json.loads(run(command, "show", "slices", "--json", **options))
    assert [row["name"] for row in rows].count(RANGE) == 1
