# SPDX-License-Identifier: Apache-2.0
"""Which ends of a stream's work cannot be: the references' own reading of what
docs/reference/import.md says of impossible_duration. Shares nothing with the product."""

import itertools
from collections import Counter, namedtuple

CLOCKS_ERR_NS = 10_000

Work = namedtuple("Work", "begin end launch name")


def bounds(works):
    """{index: when it was over} of the late ones of one stream's works."""
    order = sorted(range(len(works)), key=lambda i: (works[i].begin, works[i].end))
    alone = itertools.count()

    def launch(i):
        return ("alone", next(alone)) if works[i].launch is None else works[i].launch

    groups = [list(group) for _, group in itertools.groupby(order, key=launch)]
    beside, late = 0, {}
    for number, group in enumerate(groups[:-1]):
        following = groups[number + 1]
        bound = works[following[0]].begin
        over = works[following[0]].end
        if len(following) == 1 and number + 2 < len(groups):
            over = min(over, works[groups[number + 2][0]].begin)
        for i in group:
            if works[i].end - bound > CLOCKS_ERR_NS:
                beside += 1
                if works[i].end >= over:
                    late[i] = bound
    if not late:
        return {}
    spread = works[order[-1]].begin - works[order[0]].begin
    longer = all(works[i].end - works[i].begin > spread for i in late)
    few = beside * 100 < len(works) or (longer and beside * 5 <= len(works))
    names = Counter(work.name for work in works)
    of_late = Counter(works[i].name for i in late)
    queue = any(names[name] > 1 and 2 * count > names[name] for name, count in of_late.items())
    return late if few and not queue else {}
