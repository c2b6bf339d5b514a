# SPDX-License-Identifier: Apache-2.0
"""Copies in every direction, memory formats, views, storage, and what reads a tensor's values."""

import copy
import io

import numpy
import pytest
import torch

TYPES = (
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
)


def values(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return (
        (torch.arange(count) % 100 - (0 if dtype == torch.uint8 else 20)).reshape(shape).to(dtype)
    )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(3, 5), (), (0,), (2, 3, 4, 5)])
def test_there_and_back(npu, dtype, shape):
    x = values(*shape, dtype=dtype)
    y = x.to(npu)
    assert y.device.type == "npu" and y.dtype == dtype and y.shape == x.shape
    assert torch.equal(y.cpu(), x)
    assert torch.equal(y.clone().cpu(), x)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_types_convert_as_on_the_cpu(npu, source, target):
    x = values(4, 6, dtype=source)
    if target == torch.uint8:
        x = x.abs() if source not in (torch.bool, torch.uint8) else x
    assert torch.equal(x.to(npu).to(target).cpu(), x.to(target))
    assert torch.equal(x.to(npu, target).cpu(), x.to(target))
    assert torch.equal(x.to(npu).to("cpu", target), x.to(target))


LAYOUTS = {
    "transposed": lambda x: x.transpose(0, 1),
    "sliced": lambda x: x[1:, ::2],
    "expanded": lambda x: x[:, :1].expand(-1, 7),
    "channels last": lambda x: x.reshape(1, 4, 3, 2).contiguous(memory_format=torch.channels_last),
    "offset": lambda x: x.flatten()[5:],
    "flipped stride": lambda x: x.as_strided((2, 3), (1, 5), 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("non_blocking", [False, True])
def test_layouts_cross(npu, layout, non_blocking):
    x = LAYOUTS[layout](values(4, 6))
    assert torch.equal(x.to(npu, non_blocking=non_blocking).cpu(), x)
    on_device = LAYOUTS[layout](values(4, 6).to(npu))
    assert on_device.stride() == x.stride()
    assert torch.equal(on_device.cpu(), x)
    target = torch.zeros_like(values(4, 6))
    if layout != "expanded":
        view = LAYOUTS[layout](target.to(npu))
        view.copy_(x, non_blocking=non_blocking)
        assert torch.equal(view.cpu(), x)
        host = torch.empty_like(x)
        host.copy_(on_device)
        assert torch.equal(host, x)


def test_copy_broadcasts(npu):
    row = values(5)
    y = torch.zeros(3, 5, device=npu)
    y.copy_(row)
    assert torch.equal(y.cpu(), row.expand(3, 5))
    z = torch.zeros(3, 5)
    z.copy_(row.to(npu))
    assert torch.equal(z, row.expand(3, 5))


def test_memory_formats(npu):
    x = values(2, 3, 4, 5)
    y = x.to(npu).to(memory_format=torch.channels_last)
    assert y.is_contiguous(memory_format=torch.channels_last) and torch.equal(y.cpu(), x)
    assert (y + 1).is_contiguous(memory_format=torch.channels_last)
    assert y.clone().is_contiguous(memory_format=torch.channels_last)
    assert y.contiguous().is_contiguous() and torch.equal(y.contiguous().cpu(), x)
    assert torch.empty_like(y).stride() == y.stride()


def test_devices_exchange_tensors():
    if torch.npu.device_count() < 2:
        pytest.skip("one device")
    x = values(4, 6)
    first = x.to("npu:0")
    second = first.to("npu:1")
    assert second.device == torch.device("npu:1") and torch.equal(second.cpu(), x)
    turned = torch.zeros(6, 4, dtype=torch.float64, device="npu:1").t()
    turned.copy_(first)
    assert torch.equal(turned.cpu(), x.double())
    with pytest.raises(RuntimeError, match="same device"):
        first + second
    assert (second + 1).device.index == 1


def test_pinned_memory(npu):
    x = values(1000).pin_memory()
    assert x.is_pinned() and not values(3).is_pinned()
    y = x.to(npu, non_blocking=True)
    back = torch.empty(1000, pin_memory=True)
    back.copy_(y, non_blocking=True)
    torch.npu.synchronize()
    assert torch.equal(back, x)


def test_scalars_leave_the_device(npu):
    for dtype in TYPES:
        x = values(1, dtype=dtype) if dtype == torch.uint8 else values(3, dtype=dtype)[2:]
        assert x.to(npu).item() == x.item()
    assert float(torch.tensor(2.5, device=npu)) == 2.5 and int(torch.tensor(7, device=npu)) == 7
    assert bool(torch.tensor(True, device=npu)) and torch.ones(2, device=npu).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="2 elements|Boolean value"):
        torch.ones(2, device=npu).item()


def test_printing(npu):
    for dtype in TYPES:
        x = values(3, 4, dtype=dtype)
        assert "device='npu:0'" in repr(x.to(npu))
        digits = repr(x).removeprefix("tensor(").split("dtype")[0].rstrip(") ,\n")
        assert digits in repr(x.to(npu))
        repr(x[0, 0].to(npu)), repr(x[:0].to(npu))
    assert "1.0000e" in repr(torch.tensor([1e-8, 1e8], device=npu))
    assert "nan" in repr(torch.tensor([float("nan"), float("inf")], device=npu))
    assert "..." in repr(torch.zeros(100, 100, device=npu))


def test_numpy_is_refused(npu):
    with pytest.raises(TypeError, match="npu.*cpu"):
        torch.ones(3, device=npu).numpy()
    assert numpy.array_equal(torch.ones(3, device=npu).cpu().numpy(), numpy.ones(3))


def test_deepcopy_and_save(npu):
    shared = torch.ones(4, device=npu)
    both = copy.deepcopy([shared, shared[1:]])
    both[0].add_(1)
    assert both[1].cpu().tolist() == [2, 2, 2] and shared.cpu().tolist() == [1] * 4
    buffer = io.BytesIO()
    torch.save({"x": shared, "view": shared[1:]}, buffer)
    buffer.seek(0)
    loaded = torch.load(buffer)
    assert loaded["x"].device.type == "npu" and loaded["view"].cpu().tolist() == [1, 1, 1]
    buffer.seek(0)
    assert torch.load(buffer, map_location="cpu")["x"].device.type == "cpu"


def test_views_share_memory(npu):
    x = torch.zeros(4, 6, device=npu)
    x.view(24)[3] = 1
    x[1].fill_(2)
    x.t()[5] = 3
    x.unfold(0, 2, 2)[1, 0] = 4
    y = torch.zeros(4, 6)
    y.view(24)[3] = 1
    y[1].fill_(2)
    y.t()[5] = 3
    y.unfold(0, 2, 2)[1, 0] = 4
    assert torch.equal(x.cpu(), y)
    real = torch.ones(3, 2, device=npu)
    assert torch.view_as_real(torch.view_as_complex(real)).data_ptr() == real.data_ptr()
    assert x.is_set_to(x) and x.is_set_to(x.view(4, 6))


def test_resize_and_set(npu):
    x = torch.arange(6.0, device=npu)
    x.resize_(2, 2)
    assert x.cpu().tolist() == [[0, 1], [2, 3]]
    x.resize_(20)
    assert x.shape == (20,) and x[:6].cpu().tolist() == [0, 1, 2, 3, 4, 5]
    y = torch.empty(0, device=npu)
    y.set_(x.untyped_storage(), 2, (2, 2), (2, 1))
    assert y.cpu().tolist() == [[2, 3], [4, 5]]
    y.set_(x)
    assert y.data_ptr() == x.data_ptr() and y.shape == x.shape
    y.set_()
    assert y.numel() == 0 and y.device.type == "npu"


def test_out_arguments(npu):
    x = values(3, 4).to(npu)
    out = torch.empty(0, device=npu)
    assert torch.add(x, 1, out=out) is out and torch.equal(out.cpu(), values(3, 4) + 1)
    with pytest.warns(UserWarning, match="resized"):
        torch.mm(x, x.t(), out=torch.empty(2, 2, device=npu))
    turned = torch.empty(3, 3, device=npu).t()
    torch.mm(x, x.t(), out=turned)
    assert torch.equal(turned.cpu(), values(3, 4) @ values(3, 4).t())
    torch.exp(x, out=x)
    assert torch.allclose(x.cpu(), values(3, 4).exp())
    largest, places = torch.empty(3, device=npu), torch.empty(3, dtype=torch.int64, device=npu)
    torch.max(values(3, 4).to(npu), 1, out=(largest, places))
    assert places.cpu().tolist() == [3, 3, 3]


def test_numbers_meet_tensors(npu):
    x = values(3).to(npu)
    two = torch.tensor(2.0)
    for result in (x * two, two * x, x * 2, 2 * x, x + x.sum().new_tensor(0) + x):
        assert torch.equal(result.cpu(), values(3) * 2) and result.dtype == torch.float32
    assert (values(3, dtype=torch.int32).to(npu) * 2).dtype == torch.int32
    assert (values(3, dtype=torch.int32).to(npu) * 2.5).dtype == torch.float32
    assert (1 - x).cpu().tolist() == (1 - values(3)).tolist()
    assert (1 / (x + 30)).device.type == "npu"
    x += 1
    x *= torch.tensor(3)
    assert torch.equal(x.cpu(), (values(3) + 1) * 3)


def test_indexing_reads_and_writes(npu):
    for index in [
        (1,),
        (slice(None), 2),
        (..., -1),
        (torch.tensor([2, 0]),),
        (torch.tensor([2, 0]), torch.tensor([1, 3])),
        (torch.arange(12).reshape(3, 4) % 2 == 0,),
        (None, slice(0, 2), torch.tensor([0, 3])),
    ]:
        x, y = values(3, 4), values(3, 4).to(npu)
        assert torch.equal(y[index].cpu(), x[index])
        moved = tuple(i.to(npu) if isinstance(i, torch.Tensor) else i for i in index)
        assert torch.equal(y[moved].cpu(), x[index])
        x[index] = 7
        y[moved] = 7
        assert torch.equal(y.cpu(), x)
        x[index] = x[index] * 2
        y[index] = y[moved] * 2
        assert torch.equal(y.cpu(), x)


def test_conjugate_and_negative_views(npu):
    z = torch.view_as_complex(values(3, 2))
    on_device = torch.view_as_complex(values(3, 2).to(npu))
    assert torch.equal(
        torch.view_as_real(on_device.conj().resolve_conj().cpu()),
        torch.view_as_real(z.conj().resolve_conj()),
    )
    assert torch.equal(on_device.conj().imag.cpu(), z.conj().imag)
