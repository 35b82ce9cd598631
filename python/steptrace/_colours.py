# SPDX-License-Identifier: Apache-2.0
"""Made by tools/generate.py of schema/palette.toml."""

# fmt: off
COLOURS = {
    "data": "#d97706",
    "model": "#2563c9",
    "forward": "#5a9bea",
    "backward": "#2563c9",
    "optimizer": "#143f8f",
    "communication": "#b3408f",
    "overhead": "#0b8a7d",
    "other-work": "#8a8f3c",
    "other": "#97a1ad",
    "cat-0": "#3b78d6",
    "cat-1": "#e08a1e",
    "cat-2": "#12937f",
    "cat-3": "#b84d97",
    "cat-4": "#58aee0",
    "cat-5": "#c2542d",
    "cat-6": "#7d6bd0",
    "cat-7": "#8a8f3c",
    "more-0": "#2f8a1f",
    "more-1": "#5b1a80",
    "more-2": "#8c1737",
    "more-3": "#4f5a3a",
    "more-4": "#0a4f6e",
}

# For names without a colour of their own.
MANY = (
    "#3b78d6",
    "#e08a1e",
    "#12937f",
    "#b84d97",
    "#58aee0",
    "#c2542d",
    "#7d6bd0",
    "#8a8f3c",
)
