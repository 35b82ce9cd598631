# SPDX-License-Identifier: Apache-2.0
"""Makes what C++, Python, the pages and the reference know of the vocabulary in schema/*.toml.

usage: generate.py [--check]      from the root of the tree; --check writes nothing, and exit 1 names what is old

A vocabulary is a module of tools/generators: SOURCE, its file, and files(), {path: text} of all that comes from it.
"""

import sys

from generators import (
    alerts,
    data_loss,
    event_categories,
    findings,
    glossary,
    gpu_peaks,
    hidden_characters,
    hooks,
    kernel_classes,
    metadata,
    metrics,
    packages,
    palette,
    report,
    requests,
    rules,
    stages,
    stored_words,
)

VOCABULARIES = (
    alerts,
    data_loss,
    event_categories,
    findings,
    glossary,
    gpu_peaks,
    hidden_characters,
    hooks,
    kernel_classes,
    metadata,
    metrics,
    packages,
    palette,
    report,
    requests,
    rules,
    stages,
    stored_words,
)


def main():
    old = 0
    for vocabulary in VOCABULARIES:
        for path, text in vocabulary.files().items():
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            if "--check" in sys.argv[1:]:
                print(
                    f"{path}: older than {vocabulary.SOURCE}; run .venv/bin/python tools/generate.py"
                )
                old = 1
            else:
                path.write_text(text, encoding="utf-8")
    return old


if __name__ == "__main__":
    sys.exit(main())
