# SPDX-License-Identifier: Apache-2.0
import gc
import weakref


class Node:
    pass


gone = []
nodes = [Node() for _ in range(100)]
for node in nodes:
    node.itself = node
    weakref.finalize(node, gone.append, 1)
nodes.clear()
del node
gc.collect()
print(len(gone), gc.isenabled(), gc.get_threshold())
