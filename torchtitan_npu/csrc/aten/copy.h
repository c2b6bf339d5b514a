// SPDX-License-Identifier: Apache-2.0
// Bytes between the host and npu devices, ordered by the current stream.
#pragma once

#include <ATen/core/Tensor.h>

namespace torchtitan_npu {

/// The value of a tensor with one element; waits for the stream.
at::Scalar read_scalar(const at::Tensor& self);

/// An index tensor on the device of `self`, with a type that index operators take.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

}  // namespace torchtitan_npu
