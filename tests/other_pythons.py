# SPDX-License-Identifier: Apache-2.0
"""The other Pythons of this machine, for tests of what has to work under each."""

import pathlib
import shutil
import subprocess

import pytest


def _candidates(version):
    name = "python{}.{}".format(*version)
    yield shutil.which(name)
    for path in sorted(pathlib.Path.home().glob(f".pyenv/versions/{name[6:]}.*/bin/{name}")):
        yield str(path)


def python_of(version):
    """An interpreter of that version, or a skip that says that there is none."""
    ask = "import sys; sys.stdout.write('%d.%d' % sys.version_info[:2])"
    for path in filter(None, _candidates(version)):
        done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout == "{}.{}".format(*version):
            return path
    pytest.skip("no Python {}.{} on PATH or in ~/.pyenv/versions".format(*version))
