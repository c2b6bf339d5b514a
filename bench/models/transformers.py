# SPDX-License-Identifier: Apache-2.0
"""Transformers for images and for text: the papers' layers, fewer and narrower."""

import torch
from torch import nn
from torch.nn import functional

VOCABULARY = 128


class Attention(nn.Module):
    """Self-attention with `heads` heads of queries and `key_heads` of keys and values."""

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        key_heads: int | None = None,
        bias: bool = True,
        causal: bool = False,
        dropout: float = 0.0,
        rotary: bool = False,
    ):
        super().__init__()
        self.heads, self.key_heads = heads, key_heads or heads
        self.head_width = width // heads
        self.causal, self.dropout, self.rotary = causal, dropout, rotary
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(width, self.key_heads * self.head_width, bias=bias)
        self.value = nn.Linear(width, self.key_heads * self.head_width, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)

    def split(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.unflatten(-1, (heads, self.head_width)).transpose(1, 2)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        q = self.split(self.query(x), self.heads)
        k = self.split(self.key(x), self.key_heads)
        v = self.split(self.value(x), self.key_heads)
        if self.rotary:
            q, k = rotate(q), rotate(k)
        result = functional.scaled_dot_product_attention(
            *(q, k, v, mask),
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=self.causal,
            enable_gqa=self.heads != self.key_heads,
        )
        return self.out(result.transpose(1, 2).flatten(2))


def rotate(x: torch.Tensor) -> torch.Tensor:
    """Rotary position embedding of [N, heads, T, width] (Su et al. 2021, arXiv:2104.09864)."""
    length, half = x.shape[-2], x.shape[-1] // 2
    frequency = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angle = torch.outer(torch.arange(length, device=x.device, dtype=torch.float32), frequency)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class Block(nn.Module):
    """Attention and a perceptron, each with its norm before (GPT-2, ViT) or after (BERT)."""

    def __init__(self, width: int, heads: int, dropout: float, *, causal=False, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.attention = Attention(width, heads, causal=causal, dropout=dropout)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        if self.norm_first:
            x = x + self.attention(self.norms[0](x), mask)
            return x + self.perceptron(self.norms[1](x))
        x = self.norms[0](x + self.attention(x, mask))
        return self.norms[1](x + self.perceptron(x))


class ViT(nn.Module):
    """[N, 3, 32, 32] -> [N, classes] (Dosovitskiy et al. 2020, arXiv:2010.11929)."""

    def __init__(self, dropout: float = 0.1, classes: int = 10, width: int = 48, patch: int = 8):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, (32 // patch) ** 2 + 1, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, 4, dropout) for _ in range(2)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1) + self.position
        return self.head(self.norm(self.blocks(x))[:, 0])


class WindowBlock(nn.Module):
    """Swin's block: attention inside windows, every other block with windows shifted."""

    def __init__(self, width: int, heads: int, size: int, window: int, shift: int, dropout: float):
        super().__init__()
        self.window, self.shift, self.heads = window, shift, heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
        )
        self.bias = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads) * 0.02)
        y, x = torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")
        spot = torch.stack([y.flatten(), x.flatten()])
        distance = spot[:, :, None] - spot[:, None, :] + window - 1
        self.register_buffer("distance", distance[0] * (2 * window - 1) + distance[1])
        self.register_buffer("mask", self.shift_mask(size))

    def shift_mask(self, size: int) -> torch.Tensor | None:
        """[windows, 1, w * w, w * w]: -100 between pixels that only the shift made neighbours."""
        if self.shift == 0:
            return None
        part = torch.zeros(1, size, size, 1)
        edges = (slice(0, -self.window), slice(-self.window, -self.shift), slice(-self.shift, None))
        for i, rows in enumerate(edges):
            for j, columns in enumerate(edges):
                part[:, rows, columns] = 3 * i + j
        part = self.split(part).squeeze(-1)
        return ((part[:, None] != part[:, :, None]) * -100.0).unsqueeze(1)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        """[N, H, W, C] -> [N * windows, w * w, C]."""
        n, h, w, c = x.shape
        x = x.view(n, h // self.window, self.window, w // self.window, self.window, c)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, self.window**2, c)

    def join(self, x: torch.Tensor, shape: torch.Size) -> torch.Tensor:
        n, h, w, c = shape
        x = x.view(n, h // self.window, w // self.window, self.window, self.window, c)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(shape)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        windows = self.split(x)
        q, k, v = self.qkv(windows).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        scores = scores + self.bias[self.distance].permute(2, 0, 1)
        if self.mask is not None:
            scores = (scores.unflatten(0, (-1, len(self.mask))) + self.mask).flatten(0, 1)
        result = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.join(self.out(result), x.shape)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        moved = self.norms[0](x).roll((-self.shift, -self.shift), (1, 2))
        x = x + self.attend(moved).roll((self.shift, self.shift), (1, 2))
        return x + self.perceptron(self.norms[1](x))


class Swin(nn.Module):
    """[N, 3, 32, 32] -> [N, classes] (Liu et al. 2021, arXiv:2103.14030)."""

    def __init__(self, dropout: float = 0.1, classes: int = 10, width: int = 24):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, stride=4)
        self.first = nn.Sequential(
            *(WindowBlock(width, 2, 8, 4, shift, dropout) for shift in (0, 2))
        )
        self.merge = nn.Sequential(
            nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)
        )
        self.second = nn.Sequential(
            *(WindowBlock(2 * width, 4, 4, 4, 0, dropout) for _ in range(2))
        )
        self.norm = nn.LayerNorm(2 * width)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.first(self.patches(images).permute(0, 2, 3, 1))
        corners = [x[:, i::2, j::2] for j in range(2) for i in range(2)]
        x = self.second(self.merge(torch.cat(corners, dim=-1)))
        return self.head(self.norm(x).mean(dim=(1, 2)))


