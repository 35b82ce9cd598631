# SPDX-License-Identifier: Apache-2.0
"""Whether each word of schema/ that code has to produce is produced: a metric that nothing samples, a cause that nothing
counts, a kind of finding that nothing finds and a threshold that no alert asks for are words without a meaning.

usage: check_vocabulary.py        from the root of the tree; exit 1 with one line per breach
"""

import re
import sys
from pathlib import Path

from generators import alerts, data_loss, findings, metrics, text

# What a vocabulary's own generated files say of a word is its declaration.
TEST = re.compile(r"_(test|bench|fuzz)\.")


def words_of(folders, vocabulary):
    """All words of the sources in these folders; what another vocabulary's files have of this one counts, too."""
    own = {path.as_posix() for path in vocabulary.files()}
    words = set()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix not in (".cc", ".h") or path.as_posix() in own:
                continue
            if TEST.search(path.name) is None and "testing" not in path.parts:
                words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return words


def sampled_metrics():
    schema, units = metrics.declared()
    for scope in schema["scope"]:
        for metric in scope["metric"]:
            yield metric["name"], {f"k{metrics.constant(metric, units)}"}


def counted_causes():
    for cause in data_loss.causes(data_loss.declared()):
        yield cause["name"], {f"k{text.camel(data_loss.enumerator(cause))}"}


def found_kinds():
    for kind in findings.declared()[0]:
        name = text.camel(kind["id"].replace(".", "_"))
        yield kind["id"], {name, f"k{name}"}  # its values, or what has none by its enumerator


def asked_thresholds():
    for threshold in alerts.declared()["threshold"]:
        yield threshold["id"], {threshold["id"]}


CHECKS = (
    (alerts, asked_thresholds, ("src/agent/watch",), "no alert asks for it"),
    (metrics, sampled_metrics, ("src/agent", "src/import"), "nothing samples or imports it"),
    (data_loss, counted_causes, ("src",), "nothing counts it"),
    (findings, found_kinds, ("src",), "nothing finds it"),
)


def main():
    breaches = [
        f"{vocabulary.SOURCE}: {word}: {lack}"
        for vocabulary, produced, folders, lack in CHECKS
        for known in [words_of(folders, vocabulary)]
        for word, names in produced()
        if not names & known
    ]
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
