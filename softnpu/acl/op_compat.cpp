// SPDX-License-Identifier: Apache-2.0
// The aclop interface as far as clients of aclnn still use it: "Identity", and compile options.
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>

#include "acl/acl_op.h"
#include "softnpu/acl/entry.h"
#include "softnpu/acl/tensor_desc.h"
#include "softnpu/base/soc.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/stream.h"

namespace npu::acl {
namespace {

using base::guard;
using base::require;

struct CompileOptions {
  std::mutex mutex;
  std::string values[ACL_OP_DEBUG_OPTION + 1];
};
CompileOptions& compile_options() {
  static auto& options = *[] {  // outlives exit handlers
    auto* made = new CompileOptions;
    // Chips with bfloat16 came with precompiled kernels.
    made->values[ACL_OP_JIT_COMPILE] = base::soc().cube_bf16 > 0 ? "disable" : "enable";
    return made;
  }();
  return options;
}

void check_option(aclCompileOpt opt) {
  require(opt >= ACL_PRECISION_MODE && opt <= ACL_OP_DEBUG_OPTION, ACL_ERROR_INVALID_PARAM,
          "compile option ", static_cast<int>(opt), " does not exist");
}

/// Copies the storage of the only input to the only output, in stream order.
void identity(int inputs, const aclTensorDesc* const* input_descs,
              const aclDataBuffer* const* input, int outputs,
              const aclTensorDesc* const* output_descs, aclDataBuffer* const* output,
              aclrtStream stream) {
  require(inputs == 1 && outputs == 1, ACL_ERROR_OP_INPUT_NOT_MATCH,
          "Identity takes one input and gives one output, got ", inputs, " and ", outputs);
  for (const void* pointer :
       {static_cast<const void*>(input_descs), static_cast<const void*>(input),
        static_cast<const void*>(output_descs), static_cast<const void*>(output)}) {
    require_pointer(pointer, "an array of descriptions or buffers");
  }
  require_pointer(input_descs[0], "inputDesc[0]");
  require_pointer(output_descs[0], "outputDesc[0]");
  const aclTensorDesc &from = *input_descs[0], &to = *output_descs[0];
  require(from.dtype == to.dtype && from.storage_format == to.storage_format &&
              storage_elements(from) == storage_elements(to),
          ACL_ERROR_FEATURE_UNSUPPORTED,
          "the aclop Identity cannot change element type, format or number of elements: type ",
          static_cast<int>(from.dtype), " to ", static_cast<int>(to.dtype), ", format ",
          static_cast<int>(from.storage_format), " to ", static_cast<int>(to.storage_format),
          ", elements ", storage_elements(from), " to ", storage_elements(to));
  const size_t bytes = storage_bytes(from);
  require(bytes <= aclGetDataBufferSizeV2(input[0]) && bytes <= aclGetDataBufferSizeV2(output[0]),
          ACL_ERROR_OP_INPUT_NOT_MATCH, "the buffers hold ", aclGetDataBufferSizeV2(input[0]),
          " and ", aclGetDataBufferSizeV2(output[0]), " bytes, the tensor has ", bytes);
  if (bytes == 0) return;
  runtime::copy_async({.dst = aclGetDataBufferAddr(output[0]),
                       .src = aclGetDataBufferAddr(input[0]),
                       .bytes = bytes},
                      runtime::stream_of(stream));
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclopCompileAndExecute(const char* opType, int numInputs,
                                const aclTensorDesc* const inputDesc[],
                                const aclDataBuffer* const inputs[], int numOutputs,
                                const aclTensorDesc* const outputDesc[],
                                aclDataBuffer* const outputs[], const aclopAttr* attr,
                                aclopEngineType engineType, aclopCompileType compileFlag,
                                const char* opPath, aclrtStream stream) {
  return guard(
      "aclopCompileAndExecute",
      [&] {
        require_pointer(opType, "opType");
        require(std::string_view(opType) == "Identity", ACL_ERROR_FEATURE_UNSUPPORTED, "the aclop ",
                opType, " is unsupported: softnpu computes with aclnn operators");
        identity(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, stream);
      },
      opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, engineType,
      compileFlag, opPath, stream);
}

aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                  aclDataBuffer* inputs[], int numOutputs,
                                  aclTensorDesc* outputDesc[], aclDataBuffer* outputs[],
                                  aclopAttr* attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char* opPath,
                                  aclrtStream stream) {
  // Identity's output has the shape that the client described: nothing to infer.
  return aclopCompileAndExecute(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc,
                                outputs, attr, engineType, compileFlag, opPath, stream);
}

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  return guard(
      "aclSetCompileopt",
      [&] {
        check_option(opt);
        require_pointer(value, "value");
        auto& options = compile_options();
        std::lock_guard lock(options.mutex);
        options.values[opt] = value;
      },
      opt, value);
}

size_t aclGetCompileoptSize(aclCompileOpt opt) {
  size_t size = 0;
  guard(
      "aclGetCompileoptSize",
      [&] {
        check_option(opt);
        auto& options = compile_options();
        std::lock_guard lock(options.mutex);
        size = options.values[opt].size() + 1;
      },
      opt);
  return size;
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
  return guard(
      "aclGetCompileopt",
      [&] {
        check_option(opt);
        require_pointer(value, "value");
        auto& options = compile_options();
        std::lock_guard lock(options.mutex);
        const std::string& text = options.values[opt];
        require(text.size() < length, ACL_ERROR_INVALID_PARAM, "compile option ",
                static_cast<int>(opt), " needs ", text.size() + 1, " bytes, got ", length);
        std::memcpy(value, text.c_str(), text.size() + 1);
      },
      opt, static_cast<const void*>(value), length);
}
