# SPDX-License-Identifier: Apache-2.0
"""Lets the tests import what they share from this folder (pytest's importlib mode does not)."""

import pathlib
import socket
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture()
def free_port():
    """A port for torchrun's rendezvous."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
