# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights


class Failing(torch.utils.data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        if index == 17:
            raise ValueError("sample 17 is damaged")
        return torch.ones(16), 0


model, _, _ = made()
loader = torch.utils.data.DataLoader(Failing(), batch_size=4, num_workers=1)
try:
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), loader)
except ValueError as error:
    print(str(error).splitlines()[-1])
weights(model)
