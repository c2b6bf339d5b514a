# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own databases of operators, modules and optimizers, run on npu and on the CPU.

An entry is (database, name, dtype), e.g. ("op_db", "nn.functional.gelu", "float32"). Inputs are
PyTorch's samples, made on the CPU and copied; the CPU's results are what npu's must equal.
"""

import copy
import functools
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

Entry = tuple[str, str, str]

# rtol and atol. PyTorch's own comparison of a device with the CPU (test_ops.py,
# test_compare_cpu) allows 1e-3 in float32; this is ten times stricter. Halves: a few units in the
# last place, since CPU rounds intermediate results of composite operators where npu does not.
TOLERANCE = {
    torch.float32: (1e-4, 1e-4),
    torch.complex64: (1e-4, 1e-4),
    torch.float16: (4e-3, 4e-3),
    torch.bfloat16: (3e-2, 3e-2),
}
GRADIENT_TOLERANCE = {torch.float32: (1e-3, 1e-3), torch.complex64: (1e-3, 1e-3)}

# Values differ by nature: shapes and types are compared. (tests/python/ops/test_random_ops.py
# looks at the distributions.)
VALUES_DIFFER = {
    *("bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided"),
    *("exponential", "geometric", "log_normal", "multinomial", "new_empty", "new_empty_strided"),
    *("normal", "normal.in_place", "normal.number_mean", "pca_lowrank", "rand_like", "randint"),
    *("randint_like", "randn", "randn_like", "svd_lowrank", "uniform"),
    *("nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d"),
    *("nn.functional.dropout3d", "nn.functional.feature_alpha_dropout.with_train"),
    *("nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"),
    "nn.functional.rrelu",
}
RANDOM_MODULES = ("Dropout", "RReLU", "FractionalMaxPool")


def op_name(info) -> str:
    return f"{info.name}.{info.variant_test_name}" if info.variant_test_name else info.name


def module_name(info) -> str:
    return info.module_cls.__name__


def optim_name(info) -> str:
    return info.optim_cls.__name__


@functools.cache
def infos() -> dict[str, dict[str, Any]]:
    return {
        "op_db": {op_name(info): info for info in op_db},
        "module_db": {module_name(info): info for info in module_db},
        "optim_db": {optim_name(info): info for info in optim_db},
    }


def entries(dtypes: tuple[str, ...] = ("float32",)) -> Iterator[Entry]:
    """Every entry of the three databases; modules and optimizers in float32."""
    for dtype in dtypes:
        for name, info in infos()["op_db"].items():
            if getattr(torch, dtype) in info.dtypes:
                yield "op_db", name, dtype
    for database in ("module_db", "optim_db"):
        for name in infos()[database]:
            yield database, name, "float32"


def moved(value: Any, made: dict[int, torch.Tensor] | None = None) -> Any:
    """A copy of `value` with its tensors, devices and device names on npu.

    A tensor that stands in two places stands in both of the copy, too.
    """
    made = {} if made is None else made
    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            made[id(value)] = value.detach().to("npu").requires_grad_(value.requires_grad)
        return made[id(value)]
    if isinstance(value, torch.device) or value == "cpu":
        return "npu"
    if isinstance(value, (list, tuple)):
        parts = [moved(part, made) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: moved(part, made) for key, part in value.items()}
    return value


def tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors(part)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))


def compare(
    got: Any, wanted: Any, tolerances: dict[torch.dtype, tuple[float, float]], values: bool = True
) -> None:
    """`tolerances` by the result's dtype; what has none must be equal."""
    got, wanted = list(tensors(got)), list(tensors(wanted))
    assert len(got) == len(wanted), f"{len(got)} tensors instead of {len(wanted)}"
    for ours, cpu in zip(got, wanted, strict=True):
        assert ours.device.type == "npu", "a result is not on npu"
        assert ours.shape == cpu.shape, f"shape {list(ours.shape)} instead of {list(cpu.shape)}"
        assert ours.dtype == cpu.dtype, f"{ours.dtype} instead of {cpu.dtype}"
        if values:
            tolerance = tolerances.get(cpu.dtype, (0, 0))
            torch.testing.assert_close(
                ours.cpu(), cpu, rtol=tolerance[0], atol=tolerance[1], equal_nan=True
            )


def gradients(outputs: Any, inputs: Any) -> list[torch.Tensor | None]:
    """Of a fixed weighting of the outputs, for every input that asks for one."""
    outputs = [t for t in tensors(outputs) if t.requires_grad and t.numel()]
    inputs = [t for t in tensors(inputs) if t.requires_grad]
    if not outputs or not inputs:
        return []
    weights = []
    for number, output in enumerate(outputs):
        generator = torch.Generator().manual_seed(number)
        weight = torch.rand(output.shape, generator=generator) + 0.5
        weights.append(weight.to(output.device, output.dtype))
    return list(torch.autograd.grad(outputs, inputs, weights, allow_unused=True))


