# SPDX-License-Identifier: Apache-2.0
"""Lightning: its own profiler calls say what its trainer does.

`run_training_batch` is the whole step and says nothing; the training step is the forward pass (its
backward and optimizer are ranges inside it); validation is the whole evaluation loop.
"""

from . import vocabulary
from .ranges import entering, entering_checkpoint
from .surround import Calls, nothing

# The action after its owner: `[Strategy]DDPStrategy.training_step` -> forward.
_STRATEGY = "[Strategy]"
_TRAINING_STEP = ".training_step"
_SAVE = "save_checkpoint"
_PROGRESS_BARS = ("[Callback]TQDMProgressBar", "[Callback]RichProgressBar")
_PROGRESS = "_end"  # on_train_batch_end and its like; the bars' other methods do nothing

# A trainer has some dozens of actions; a script may make up any number.
_MAX_KNOWN = 1000


def patch(module, hook):
    if module.__name__.endswith(".evaluation_loop"):
        hook.around(module._EvaluationLoop, "run", Calls(entering(hook, vocabulary.EVALUATION)))
    else:
        hook.around(module.Profiler, "profile", Calls(_entering_action(hook), ("action_name",)))


def _entering_action(hook):
    enters = {
        vocabulary.FORWARD: entering(hook, vocabulary.FORWARD),
        vocabulary.LOGGING: entering(hook, vocabulary.LOGGING),
        vocabulary.CHECKPOINT: entering_checkpoint(hook, vocabulary.SAVE),
        None: lambda: nothing,
    }
    known = {}

    def enter_action(action):
        try:
            enter = known.get(action)
            if enter is None:
                if len(known) >= _MAX_KNOWN:
                    known.clear()
                enter = known[action] = enters[phase_of(action)]
            return enter()
        except Exception as error:
            return hook.fail(error)

    return enter_action


def phase_of(action):
    if action == _SAVE:
        return vocabulary.CHECKPOINT
    if action.startswith(_STRATEGY) and action.endswith(_TRAINING_STEP):
        return vocabulary.FORWARD
    if action.startswith(_PROGRESS_BARS) and action.endswith(_PROGRESS):
        return vocabulary.LOGGING
    return None
