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
/// reduce: as scatter's, 3 max, 4 min, 5 mean. Unless `include_self`, elements that are reduced
/// into start from nothing.
Plan scatter_reduce(const aclTensor* self, int64_t dim, const aclTensor* index,
                    const aclTensor* src, int64_t reduce, bool include_self, const aclTensor* out);
/// Elements by their position in self's row-major order = or += source.
Plan put(const aclTensor* self, const aclTensor* index, const aclTensor* source, bool accumulate);

}  // namespace npu::aol
