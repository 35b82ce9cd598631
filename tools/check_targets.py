# SPDX-License-Identifier: Apache-2.0
"""Whether CMake's targets say what the sources do: each source belongs to a target of its folder, a library links
directly what its sources include and nothing that the layers forbid, and none stands for several folders.

usage: check_targets.py        from the root of the tree; exit 1 with one line per breach
"""

import re
import sys
from pathlib import Path

from check_layers import ALLOWED, INCLUDE, layer_of

CALL = re.compile(r"^[ \t]*(\w+)\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)", re.M)
WORD = re.compile(r'"([^"]*)"|([^\s"]+)')
# What declares a target.
DECLARE = {
    *("steptrace_library", "steptrace_test", "steptrace_bench", "steptrace_fuzz"),
    *("add_library", "add_executable"),
}
KEYWORDS = {"SOURCES", "DEPS", "PRIVATE_DEPS", "LABELS"}
SUFFIXES = (".c", ".cc")
# In src/import/CMakeLists.txt: the targets of all formats.
FORMATS = "${formats}"
SHARED = "testing"  # a folder of libraries, which tests of several folders share


class Target:
    def __init__(self, name, folder, is_library):
        self.name, self.folder, self.is_library = name, folder, is_library
        self.sources, self.public, self.private = set(), set(), set()

    @property
    def links(self):
        return self.public | self.private


def without_comments(text):
    return re.sub(
        r"^(?:[^\"#\n]|\"[^\"\n]*\")*?(#.*)$", lambda m: m[0][: -len(m[1])], text, flags=re.M
    )


def words_of(arguments):
    return [quoted or plain for quoted, plain in WORD.findall(arguments)]


def read(path, targets):
    """The targets that a CMakeLists.txt declares."""
    folder = path.parent
    for call, arguments in CALL.findall(without_comments(path.read_text(encoding="utf-8"))):
        words = words_of(arguments)
        if call == "target_link_libraries" and words[0] in targets:
            scope = ""
            for word in words[1:]:
                scope = word if word in ("PUBLIC", "PRIVATE", "INTERFACE") else scope
                of = targets[words[0]]
                (of.private if scope == "PRIVATE" else of.public).add(word)
        if call not in DECLARE or "$" in words[0]:
            continue
        target = targets[words[0]] = Target(words[0], folder, call == "steptrace_library")
        part = "" if call.startswith("steptrace_") else "SOURCES"
        for word in words[1:]:
            if word in KEYWORDS:
                part = word
            elif part == "SOURCES" and word.endswith(SUFFIXES) and "$" not in word:
                target.sources.add(folder / word)
            elif part == "DEPS":
                target.public.add(word)
            elif part == "PRIVATE_DEPS":
                target.private.add(word)


def all_targets(root):
    targets = {}
    for path in sorted(root.rglob("CMakeLists.txt")):
        read(path, targets)
    formats = {name for name, one in targets.items() if one.folder.parent.name == "formats"}
    formats = {name for name in formats if targets[name].is_library}
    for one in targets.values():
        if FORMATS in one.links:
            one.public |= formats
    return targets


def layer(folder, root):
    return layer_of(folder.relative_to(root).as_posix())


def included(files, root):
    """{layer: a file that includes of it} of what files include of ours."""
    found = {}
    for file in sorted(files):
        for line in file.read_text(encoding="utf-8").splitlines():
            match = INCLUDE.match(line)
            if match and match[1] and (root / match[1]).exists():
                found.setdefault(layer_of(match[1]), file)
    return found


def forgotten(targets, root):
    """Sources that no CMakeLists.txt names, and sources of targets that are not there."""
    for one in targets.values():
        for source in sorted(one.sources):
            if not source.exists():
                yield f"{source}: is not there, and {one.name} has it"
    for path in sorted(root.rglob("*")):
        if path.suffix in SUFFIXES and not is_named(path):
            yield f"{path}: no target has it; add it to {path.parent}/CMakeLists.txt"


def is_named(source):
    """By the CMakeLists.txt of a folder that it is in; what all fuzz targets share, by the function that declares them."""
    names = {folder / "CMakeLists.txt": source.relative_to(folder) for folder in source.parents}
    names[Path("cmake/Steptrace.cmake")] = source
    return any(
        maker.exists()
        and re.search(
            rf"(?<![\w.]){re.escape(name.as_posix())}(?!\w)",
            without_comments(maker.read_text(encoding="utf-8")),
        )
        for maker, name in names.items()
    )


def breaches(target, targets, root, folders):
    """What a library links and must not, or links in vain, or includes and does not link."""
    where = f"{target.folder}/CMakeLists.txt: {target.name}"
    if not target.sources and not any(target.folder.glob("*.h")):
        yield f"{where} stands for others; link these where they are used"
        return
    own = layer(target.folder, root)
    linked = {}
    for name in sorted(target.links & {*targets}):
        other = targets[name]
        of = layer(other.folder, root) or other.folder.as_posix()
        if other.is_library:
            linked[of] = name
        if of not in {own, *ALLOWED.get(own, ())}:
            yield f"{where} may not link {name}: {own} may not include {of}"
    if own == SHARED:
        return
    headers = [*target.folder.glob("*.h")]
    sources = [path for path in target.sources if path.exists()]
    used = included([*sources, *headers], root)
    for of in sorted({*used} - {*linked} - {own}):
        if of in folders:
            yield f"{where} includes {of} ({used[of].name}) and does not link it"
    for of in sorted({*linked} - {*used} - {own}):
        yield f"{where} links {linked[of]} and includes nothing of {of}"


def main():
    root = Path("src")
    targets = all_targets(root)
    folders = {layer(one.folder, root) for one in targets.values() if one.is_library}
    found = [*forgotten(targets, root)]
    for one in targets.values():
        if one.is_library:
            found += breaches(one, targets, root, folders)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
