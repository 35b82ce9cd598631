# SPDX-License-Identifier: Apache-2.0
"""The opt-in for Pythons that ignore PYTHONPATH (-E, -I): a .pth file in this environment.

    python -m steptrace.pth install | remove | status

It does nothing outside `steptrace run`. Python -S reads no .pth file either.
"""

import argparse
import os
import sys
import sysconfig

_NAME = "steptrace-hooks.pth"
_BOOTSTRAP = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "bootstrap", "sitecustomize.py"
)

# site runs the lines that begin with `import`. Read through a loader: it caches, and closes.
_LINE = (
    "import os; from importlib.machinery import SourceFileLoader as L; p = {path!r}; "
    "os.environ.get('STEPTRACE_RING_DIR') and os.access(p, os.R_OK) and "
    "exec(L('steptrace_pth', p).get_code('steptrace_pth'), "
    "{{'__name__': 'steptrace_pth', '__file__': p}})\n"
)


def _path():
    return os.path.join(sysconfig.get_path("purelib"), _NAME)


def _installed():
    try:
        with open(_path()) as file:
            return file.read()
    except FileNotFoundError:
        return None


def install():
    with open(_path(), "w") as file:
        file.write(_LINE.format(path=_BOOTSTRAP))
    print(f"installed: {_path()}")
    return 0


def remove():
    if _installed() is None:
        print(f"not installed: {_path()}")
    else:
        os.remove(_path())
        print(f"removed: {_path()}")
    return 0


def status():
    text = _installed()
    if text is None:
        print(f"not installed: {_path()}")
        return 1
    if text != _LINE.format(path=_BOOTSTRAP):
        print(f"installed by another steptrace: {_path()}; install again to use this one")
        return 1
    print(f"installed: {_path()}")
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m steptrace.pth",
        description="Lets `steptrace run` see Pythons started with -E or -I in this environment.",
        epilog="example: python -m steptrace.pth install",
    )
    actions = {"install": install, "remove": remove, "status": status}
    parser.add_argument("action", choices=actions)
    action = parser.parse_args(arguments).action
    try:
        return actions[action]()
    except OSError as error:
        reason = f"{_path()}: {error.strerror}; use an environment that you can write to"
        print(f"steptrace.pth: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
