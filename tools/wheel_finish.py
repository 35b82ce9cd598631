# SPDX-License-Identifier: Apache-2.0
"""Makes a built wheel one that runs elsewhere: auditwheel bundles Arrow, and then the executable
goes back to where it was, as the command itself.

auditwheel puts a Python script in the place of an executable, which costs 25 ms at each start; it
must, for it cannot know where the libraries lie from bin/. We can: in one of the few places where
installers put packages, all of them in the executable's RPATH.

usage: wheel_finish.py WHEEL FOLDER
"""

import base64
import csv
import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

COMMAND = "steptrace"
LIBRARIES = "steptrace.libs"
PYTHON_MINORS = range(8, 16)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"wheel_finish: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def library_places():
    """Where the bundled libraries can lie, seen from the folder of the command."""
    yield f"$ORIGIN/../{LIBRARIES}"  # pip install --target
    for minor in PYTHON_MINORS:
        for lib in ("lib", "lib64"):
            yield f"$ORIGIN/../{lib}/python3.{minor}/site-packages/{LIBRARIES}"
        yield f"$ORIGIN/../lib/python3.{minor}/dist-packages/{LIBRARIES}"
    yield f"$ORIGIN/../lib/python3/dist-packages/{LIBRARIES}"


def repair(wheel, folder):
    # Stored, not compressed: that is pack()'s work.
    options = ["--strip", "--zip-compression-level", "0", "-w", folder]
    run(sys.executable, "-m", "auditwheel", "repair", *options, wheel)
    (repaired,) = Path(folder).glob("*.whl")
    return repaired


def put_command_back(root):
    """The executable from where auditwheel moved it, in place of the script that it left."""
    (scripts,) = root.glob("steptrace-*.data/scripts")
    shim = scripts / COMMAND
    moved = root / f"{COMMAND}.scripts" / COMMAND
    if moved.exists():
        shutil.move(moved, shim)
        moved.parent.rmdir()
    if shim.read_bytes()[:4] != b"\x7fELF":
        sys.exit(f"wheel_finish: {shim}: not the executable; auditwheel put it elsewhere")
    run("patchelf", "--set-rpath", ":".join(library_places()), shim)
    shim.chmod(0o755)


def add_arrow_licence(root):
    """What is bundled is passed on: its licence and its notice come along."""
    (info,) = root.glob("steptrace-*.dist-info")
    target = info / "licenses" / "arrow"
    target.mkdir(parents=True)
    for name in ("LICENSE.txt", "NOTICE.txt"):
        (found,) = (f for f in metadata.files("pyarrow") if f.name == name)
        shutil.copyfile(found.locate(), target / name)


def record_line(path, name):
    digest = hashlib.sha256(path.read_bytes()).digest()
    text = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return (name, f"sha256={text}", path.stat().st_size)


def write_record(root):
    (record,) = root.glob("steptrace-*.dist-info/RECORD")
    own = record.relative_to(root).as_posix()
    files = sorted(p for p in root.rglob("*") if p.is_file() and p != record)
    lines = [record_line(p, p.relative_to(root).as_posix()) for p in files]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*lines, (own, "", "")])
    record.write_text(text.getvalue())


def pack(root, wheel):
    """A zip in a fixed order and with fixed times: the same build gives the same bytes."""
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(root).as_posix(), (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | (path.stat().st_mode & 0o777)) << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)
    # A better deflate than zlib's best, which any reader of ZIP understands: 3 % less.
    subprocess.run(["advzip", "--recompress", "--shrink-normal", "--quiet", wheel], check=True)


def unpack(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, root))
            if path.is_file():
                path.chmod((entry.external_attr >> 16) & 0o777 or 0o644)


def main(wheel, output):
    with tempfile.TemporaryDirectory() as folder:
        repaired = repair(wheel, Path(folder) / "repaired")
        root = Path(folder) / "root"
        unpack(repaired, root)
        put_command_back(root)
        add_arrow_licence(root)
        write_record(root)
        made = Path(output) / repaired.name
        for old in Path(output).glob("steptrace-*.whl"):
            old.unlink()
        pack(root, made)
    print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
