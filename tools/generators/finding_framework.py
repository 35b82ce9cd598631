# SPDX-License-Identifier: Apache-2.0
"""Whose words an advice has: it is not given on profiles that other frameworks' tools wrote."""

import re

# Words of PyTorch's.
OF_PYTORCH = re.compile(
    r"torch|DataLoader|num_workers|pin_memory|ProfilerActivity|profiler\.step|DistributedDataParallel"
    r"|init_process_group|no_sync|fully_shard|FullyShard|set_requires_gradient_sync|async_op"
    r"|auto_wrap|IterableDataset|TORCH_|__getitem__|non_blocking"
)


def check(kind, refuse):
    clauses = kind.get("clauses", {}).values()
    said = [kind["sentence"], *(text for cases in clauses for text in cases.values())]
    if kind["role"] != "advice":
        if "framework" in kind:
            refuse(kind, "is no advice, and of no framework")
    elif any(map(OF_PYTORCH.search, said)) and kind.get("framework") != "pytorch":
        refuse(kind, 'has words of PyTorch\'s: it needs framework = "pytorch"')


def member(kind):
    """Behind those that each kind has."""
    return f', "{kind["framework"]}"' if "framework" in kind else ""
