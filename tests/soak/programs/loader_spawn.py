# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import Samples, made, train, weights

if __name__ == "__main__":
    model, _, _ = made()
    loader = torch.utils.data.DataLoader(
        Samples(), batch_size=16, num_workers=1, multiprocessing_context="spawn"
    )
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), loader)
    weights(model)
