# SPDX-License-Identifier: Apache-2.0
"""Which collective of which process group a call is, so that those of other ranks are found.

Every member of a group calls its collectives in one order: the group's name and the number of the call
in it are the same on all of them. Transfers between two ranks are counted by themselves.
"""

import json

from . import facts, interruption, vocabulary

TRANSFERS = ("send", "recv")

_MOST_RANKS = 256  # listed in a text of at most 4096 bytes
_MOST_KINDS = 4096  # of texts: a group, function and peer each
_KIND_BITS = 24  # of argument b, below the number


# The job's, once torch.distributed is hooked: functional collectives count with the others.
of_job = None


class Groups:
    """Numbers the calls of each group; nothing of it outlives the process."""

    def __init__(self, module, probe):
        self._module = module
        self._probe = probe
        self._kinds = {}  # (group's name, function, peer, asynchronous) -> id of the text
        self._counts = {}  # (group's name, source, target) -> calls so far
        self._reported = {}  # group's name -> its ranks

    def number(self, function, group, peer=None, asynchronous=False):
        """Argument b of the call's range; 0: this rank is no member, or it cannot be told."""
        module = self._module
        if group is None:
            group = module.group.WORLD
        if group is None or group is module.GroupMember.NON_GROUP_MEMBER:
            return 0
        if function in TRANSFERS and peer is None:  # from anyone, or told by a number in the group
            return 0
        name = self._name(group)
        ends = _ends(function, peer, module)
        key = (name, *ends)
        count = self._counts.get(key, 0) + 1
        if count == 1 and len(self._counts) >= _MOST_KINDS:
            return 0  # a script that makes groups without end
        self._counts[key] = count
        kind = self._kind(name, function, ends, bool(asynchronous), group)
        return count << _KIND_BITS | kind if kind else 0

    def _name(self, group):
        name = getattr(group, "group_name", None)
        return name if name else self._module._get_process_group_name(group)

    def _kind(self, name, function, ends, asynchronous, group):
        ranks = self._reported.get(name)
        if ranks is None:
            ranks = self._reported[name] = self._report(name, group)
        key = (name, function, *ends, asynchronous, len(ranks))
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= _MOST_KINDS:
                return 0
            text = json.dumps(_text(name, function, ends, asynchronous, group, ranks))
            kind = self._kinds[key] = self._probe.name(text, vocabulary.DETAILS)
        return kind

    def _report(self, name, group):
        """The group's ranks; said once, for readers that look for collectives only where some are."""
        ranks = list(self._module.get_process_group_ranks(group))
        fact = {
            "source": "torch.distributed",
            "group": name,
            "size": len(ranks),
            "ranks": ranks[:_MOST_RANKS],
            "backend": str(self._module.get_backend(group)),
        }
        facts.say(vocabulary.FACT_COMMUNICATOR, fact)
        return ranks

    def forget(self):
        """Groups may be made anew under the same names; the numbers go on."""
        self._reported.clear()
        self._kinds.clear()


def _ends(function, peer, module):
    """(source, target) of a transfer between two ranks; (None, None) of a collective."""
    if function == "send":
        return module.get_rank(), peer
    if function == "recv":
        return peer, module.get_rank()
    return None, None


def _text(name, function, ends, asynchronous, group, ranks):
    """As torch.profiler spells it, which the analysis of profiles reads."""
    text = {
        "Collective name": function,
        "Process Group Name": facts.text_of(str(name)),
        "Process Group Description": facts.text_of(str(getattr(group, "group_desc", ""))[:200]),
        "Group size": len(ranks),
    }
    if len(ranks) <= _MOST_RANKS:
        text["Process Group Ranks"] = ranks
    source, target = ends
    if function == "send":
        text["Dst Rank"] = target
    if function == "recv":
        text["Src Rank"] = source
    if asynchronous:
        text["Asynchronous"] = True
    return text


def number_or_zero(groups, function, group, peer, asynchronous):
    """As Groups.number, 0 where that fails: the range itself is worth more than its number."""
    try:
        return groups.number(function, group, peer, asynchronous)
    except Exception as error:
        if interruption.of_the_script(error):
            raise
        return 0
