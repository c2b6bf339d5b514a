// SPDX-License-Identifier: Apache-2.0
// Gather, scatter and advanced-indexing plans.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

/// Slices of self along dim, chosen by an index of any rank in its place.
Plan index_select(const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* out);
/// self[indices...]: null and placeholder entries are whole dimensions.
Plan index(const aclTensor* self, const aclTensorList* indices, const aclTensor* out);
Plan index_put(const aclTensor* self, const aclTensorList* indices, const aclTensor* values,
               bool accumulate);
/// self[..., index[i], ...] along dim = or += source[..., i, ...]; `out` first becomes self if it
/// is another tensor.
Plan index_along(const aclTensor* self, int64_t dim, const aclTensor* index, const Input& source,
                 bool accumulate, const Scalar& alpha, const aclTensor* out);

Plan gather(const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* out);
/// `source` is a tensor or a number; reduce: 0 replace, 1 add, 2 multiply.
Plan scatter(const aclTensor* self, int64_t dim, const aclTensor* index, const Input& source,
             int64_t reduce, const aclTensor* out);

}  // namespace npu::aol
