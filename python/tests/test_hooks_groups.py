# SPDX-License-Identifier: Apache-2.0
"""Which call of which group a collective is: numbers that all ranks of a group agree on."""

import json

import pytest

from steptrace._hooks import facts, groups, vocabulary


class Probe:
    def __init__(self):
        self.names = []
        self.facts = []

    def name(self, text, category):
        assert category == vocabulary.DETAILS
        if text not in self.names:
            self.names.append(text)
        return self.names.index(text) + 1

    def fact(self, kind, text):
        self.facts.append((kind, json.loads(text)))


class Group:
    def __init__(self, name, ranks):
        self.group_name, self.group_desc, self.ranks = name, "of a test", ranks


class Module:
    """torch.distributed.distributed_c10d, as far as it is asked."""

    def __init__(self, rank=0):
        self.rank = rank

        class GroupMember:
            NON_GROUP_MEMBER = object()

        self.GroupMember = GroupMember
        self.group = GroupMember
        self.group.WORLD = Group("0", [0, 1])

    def get_rank(self):
        return self.rank

    def get_process_group_ranks(self, group):
        return group.ranks

    def get_backend(self, group):
        return "gloo"


@pytest.fixture
def probe(monkeypatch):
    made = Probe()
    monkeypatch.setattr(facts, "_probe", made)
    return made


def number(made, b):
    return b >> 24, json.loads(made.names[(b & 0xFFFFFF) - 1])


def test_each_group_counts_for_itself(probe):
    module = Module()
    counted = groups.Groups(module, probe)
    pair = Group("pair", [0, 1])
    first, details = number(probe, counted.number("all_reduce", None))
    assert first == 1
    assert details["Process Group Name"] == "0"
    assert details["Process Group Ranks"] == [0, 1]
    assert details["Collective name"] == "all_reduce"
    assert number(probe, counted.number("barrier", None))[0] == 2
    assert number(probe, counted.number("barrier", pair))[0] == 1
    assert number(probe, counted.number("all_reduce", module.group.WORLD))[0] == 3
    told = [fact["group"] for kind, fact in probe.facts if kind == "communicator"]
    assert told == ["0", "pair"]


def test_groups_without_end_are_kept_up_to_a_bound(probe):
    counted = groups.Groups(Module(), probe)
    counted._counts.update({(str(i), None, None): 1 for i in range(groups._MOST_KINDS - 1)})
    assert number(probe, counted.number("barrier", Group("last", [0, 1])))[0] == 1
    for _ in range(2):
        assert counted.number("barrier", Group("one too many", [0, 1])) == 0
    assert number(probe, counted.number("barrier", Group("last", [0, 1])))[0] == 2
    assert len(counted._counts) == groups._MOST_KINDS


def test_transfers_count_by_source_and_target(probe):
    sender = groups.Groups(Module(0), probe)
    receiver = groups.Groups(Module(1), probe)
    assert number(probe, sender.number("all_reduce", None))[0] == 1
    for expected in (1, 2):
        sent, details = number(probe, sender.number("send", None, 1))
        received, theirs = number(probe, receiver.number("recv", None, 0))
        assert sent == received == expected
        assert details["Dst Rank"] == 1
        assert theirs["Src Rank"] == 0
    assert number(probe, sender.number("all_reduce", None))[0] == 2


def test_unknown_groups_are_not_counted(probe):
    module = Module()
    counted = groups.Groups(module, probe)
    assert counted.number("all_reduce", module.GroupMember.NON_GROUP_MEMBER) == 0
    assert counted.number("recv", None) == 0  # from anyone
    assert number(probe, counted.number("all_reduce", None))[0] == 1


def test_an_asynchronous_call_says_so_and_counts_with_the_others(probe):
    counted = groups.Groups(Module(), probe)
    first, details = number(probe, counted.number("all_reduce", None, None, True))
    assert (first, details["Asynchronous"]) == (1, True)
    second, details = number(probe, counted.number("all_reduce", None))
    assert second == 2
    assert "Asynchronous" not in details


def test_recreated_groups_are_reported_again_and_numbering_continues(probe):
    module = Module()
    counted = groups.Groups(module, probe)
    counted.number("barrier", None)
    counted.forget()
    module.group.WORLD = Group("0", [0, 1, 2])
    again, details = number(probe, counted.number("barrier", None))
    assert again == 2
    assert details["Group size"] == 3


def test_many_ranks_and_odd_names_fit_a_name(probe):
    counted = groups.Groups(Module(), probe)
    wide = Group("x\udcff" + "y" * 50, list(range(5000)))
    _, details = number(probe, counted.number("barrier", wide))
    assert "Process Group Ranks" not in details
    assert details["Group size"] == 5000
    assert max(len(text) for text in probe.names) < 4096
    counted.number("barrier", Group("near", list(range(70_000, 70_256))))
    assert max(len(text) for text in probe.names) < 4096


def test_a_group_that_fails_costs_the_number_alone(probe):
    class Broken(Module):
        def get_process_group_ranks(self, group):
            raise RuntimeError("gone")

    counted = groups.Groups(Broken(), probe)
    assert groups.number_or_zero(counted, "barrier", None, None, None) == 0
