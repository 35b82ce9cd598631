# SPDX-License-Identifier: Apache-2.0
"""What MkDocs does not do by itself: pages that lie outside `docs` become part of the site, and links
between them and the others hold in the tree and in the site alike."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

TREE = Path(__file__).resolve().parent.parent
# Where in the site a page of the tree stands.
OUTSIDE = {
    "ARCHITECTURE.md": "project/ARCHITECTURE.md",
    "CONTRIBUTING.md": "project/CONTRIBUTING.md",
    "CHANGELOG.md": "project/CHANGELOG.md",
    "src/store/FORMAT.md": "project/FORMAT.md",
    "bench/history/2026-11.md": "project/history-2026-11.md",
}
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def on_files(files, config):
    for source, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(TREE / source).read_text()))
    return files


def on_page_markdown(markdown, page, config, files):
    place = page.file.src_uri
    inside = {site: source for source, site in OUTSIDE.items()}
    source = inside.get(place, "docs/" + place)

    def resolve(match):
        target = match.group(2)
        if "://" in target or target.startswith("mailto:"):
            return match.group(0)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if target in OUTSIDE:
            target = OUTSIDE[target]
        elif target.startswith("docs/"):
            target = target.removeprefix("docs/")
        else:
            return match.group(0)  # the site does not hold it: a strict build says so
        relative = posixpath.relpath(target, posixpath.dirname(place) or ".")
        return match.group(1) + relative + match.group(3)

    return LINK.sub(resolve, markdown)
