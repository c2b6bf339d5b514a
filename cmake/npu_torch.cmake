# SPDX-License-Identifier: Apache-2.0
# Torch as the interpreter imports it: npu_torch_cpu (ATen) and npu_torch_python (the Python side).
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)  # in every folder that asks
if(TARGET npu_torch_cpu)
  return()
endif()
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
    "import torch; print(torch.__path__[0], torch.__version__, int(torch.compiled_with_cxx11_abi()), sep=';')"
  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(GET answer 0 torch_dir)
list(GET answer 1 torch_version)
list(GET answer 2 torch_cxx11_abi)
if(NOT torch_version MATCHES "^2\\.13\\.")
  message(FATAL_ERROR "torch 2.13 is needed, ${Python_EXECUTABLE} has ${torch_version}")
endif()
message(STATUS "torch ${torch_version} in ${torch_dir}")

add_library(npu_torch_cpu INTERFACE)
target_include_directories(npu_torch_cpu SYSTEM INTERFACE
  "${torch_dir}/include" "${torch_dir}/include/torch/csrc/api/include")
target_compile_definitions(npu_torch_cpu INTERFACE _GLIBCXX_USE_CXX11_ABI=${torch_cxx11_abi})
target_link_libraries(npu_torch_cpu INTERFACE
  "${torch_dir}/lib/libc10.so" "${torch_dir}/lib/libtorch_cpu.so" "${torch_dir}/lib/libtorch.so")

add_library(npu_torch_python INTERFACE)
target_link_libraries(npu_torch_python INTERFACE npu_torch_cpu "${torch_dir}/lib/libtorch_python.so")