class Bert(nn.Module):
    """[N, T] tokens -> [N, T, VOCABULARY]; token 0 is padding (Devlin et al. 2018)."""

    def __init__(self, dropout: float = 0.1, width: int = 48, length: int = 64):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width, padding_idx=0)
        self.position = nn.Embedding(length, width)
        self.kind = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(width, 4, dropout, norm_first=False) for _ in range(2))
        self.transform = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        position = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token(tokens) + self.position(position) + self.kind(torch.zeros_like(tokens))
        x = self.dropout(self.norm(x))
        mask = (tokens != 0)[:, None, None, :]
        for block in self.blocks:
            x = block(x, mask)
        return functional.linear(self.transform(x), self.token.weight, self.bias)


class Gpt2(nn.Module):
    """[N, T] tokens -> [N, T, VOCABULARY] (Radford et al. 2019)."""

    def __init__(self, dropout: float = 0.1, width: int = 48, length: int = 64):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.position = nn.Embedding(length, width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.Sequential(*(Block(width, 4, dropout, causal=True) for _ in range(2)))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        position = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.dropout(self.token(tokens) + self.position(position))
        return self.norm(self.blocks(x)) @ self.token.weight.t()


class LlamaBlock(nn.Module):
    """RMSNorm, rotary positions, grouped queries and SwiGLU (Touvron et al. 2023)."""

    def __init__(self, width: int, heads: int, key_heads: int):
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(width, eps=1e-5) for _ in range(2))
        self.attention = Attention(
            width, heads, key_heads=key_heads, bias=False, causal=True, rotary=True
        )
        hidden = width * 8 // 3
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norms[0](x))
        y = self.norms[1](x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """[N, T] tokens -> [N, T, VOCABULARY]."""

    def __init__(self, dropout: float = 0.0, width: int = 48):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.Sequential(*(LlamaBlock(width, 4, 2) for _ in range(2)))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.blocks(self.dropout(self.token(tokens)))))
