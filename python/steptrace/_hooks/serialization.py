# SPDX-License-Identifier: Apache-2.0
"""torch.serialization and safetensors.torch: what a checkpoint costs."""

from . import vocabulary
from .ranges import entering_checkpoint
from .surround import Calls

_FUNCTIONS = {
    "torch.serialization": ("save", "load"),
    "safetensors.torch": ("save_file", "load_file"),
}


def patch(module, hook):
    save, load = _FUNCTIONS[module.__name__]
    hook.around(module, save, Calls(entering_checkpoint(hook, vocabulary.SAVE)))
    hook.around(module, load, Calls(entering_checkpoint(hook, vocabulary.LOAD)))
