# SPDX-License-Identifier: Apache-2.0
"""Draws what a command printed on a terminal as an SVG picture, colours and all.

usage: steptrace report --color always | terminal_svg.py TITLE >docs/report.svg
"""

import re
import sys
from xml.sax.saxutils import escape

CELL_W, CELL_H, MARGIN, BAR = 8.4, 18, 16, 30  # px: a character, a line, the border, the title bar
# SGR code -> colour, on the dark ground; chosen for contrast and for colour-blind readers.
COLOURS = {
    31: "#ff8b7b", 32: "#7bd88f", 33: "#ffd166", 34: "#7bb8ff", 35: "#d8a6ff", 36: "#6fd6e0",
    90: "#8b93a1", 91: "#ff8b7b", 92: "#7bd88f", 93: "#ffd166", 94: "#7bb8ff", 95: "#d8a6ff",
    96: "#6fd6e0",
}  # fmt: skip
TEXT, GROUND, FRAME = "#e6e8ec", "#16181d", "#2a2e37"
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def runs(line):
    """(column, text, colour, bold) of each stretch of one style."""
    column, colour, bold, end = 0, TEXT, False, 0
    for match in [*SGR.finditer(line), None]:
        text = line[end : match.start()] if match else line[end:]
        if text:
            yield column, text, colour, bold
            column += len(text)
        if match:
            for code in (int(c) for c in (match.group(1) or "0").split(";")):
                colour = TEXT if code in (0, 39) else COLOURS.get(code, colour)
                bold = code == 1 or (bold and code not in (0, 22))
                colour = COLOURS[90] if code == 2 else colour
            end = match.end()


def svg(title, lines):
    width = MARGIN * 2 + CELL_W * max(len(SGR.sub("", line)) for line in lines)
    height = BAR + MARGIN * 2 + CELL_H * len(lines)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(title)}">',
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
        f'<rect width="100%" height="{BAR}" rx="8" fill="{FRAME}"/>',
        f'<text x="{MARGIN}" y="20" fill="{TEXT}" font-family="monospace" font-size="13">'
        f"{escape(title)}</text>",
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
    ]
    for number, line in enumerate(lines):
        # Browsers run plain spaces together, whatever `xml:space` says.
        line = line.replace(" ", "\u00a0")
        y = BAR + MARGIN + CELL_H * (number + 0.75)
        for column, text, colour, bold in runs(line):
            weight = ' font-weight="bold"' if bold else ""
            out.append(
                f'<text x="{MARGIN + column * CELL_W:.1f}" y="{y:.1f}" fill="{colour}"{weight} '
                f'textLength="{len(text) * CELL_W:.1f}">{escape(text)}</text>'
            )
    return "\n".join([*out, "</g>", "</svg>"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("terminal_svg.py: needs a title; usage: terminal_svg.py TITLE <text >picture.svg")
    sys.stdout.reconfigure(encoding="utf-8")
    print(svg(sys.argv[1], sys.stdin.read().rstrip("\n").split("\n")))
