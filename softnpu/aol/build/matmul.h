// SPDX-License-Identifier: Apache-2.0
// Matrix product plans.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

/// cubeMathType says how much precision the cube may give up; softnpu gives up none. Throws for
/// values that CANN does not have.
void check_cube_math_type(int8_t cube_math_type);

/// out = alpha * a @ b + beta * c on views of rank 3 [B, M, K] and [B, K, N]; a batch of 1
/// broadcasts; c is undefined or broadcasts to out. Adds to the plan.
void add_matmul(Plan& plan, const TensorView& a, const TensorView& b, const TensorView& c,
                const TensorView& out, double alpha, double beta);

/// PyTorch's matmul: vectors, matrices and broadcast batches of matrices.
Plan matmul(const aclTensor* self, const aclTensor* mat2, const aclTensor* out, int8_t math);
/// Matrices of exactly `rank` dimensions (2: mm, 3: bmm), with c and factors.
Plan addmm(int rank, const aclTensor* self, const aclTensor* mat1, const aclTensor* mat2,
           const aclScalar* beta, const aclScalar* alpha, const aclTensor* out, int8_t math);

}  // namespace npu::aol
