# SPDX-License-Identifier: Apache-2.0
# How every room is built: one language level, one set of warnings, one way to name what it may use.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(NPU_CCACHE ccache)
if(NPU_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${NPU_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NPU_CCACHE}")
endif()
find_package(Threads REQUIRED)

add_library(npu_options INTERFACE)
target_compile_options(npu_options INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-gnu-unique)
target_include_directories(npu_options INTERFACE
  "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
if(NPU_SANITIZER)
  target_compile_options(npu_options INTERFACE
    -fsanitize=${NPU_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  if(NPU_SANITIZER STREQUAL "undefined")
    # A client may pass any number as an enum of the C ABI, and must get an error for it. Compilers give
    # such values their meaning unless -fstrict-enums is on; it is not.
    target_compile_options(npu_options INTERFACE -fno-sanitize=enum)
  endif()
  target_link_options(npu_options INTERFACE -fsanitize=${NPU_SANITIZER})
endif()

# npu_room(<name> [USES <room>...]): the static library of one folder of softnpu/, which may include
# only the rooms it names (tools/check_layers.py holds the includes to the same list).
function(npu_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/ops/*.cpp")
  add_library(npu_${name} STATIC ${sources})
  target_link_libraries(npu_${name} PUBLIC npu_options Threads::Threads)
  foreach(used IN LISTS ROOM_USES)
    target_link_libraries(npu_${name} PUBLIC npu_${used})
  endforeach()
endfunction()
