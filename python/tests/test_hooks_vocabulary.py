# SPDX-License-Identifier: Apache-2.0
"""The hooks' words are those of the header that the agent is compiled with."""

import pathlib
import re

from steptrace import _hooks
from steptrace._hooks import vocabulary

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
HEADER = SOURCES / "wire" / "vocabulary.h"


def test_names_and_facts():
    said = dict(re.findall(r'char\* k(?:Name)?(\w+) = "(\w+)"', HEADER.read_text()))
    words = {
        re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper(): text
        for name, text in said.items()
        if name != "Step"  # the script's own word, by steptrace.step()
    }
    ours = {name: vars(vocabulary).get(name) for name in words}
    assert words == ours


def test_categories():
    said = dict(
        re.findall(
            r"k(User|Phase|Communication|Worker|Window|Details|DeviceMemory) = (\d+)",
            HEADER.read_text(),
        )
    )
    assert {name: int(value) for name, value in said.items()} == {
        "User": vocabulary.USER,
        "Phase": vocabulary.PHASE,
        "Communication": vocabulary.COMMUNICATION,
        "Worker": vocabulary.WORKER,
        "Window": vocabulary.WINDOW,
        "DeviceMemory": vocabulary.DEVICE_MEMORY,
        "Details": vocabulary.DETAILS,
    }


def test_ends_of_windows():
    (body,) = re.findall(r"enum class WindowEnd[^{]*{(.*?)};", HEADER.read_text(), re.DOTALL)
    said = {name.upper(): int(value) for name, value in re.findall(r"k(\w+) = (\d+)", body)}
    ours = {
        name[len("WINDOW_") :]: value
        for name, value in vars(vocabulary).items()
        if name.startswith("WINDOW_") and isinstance(value, int)
    }
    assert said == ours


def test_unknown_queue_depth():
    (said,) = re.findall(r"kUnknownQueueDepth = (0x\w+)u", HEADER.read_text())
    assert int(said, 16) == vocabulary.UNKNOWN_QUEUE_DEPTH


def test_marks_in_the_folder_of_rings():
    agent = SOURCES / "agent"
    said = re.findall(r'{"(\w+)\.", HooksMark::k(\w+)}', (agent / "hooks_marks.cc").read_text())
    ours = {re.sub(r"(?<!^)([A-Z])", r"_\1", mark).upper(): name for name, mark in said}
    assert len(ours) == 6
    assert ours == {mark: vars(_hooks).get(mark) for mark in ours}
    (slots,) = re.findall(r"kSlots = (\d+);", (agent / "hooks_marks.h").read_text())
    assert int(slots) == _hooks.SLOTS
