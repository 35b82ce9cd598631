# SPDX-License-Identifier: Apache-2.0
"""The manifest of a run with one writer, for tests that damage or change it (src/store/FORMAT.md)."""

import json
import pathlib
import zlib


def newest(run):
    """The file that counts."""
    files = pathlib.Path(run).glob("manifest/*/*.json")
    return max(files, key=lambda file: int(file.stem))


def read(run):
    return json.loads(newest(run).read_text())


def sealed(manifest):
    """Its text, with a checksum that is right."""
    manifest = {name: value for name, value in manifest.items() if name != "crc32"}
    text = json.dumps(manifest, indent=2).removesuffix("\n}")
    return f'{text},\n  "crc32": {zlib.crc32(text.encode())}\n}}\n'


def write(run, manifest):
    """Says something else in its place, and in the copy, run.json."""
    newest(run).write_text(sealed(manifest))
    (pathlib.Path(run) / "run.json").write_text(sealed(manifest))


def damage(run):
    """So that neither it nor the copy says anything."""
    for file in (newest(run), pathlib.Path(run) / "run.json"):
        file.write_text("{")
