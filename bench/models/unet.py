# SPDX-License-Identifier: Apache-2.0
"""U-Net (Ronneberger et al. 2015, arXiv:1505.04597): a class for each pixel."""

import torch
from torch import nn


def double(channels_in: int, channels_out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, 3, padding=1),
        nn.GroupNorm(4, channels_out),
        nn.ReLU(inplace=True),
        nn.Conv2d(channels_out, channels_out, 3, padding=1),
        nn.GroupNorm(4, channels_out),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    """[N, 3, 32, 32] -> [N, classes, 32, 32]. One step up learns, the other interpolates."""

    def __init__(self, dropout: float = 0.1, classes: int = 4, width: int = 16):
        super().__init__()
        self.down1, self.down2 = double(3, width), double(width, 2 * width)
        self.pool = nn.MaxPool2d(2)
        self.bottom = nn.Sequential(double(2 * width, 4 * width), nn.Dropout2d(dropout))
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.join2 = double(4 * width, 2 * width)
        self.up1 = nn.Sequential(
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
            nn.Conv2d(2 * width, width, 1),
        )
        self.join1 = double(2 * width, width)
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        fine = self.down1(images)
        coarse = self.down2(self.pool(fine))
        x = self.bottom(self.pool(coarse))
        x = self.join2(torch.cat([coarse, self.up2(x)], dim=1))
        x = self.join1(torch.cat([fine, self.up1(x)], dim=1))
        return self.head(x)
