# SPDX-License-Identifier: Apache-2.0
"""Layers and losses on npu through the official torch_npu, against PyTorch's CPU.

Prints as JSON the names of those whose results or gradients differ, with the reason.
"""

import copy
import json
import warnings

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
torch.manual_seed(0)
LINE, IMAGE, VOLUME = torch.randn(2, 4, 9), torch.randn(2, 4, 8, 6), torch.randn(2, 4, 4, 6, 6)
WORDS, STEPS = torch.randint(0, 7, (2, 4)), torch.randn(6, 2, 4)

LAYERS = {
    "PReLU": (nn.PReLU(), IMAGE),
    "PReLU of channels": (nn.PReLU(4), IMAGE),
    "GLU": (nn.GLU(), IMAGE),
    "SELU": (nn.SELU(), IMAGE),
    "Mish": (nn.Mish(), IMAGE),
    "LogSigmoid": (nn.LogSigmoid(), IMAGE),
    "Softshrink": (nn.Softshrink(), IMAGE),
    "GroupNorm": (nn.GroupNorm(2, 4), IMAGE),
    "InstanceNorm2d": (nn.InstanceNorm2d(4), IMAGE),
    "LayerNorm": (nn.LayerNorm(6), IMAGE),
    "nearest": (nn.Upsample(scale_factor=2), IMAGE),
    "linear": (nn.Upsample(scale_factor=2, mode="linear"), LINE),
    "bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
    "bicubic": (nn.Upsample(scale_factor=2, mode="bicubic", align_corners=True), IMAGE),
    "trilinear": (nn.Upsample(scale_factor=2, mode="trilinear"), VOLUME),
    "AdaptiveAvgPool3d": (nn.AdaptiveAvgPool3d(2), VOLUME),
    "AdaptiveMaxPool2d": (nn.AdaptiveMaxPool2d(2), IMAGE),
    "AdaptiveMaxPool3d": (nn.AdaptiveMaxPool3d(2), VOLUME),
    "AvgPool3d": (nn.AvgPool3d(2), VOLUME),
    "MaxPool3d": (nn.MaxPool3d(2), VOLUME),
    "ReflectionPad2d": (nn.ReflectionPad2d(2), IMAGE),
    "ReplicationPad3d": (nn.ReplicationPad3d(1), VOLUME),
    "Unfold": (nn.Unfold(2), IMAGE),
    "Fold": (nn.Fold((4, 4), 2), torch.randn(2, 8, 9)),
    "Conv3d": (nn.Conv3d(4, 6, 3), VOLUME),
    "ConvTranspose2d": (nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), IMAGE),
    "LSTM": (nn.LSTM(4, 5), STEPS),
    "GRU": (nn.GRU(4, 5), STEPS),
    "GRU both ways": (nn.GRU(4, 5, 2, bidirectional=True), STEPS),
    "TransformerEncoderLayer": (nn.TransformerEncoderLayer(4, 2, 8, 0.0), STEPS),
    "Embedding": (nn.Embedding(7, 3), WORDS),
    "EmbeddingBag": (nn.EmbeddingBag(7, 3, mode="sum"), WORDS),
}


def attention(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, is_causal=True)


def sampled(x: torch.Tensor) -> torch.Tensor:
    theta = torch.tensor([[[0.5, 0.1, 0.0], [0.2, 0.7, 0.1]]] * 2, device=x.device)
    return F.grid_sample(x, F.affine_grid(theta, [2, 4, 5, 5], False), align_corners=False)


def aligned(x: torch.Tensor) -> torch.Tensor:
    targets = torch.tensor([[1, 2, 1, 3], [2, 2, 0, 0]], device=x.device)
    return F.ctc_loss(x.log_softmax(2), targets, torch.tensor([6, 5]), torch.tensor([4, 2]))


FUNCTIONS = {
    "attention": (attention, torch.randn(2, 2, 16, 8)),
    "grid_sample": (sampled, IMAGE),
    "ctc_loss": (aligned, STEPS),
    "cross_entropy": (lambda x: F.cross_entropy(x, x.argmax(1), label_smoothing=0.1), IMAGE),
    "smooth_l1_loss": (lambda x: F.smooth_l1_loss(x, x.detach().flip(0)), IMAGE),
    "kl_div": (lambda x: F.kl_div(x, x.detach().softmax(1)), IMAGE),
}


def results(module, x: torch.Tensor, device: str) -> list[torch.Tensor]:
    module = copy.deepcopy(module).to(device) if isinstance(module, nn.Module) else module
    leaf = x.clone().to(device).requires_grad_(x.is_floating_point())
    out = module(leaf)
    out = out[0] if isinstance(out, tuple) else out
    leaves = [leaf] * leaf.requires_grad
    leaves += list(module.parameters()) if isinstance(module, nn.Module) else []
    return [out, *torch.autograd.grad(out.square().sum(), leaves)]


def main() -> None:
    wrong = {}
    for name, (module, x) in {**LAYERS, **FUNCTIONS}.items():
        try:
            pairs = zip(results(module, x, "npu"), results(module, x, "cpu"), strict=True)
            for mine, theirs in pairs:
                torch.testing.assert_close(
                    mine.detach().cpu(), theirs.detach(), rtol=1e-4, atol=1e-4
                )
        except Exception as error:  # every layer is tried
            wrong[name] = " ".join(str(error).split())[:300]
    print(json.dumps(wrong))


if __name__ == "__main__":
    main()