def drops_out(inputs: Any) -> bool:
    """Whether a sample of attention asks for dropout: its values differ by nature."""
    kwargs = inputs[2]
    return bool(kwargs.get("dropout_p")) or bool(
        kwargs.get("training", True) and any(isinstance(a, float) and a > 0 for a in inputs[1])
    )


def compare_gradients(got, wanted) -> None:
    assert len(got) == len(wanted), f"{len(got)} gradients instead of {len(wanted)}"
    for ours, cpu in zip(got, wanted, strict=True):
        assert (ours is None) == (cpu is None), "a gradient is missing"
        compare(ours, cpu, GRADIENT_TOLERANCE)


def run_op(name: str, dtype: torch.dtype, samples: int) -> None:
    info = infos()["op_db"][name]
    differentiable = dtype == torch.float32 and info.supports_autograd
    values = name not in VALUES_DIFFER
    made = info.sample_inputs("cpu", dtype, requires_grad=differentiable)
    for _, sample in zip(range(samples), made, strict=False):
        inputs = (sample.input, sample.args, sample.kwargs)
        ours = moved(inputs)
        wanted = info.op(inputs[0], *inputs[1], **inputs[2])
        got = info.op(ours[0], *ours[1], **ours[2])
        comparable = values and not ("attention" in name and drops_out(inputs))
        compare(got, wanted, TOLERANCE, comparable)
        if differentiable and comparable:
            compare_gradients(gradients(got, ours), gradients(wanted, inputs))


def run_module(name: str, dtype: torch.dtype, samples: int) -> None:
    info = infos()["module_db"][name]
    for training in (True, False):
        values = not (training and any(word in name for word in RANDOM_MODULES))
        made = info.module_inputs_func(
            info, device="cpu", dtype=dtype, requires_grad=True, training=training
        )
        for _, sample in zip(range(samples), made, strict=False):
            torch.manual_seed(0)
            build = sample.constructor_input
            cpu = info.module_cls(*build.args, **build.kwargs).to(dtype).train(training)
            inputs = (sample.forward_input.args, sample.forward_input.kwargs)
            if name.startswith("Lazy"):
                cpu(*inputs[0], **inputs[1])  # learns its shapes
            npu = copy.deepcopy(cpu).to("npu")
            ours = moved(inputs)
            wanted = cpu(*inputs[0], **inputs[1])
            got = npu(*ours[0], **ours[1])
            compare(got, wanted, TOLERANCE, values)
            if values:
                compare_gradients(
                    gradients(got, [*ours, list(npu.parameters())]),
                    gradients(wanted, [*inputs, list(cpu.parameters())]),
                )


def run_optimizer(name: str, dtype: torch.dtype, samples: int) -> None:
    """Three steps in each form that the optimizer has, against the CPU's loop."""
    info = infos()["optim_db"][name]
    for sample in info.optim_inputs_func(device="npu"):
        options = {k: v for k, v in sample.kwargs.items() if k not in ("foreach", "fused")}
        for form in info.supported_impls:
            chosen = {"foreach": form == "foreach"}
            if "fused" in info.supported_impls:
                chosen["fused"] = form == "fused"
            if "foreach" not in info.supported_impls:
                chosen = {}
            results = []
            for device, extra in (("cpu", {}), ("npu", chosen)):
                torch.manual_seed(0)
                parameters = [torch.randn(4, 3).to(device, dtype).requires_grad_() for _ in "ab"]
                target = torch.randn(4, 3).to(device)
                given = {
                    k: v.to(device) if isinstance(v, torch.Tensor) else v
                    for k, v in options.items()
                }
                optimizer = info.optim_cls(parameters, **{**given, **extra})

                def closure(parameters=parameters, optimizer=optimizer, target=target):
                    optimizer.zero_grad()
                    loss = sum((p - target).square().sum() for p in parameters)
                    loss.backward()
                    return loss

                for _ in range(3):
                    optimizer.step(closure)
                results.append([p.detach() for p in parameters])
            compare(results[1], results[0], TOLERANCE)


RUNNERS = {"op_db": run_op, "module_db": run_module, "optim_db": run_optimizer}


def run(entry: Entry, samples: int) -> None:
    """Raises what is wrong with the entry on npu."""
    database, name, dtype = entry
    torch.manual_seed(0)
    RUNNERS[database](name, getattr(torch, dtype), samples)
    torch.npu.synchronize()
