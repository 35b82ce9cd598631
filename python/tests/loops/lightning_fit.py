# SPDX-License-Identifier: Apache-2.0
"""Lightning: sanity check, two epochs with validation, checkpoints, a progress bar."""

import logging
import tempfile
import warnings

warnings.simplefilter("ignore")
import lightning as L  # noqa: E402
import torch  # noqa: E402
from common import Points, loss_of, make_model, report  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Module(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = make_model()

    def training_step(self, batch, batch_index):
        return loss_of(self.model, batch)

    def validation_step(self, batch, batch_index):
        self.log("loss", loss_of(self.model, batch))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


def main():
    with tempfile.TemporaryDirectory() as folder:
        trainer = L.Trainer(
            max_epochs=2,
            accelerator="cpu",
            default_root_dir=folder,
            logger=False,
            enable_progress_bar=True,
            enable_model_summary=False,
        )
        loaders = DataLoader(Points(16), batch_size=4), DataLoader(Points(8), batch_size=4)
        trainer.fit(Module(), *loaders)
        report(steps=trainer.global_step, batches=8, evaluations=3)


main()
