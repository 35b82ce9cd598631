# SPDX-License-Identifier: Apache-2.0
"""The Hugging Face Trainer: accumulation, evaluation, logging and checkpoints."""

import tempfile

import torch
from common import Points, make_model, report
from transformers import Trainer, TrainingArguments


class Samples(Points):
    def __getitem__(self, index):
        inputs, target = super().__getitem__(index)
        return {"inputs": inputs, "labels": target}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = make_model()

    def forward(self, inputs, labels=None):
        output = self.model(inputs)
        return {"loss": torch.nn.functional.mse_loss(output, labels), "logits": output}


def main():
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            per_device_train_batch_size=4,
            per_device_eval_batch_size=4,
            gradient_accumulation_steps=2,
            num_train_epochs=2,
            eval_strategy="epoch",
            save_strategy="epoch",
            logging_steps=2,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            remove_unused_columns=False,
        )
        trainer = Trainer(Model(), arguments, train_dataset=Samples(32), eval_dataset=Samples(8))
        trainer.train()
        report(steps=trainer.state.global_step, batches=16, evaluations=2)


main()
