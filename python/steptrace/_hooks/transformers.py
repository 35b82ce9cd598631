# SPDX-License-Identifier: Apache-2.0
"""The Hugging Face Trainer: its loss, evaluation, checkpoints and logging."""

from . import vocabulary
from .ranges import entering, entering_checkpoint
from .surround import Calls, inert, nothing


def patch(module, hook):
    if module.__name__.endswith("_callback"):
        _patch_callbacks(module, hook)
    else:
        _patch_trainer(module, hook)


def _patch_trainer(module, hook):
    trainer = module.Trainer
    # Around the call, not in compute_loss itself: that is what scripts override.
    loss = {"compute_loss": entering(hook, vocabulary.FORWARD)}
    hook.around(trainer, "training_step", Calls(inert, inner=loss))
    for evaluation in ("evaluate", "predict"):
        hook.around(trainer, evaluation, Calls(entering(hook, vocabulary.EVALUATION)))
    save = entering_checkpoint(hook, vocabulary.SAVE)
    hook.around(trainer, "_save_checkpoint", Calls(save))


def _patch_callbacks(module, hook):
    logging = entering(hook, vocabulary.LOGGING)

    def enter_event(event):
        return logging() if event == "on_log" else nothing

    hook.around(module.CallbackHandler, "call_event", Calls(enter_event, ("event",)))
