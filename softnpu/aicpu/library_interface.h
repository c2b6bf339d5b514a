// SPDX-License-Identifier: Apache-2.0
// What libsoftnpu and libsoftnpu_aicpu say to each other. Plain values and C functions: the two are
// built together, but only the second one knows ATen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "softnpu/base/tensor.h"

namespace npu::aicpu {

/// An argument of an ATen operator, or a tensor that takes one of its results.
struct AtenValue {
  enum class Kind : uint8_t {
    kNone,     // null: an absent optional argument
    kTensor,   // tensors[0]
    kTensors,  // a list; undefined views are absent elements
    kScalar,   // scalar: for Scalar, int, float and bool parameters
    kInts,     // integers
    kFloats,   // floats
    kBools,    // bools
    kText,     // text
    kDtype,    // dtype
  };
  Kind kind = Kind::kNone;
  base::DType dtype = base::DType::kUndefined;
  base::Scalar scalar;
  base::TensorView* tensors = nullptr;
  const int64_t* integers = nullptr;
  const float* floats = nullptr;
  const uint8_t* bools = nullptr;
  const char* text = nullptr;
  size_t count = 0;            // of tensors, integers, floats or bools
  int64_t capacity_bytes = 0;  // memory behind a tensor that takes a result of any shape
};

constexpr size_t kMessageBytes = 2048;

/// The function table of libsoftnpu_aicpu. Every function returns false after writing why.
struct Library {
  /// An operator by its overload's full name ("aten::erfinv.out"). Lives as long as the process.
  bool (*find)(const char* overload, const void** operation, char* message);
  /// Which of `count` values are written: by the schema, and the last ones, beyond its arguments,
  /// which take the results. Sets `writes[i]`.
  bool (*writes)(const void* operation, size_t count, bool* writes, char* message);
  /// Runs it on the thread of AI CPU and waits. Shapes of tensors that took results are updated.
  /// wide: half precision is computed with as float32 and rounded once, int32 as int64; inputs are
  /// contiguous.
  bool (*run)(const void* operation, AtenValue* values, size_t count, bool wide, char* message);
};

/// Name and type of the one function that the library exports; null with a message if the torch in
/// the process is not the one it was built for.
constexpr const char* kEntry = "softnpu_aicpu_library";
using Entry = const Library* (*)(char* message);

}  // namespace npu::aicpu
