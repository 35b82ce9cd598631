# SPDX-License-Identifier: Apache-2.0
"""Interpreters without symbols: their stacks are read as ever, or it is said why not and a training
samples itself."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from fault_tools import PRELUDE, Recording, plain, record, script
from test_pythons import python_of
from test_stacks import CALLS, TRAINING, samples_by_process, share, unread

# One that has no debug offsets, as far as anybody sees from outside. Before it has a ring, so that
# nobody has looked yet.
WITHOUT_OFFSETS = """
import ctypes
runtime = ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime")
ctypes.memset(ctypes.addressof(runtime), 0, 8)
"""


def stripped(path, copy):
    if not shutil.which("strip"):
        pytest.skip("strip is needed (binutils)")
    subprocess.run(["strip", "--strip-all", "-o", str(copy), str(path)], check=True)


def without_section_headers(path, copy):
    """As sstrip leaves it: a loader asks for the program headers alone."""
    image = bytearray(Path(path).read_bytes())
    image[0x28:0x30] = bytes(8)  # e_shoff
    image[0x3C:0x40] = bytes(4)  # e_shnum, e_shstrndx
    copy.write_bytes(image)
    copy.chmod(0o755)


def itself(python):
    """The program, where the name may be that of a script which finds it."""
    code = "import os; print(os.path.realpath('/proc/self/exe'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def libpython_of(python):
    """The library that holds the interpreter; None: the program does."""
    listed = subprocess.run(["ldd", python], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(libpython3\S*) => (/\S+)", listed)
    return found and (found[1], Path(found[2]))


def copied(folder, python, change):
    """A copy of that interpreter whose files `change` has written anew, and the environment in which
    it runs: as in a virtual environment it finds the modules of the one that it was made of."""
    real = itself(python)
    binary = folder / "python" / "bin" / real.name
    library = libpython_of(str(real))
    binary.parent.mkdir(parents=True)
    (folder / "python" / "pyvenv.cfg").write_text(f"home = {real.parent}\n")
    change(real, binary)
    if library is None:
        return str(binary), {}
    libraries = folder / "python" / "lib"
    libraries.mkdir()
    change(library[1], libraries / library[0])
    return str(binary), {"LD_LIBRARY_PATH": str(libraries)}


def has_symbol_table(path):
    """Whether a table of all symbols is left, beside that of the exported ones."""
    sections = subprocess.run(
        ["readelf", "-SW", str(path)], capture_output=True, text=True, check=True
    ).stdout
    return ".symtab" in sections


def pythons(version):
    """The interpreters of that version here, each once: the system's has all in the program, others
    lie in a library."""
    system = Path("/usr/bin/python{}.{}".format(*version))
    return sorted({itself(path) for path in [python_of(version), system] if Path(path).exists()})


@pytest.mark.parametrize("version", [(3, minor) for minor in range(11, 15)], ids="{0[1]}".format)
def test_without_symbols_it_is_sampled_as_ever(tmp_path, version):
    for number, python in enumerate(pythons(version)):
        folder = tmp_path / str(number)
        folder.mkdir()
        copy, environment = copied(folder, python, stripped)
        for file in (folder / "python").glob("*/*python3*"):
            assert not has_symbol_table(file)
        command = [copy, *script(folder, CALLS)[1:]]
        outcome = record(folder, command, "--stack-rate", "50", env=environment)
        assert (outcome.status, outcome.stdout) == (0, b"done\n")
        assert unread(outcome.run) == []
        samples = [one for found in samples_by_process(outcome.run).values() for one in found]
        assert share(samples, "innermost") > 0.5
        names = [[frame["function"] for frame in one["frames"]] for one in samples]
        assert ["<module>", "outer", "innermost", "step"] in names


def test_one_whose_symbols_cannot_be_found_samples_itself(tmp_path):
    """A training by an interpreter of which no section can be told."""
    python, environment = copied(tmp_path, sys.executable, without_section_headers)
    shown = plain([python, "-c", "import sys; print(sys.version)"], env=environment)
    assert shown.stdout.decode().strip() == sys.version, shown.stderr
    (tmp_path / "train.py").write_text(TRAINING)
    environment["PYTHONPATH"] = sysconfig.get_path("purelib")
    command = [python, str(tmp_path / "train.py"), "fork"]
    options = ("--quiet", "--stack-rate", "100")
    outcome = Recording(tmp_path, command, *options, env=environment).finish()
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, b"trained\n", b"")
    told = unread(outcome.run)
    assert len(told) == 3
    for fact in told:
        assert re.fullmatch(r"\S*python3\S*: its ELF tables cannot be read", fact["reason"])
        assert "sample itself" in fact["instead"]
    found = samples_by_process(outcome.run)
    assert sum(share(samples, "train_on") > 0 for samples in found.values()) == 1
    mains = {pid: [one for one in samples if one["tid"] == pid] for pid, samples in found.items()}
    assert sum(share(samples, "decode_sample") > 0.3 for samples in mains.values()) == 2
    assert "invalid_samples" not in outcome.run.causes()


@pytest.mark.parametrize("version", [(3, 13), (3, 14)], ids="{0[1]}".format)
def test_one_without_debug_offsets_is_told_and_recorded(tmp_path, version):
    python = python_of(version)
    (tmp_path / "train.py").write_text(WITHOUT_OFFSETS + PRELUDE + CALLS)
    outcome = record(tmp_path, [python, str(tmp_path / "train.py")])
    assert (outcome.status, outcome.stdout) == (0, b"done\n")
    (told,) = unread(outcome.run)
    assert "without debug offsets" in told["reason"]
    assert {row["name"] for row in outcome.run.rows("slices")} >= {"backward", "optimizer"}
