# SPDX-License-Identifier: Apache-2.0
"""Each hook fails alone: it says so, is off from then on, and the training is as without it."""

import hooked
import pytest

# What is made to fail -> the hooks that go with it. The runs are complements of one another, so
# that each hook is seen to fail and seen to survive.
CASES = {
    "data,backward,checkpoint,all_reduce": {"data", "backward", "checkpoint", "communication"},
    "loader_iter,fetch,optimizer,compile": {"data", "worker", "optimizer", "compile"},
    "data_end,collate,barrier": {"data", "worker", "communication"},
}
OF_HOOK = {
    "data": "data",
    "backward": "backward",
    "checkpoint": "checkpoint",
    "communication": "broadcast",
    "gc": "gc",
    "worker": "fetch",
    "optimizer": "optimizer",
    "compile": "compile",
}


@pytest.mark.parametrize("names", CASES)
def test_hooks_of_torch(tmp_path, names):
    script = hooked.TESTS / "scripts" / "all_hooks.py"
    options = ["--communicate"] + (["--compile"] if "compile" in names else [])
    run = hooked.run(tmp_path / "ring", script, *options, FAKE_PROBE_FAIL=names).check()
    assert run.said == {"steps": 4}
    failed = run.failed_hooks()
    assert set(failed) == CASES[names]
    assert all("made to fail" in fact["reason"] for fact in failed.values())
    recorded = {record.name for record in run.records if record.kind == "begin"}
    expected = set(OF_HOOK) - set(failed) - ({"compile"} if "compile" not in names else set())
    assert {OF_HOOK[hook] for hook in expected} <= recorded


LIGHTNING = """
from contextlib import contextmanager
class Profiler:
    @contextmanager
    def profile(self, action_name):
        yield action_name
"""
EVALUATION = """
def decorate(run):
    def wrapper(self): return run(self)
    return wrapper
class _EvaluationLoop:
    @decorate
    def run(self): return 3
"""
TRAINER = """
class Trainer:
    def training_step(self, model):
        loss = self.compute_loss(model)
        return loss
    def compute_loss(self, model): return model
    def evaluate(self): return 1
    def predict(self): return 2
    def _save_checkpoint(self): return 3
"""
CALLBACKS = """
class CallbackHandler:
    def call_event(self, event): return event
"""
USE = """
from lightning.pytorch.profilers.profiler import Profiler
from lightning.pytorch.loops.evaluation_loop import _EvaluationLoop
from transformers.trainer import Trainer
from transformers.trainer_callback import CallbackHandler
with Profiler().profile("[Strategy]Single.training_step") as action: pass
with Profiler().profile("save_checkpoint"): pass
with Profiler().profile("run_training_batch"): pass
for event in ("batch_start", "batch_end"):
    with Profiler().profile("[Callback]TQDMProgressBar.on_train_" + event): pass
assert _EvaluationLoop().run() == 3
class Own(Trainer):
    def compute_loss(self, model): return model + 1
trainer = Own()
assert (trainer.training_step(5), trainer.evaluate(), trainer.predict()) == (6, 1, 2)
assert trainer._save_checkpoint() == 3
assert CallbackHandler().call_event("on_log") == CallbackHandler().call_event("on_log") == "on_log"
assert CallbackHandler().call_event("on_step_end") == "on_step_end"
"""


@pytest.fixture()
def frameworks(tmp_path):
    """The shapes of Lightning and the Trainer: the real ones take seconds to import."""
    files = {
        "torch/__init__.py": "",
        "lightning/__init__.py": "__version__ = '1'",
        "lightning/pytorch/__init__.py": "",
        "lightning/pytorch/profilers/__init__.py": "",
        "lightning/pytorch/profilers/profiler.py": LIGHTNING,
        "lightning/pytorch/loops/__init__.py": "",
        "lightning/pytorch/loops/evaluation_loop.py": EVALUATION,
        "transformers/__init__.py": "",
        "transformers/trainer.py": TRAINER,
        "transformers/trainer_callback.py": CALLBACKS,
    }
    for name, text in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(**variables):
        path = f"{hooked.TESTS / 'fake_site'}:{tmp_path / 'site'}"
        return hooked.run(tmp_path / "ring", "-c", USE, PYTHONPATH=path, **variables).check()

    return run


def begun(run):
    return [record.name for record in run.records if record.kind == "begin" and record.name != "gc"]


def test_hooks_of_frameworks(frameworks):
    run = frameworks()
    assert begun(run) == [
        *["forward", "checkpoint", "logging", "evaluation"],  # Lightning
        *["forward", "evaluation", "evaluation", "checkpoint", "logging", "logging"],
    ]
    assert run.failed_hooks() == {}


@pytest.mark.parametrize(
    ("name", "lightning", "transformers"),
    [
        ("forward", ["evaluation"], ["logging"] * 2),
        ("evaluation", ["forward", "checkpoint", "logging"], ["forward", "logging", "logging"]),
        (
            "logging",
            ["forward", "checkpoint", "evaluation"],
            ["forward", "evaluation", "evaluation", "checkpoint"],
        ),
        (
            "checkpoint",
            ["forward", "evaluation"],
            ["forward", "evaluation", "evaluation", "logging", "logging"],
        ),
    ],
)
def test_hooks_of_frameworks_fail_alone(frameworks, name, lightning, transformers):
    """What fails takes its own module's hook away, and leaves those of the other modules."""
    run = frameworks(FAKE_PROBE_FAIL=name)
    assert set(run.failed_hooks()) == {"lightning", "transformers"}
    assert begun(run) == lightning + transformers


def test_a_framework_that_has_changed_is_a_failed_hook(frameworks, tmp_path):
    (tmp_path / "site/transformers/trainer.py").write_text(
        TRAINER.replace("loss = self.compute_loss(model)", "loss = model + 1").replace(
            "evaluate", "assess"
        )
    )
    path = f"{hooked.TESTS / 'fake_site'}:{tmp_path / 'site'}"
    code = "import transformers.trainer as t\nassert t.Trainer().training_step(5) == 6"
    run = hooked.run(tmp_path / "ring", "-c", "import torch\n" + code, PYTHONPATH=path).check()
    assert "evaluate" in run.failed_hooks()["transformers"]["reason"]
