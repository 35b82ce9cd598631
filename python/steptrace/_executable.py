# SPDX-License-Identifier: Apache-2.0
"""Finds the executable `steptrace` that belongs to this package, and asks it."""

import os
import subprocess
import sys
import warnings

_NAME = "steptrace"
_SAYS = _NAME + ": "  # before each line that it has to say


class SteptraceError(Exception):
    """The executable could not do what was asked; the text says why, and what to do."""

    def __str__(self):
        from ._inert import inert

        return inert(super().__str__())  # it may name files and runs of others


class SteptraceWarning(UserWarning):
    """A file of the run could not be used: what was asked for lacks its rows."""


def _beside_the_package():
    """What the installer put down with the package, by its own record."""
    from importlib import metadata

    try:
        files = metadata.files(_NAME) or ()
    except metadata.PackageNotFoundError:
        return
    for file in files:
        if file.name == _NAME and file.parent.name in ("bin", "Scripts"):
            yield os.path.normpath(str(file.locate()))


def _candidates():
    yield from _beside_the_package()
    import sysconfig

    scripts = sysconfig.get_path("scripts")
    if scripts:
        yield os.path.join(scripts, _NAME)
    yield os.path.join(os.path.dirname(sys.executable or ""), _NAME)
    import shutil

    yield shutil.which(_NAME) or ""


def find():
    """The path of the executable; STEPTRACE_EXECUTABLE wins."""
    given = os.environ.get("STEPTRACE_EXECUTABLE")
    if given:
        return given
    for path in _candidates():
        if path and os.access(path, os.X_OK):
            return path
    raise SteptraceError(
        "executable: no 'steptrace' beside the package or on PATH; "
        "install the wheel again or set STEPTRACE_EXECUTABLE"
    )


def start(arguments):
    """The executable at work, its standard output a pipe."""
    command = [find(), *arguments]
    try:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise SteptraceError(f"{command[0]}: {error.strerror}; set STEPTRACE_EXECUTABLE")


def _raise_if_failed(status, complaint):
    """The executable's one line, without its own name, as our exception; else as warnings."""
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    if status == 0:
        for line in lines:
            if line.startswith(_SAYS):
                warnings.warn(line[len(_SAYS) :], SteptraceWarning, stacklevel=4)
        return
    text = "\n".join(lines)
    if text.startswith(_SAYS):
        text = text[len(_SAYS) :]
    raise SteptraceError(text or f"steptrace ended with {status}")


def finish(process):
    """Waits for it; raises with its one line when it failed."""
    complaint = process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    _raise_if_failed(process.wait(), complaint)


def abandon(process):
    """Ends it wherever it is; its output is not wanted any more."""
    process.stdout.close()
    process.stderr.close()
    if process.poll() is None:
        process.kill()
    process.wait()


def ask(arguments):
    """All that the executable prints, as bytes."""
    process = start(arguments)
    try:
        output, complaint = process.communicate()
    except BaseException:
        abandon(process)
        raise
    _raise_if_failed(process.returncode, complaint)
    return output
