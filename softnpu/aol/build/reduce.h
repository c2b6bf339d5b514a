// SPDX-License-Identifier: Apache-2.0
// Reduction plans.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

using davinci::Reduce;
using davinci::ReduceOp;

struct ReduceOptions {
  double parameter = 0;                // as Reduce::parameter
  DType dtype = DType::kUndefined;     // convert self to this type first
  const aclTensor* indices = nullptr;  // where kMax and kMin along one dimension put positions
};

/// Reduces the dimensions in `mask` (bits) of self into `out`, whose shape is self's without them,
/// or with size 1 there if `keepdim`.
Plan reduce(ReduceOp op, const aclTensor* self, uint32_t mask, bool keepdim, const aclTensor* out,
            const ReduceOptions& options = {});
/// The same over a list of dimensions; null and empty lists mean all.
Plan reduce(ReduceOp op, const aclTensor* self, const aclIntArray* dims, bool keepdim,
            const aclTensor* out, const ReduceOptions& options = {});
Plan reduce_dim(ReduceOp op, const aclTensor* self, int64_t dim, bool keepdim, const aclTensor* out,
                const ReduceOptions& options = {});
Plan reduce_all(ReduceOp op, const aclTensor* self, const aclTensor* out,
                const ReduceOptions& options = {});

/// On views: adds the reduction of `in` to the plan. `out` has the shape as above.
void add_reduce(Plan& plan, ReduceOp op, const TensorView& in, uint32_t mask, bool keepdim,
                const TensorView& out, double parameter = 0, const TensorView& indices = {});

}  // namespace npu::aol
