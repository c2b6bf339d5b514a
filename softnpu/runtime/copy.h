// SPDX-License-Identifier: Apache-2.0
// Copies and fills. The addresses say where the memory is; a kind that contradicts them is refused
// by check_kind. Asynchronous forms are nodes; a pageable source is read before they return, and a
// copy into pageable memory has finished when they return. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu::runtime {

class Stream;

/// `rows` rows of `bytes` bytes, `..._pitch` bytes apart. A flat copy has one row.
struct Copy {
  void* dst = nullptr;
  const void* src = nullptr;
  size_t bytes = 0;
  size_t rows = 1;
  size_t dst_pitch = 0;
  size_t src_pitch = 0;
};

enum class CopyKind : uint8_t {  // aclrtMemcpyKind's values
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kDefault,
  kHostToBufferToDevice,
  kInnerDevice,
  kInterDevice,
};
/// Throws ACL_ERROR_RT_PARAM_INVALID when the addresses are not what `kind` says.
void check_kind(const void* dst, const void* src, CopyKind kind);

/// Completes every pending node that touches either side, then copies. Throws a sticky error of the
/// devices involved.
void copy(const Copy& copy);
void copy_async(const Copy& copy, Stream& stream);

/// Sets `bytes` bytes to `value`.
void fill(void* dst, int value, size_t bytes);
void fill_async(void* dst, int value, size_t bytes, Stream& stream);

/// In stream order from here on, nobody reads these bytes before somebody writes them.
void memory_released(void* address, size_t bytes, Stream& stream);

}  // namespace npu::runtime
