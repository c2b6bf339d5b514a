// SPDX-License-Identifier: Apache-2.0
// Moving elements without looking at them: copies between views of one shape and element size.
#pragma once

#include "softnpu/base/tensor.h"
#include "softnpu/base/workers.h"

namespace npu::davinci {

/// out = in, same dims and dtype; converts through the element-wise kCopy when the dtypes differ.
void copy_view(const base::TensorView& in, const base::TensorView& out, base::Workers& workers);

/// The part [begin, begin + length) of dimension dim, as a view.
base::TensorView slice(const base::TensorView& view, int dim, int64_t begin, int64_t length);

/// dims, strides and dtype of a contiguous view on `data`.
base::TensorView contiguous_view(std::byte* data, base::DType dtype, const int64_t* dims, int rank);

}  // namespace npu::davinci
