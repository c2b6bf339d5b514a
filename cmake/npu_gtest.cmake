# SPDX-License-Identifier: Apache-2.0
# GoogleTest: the installed package (Debian's libgtest-dev) where there is one, else its source.
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  include(FetchContent)
  FetchContent_Declare(googletest URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz)
  set(INSTALL_GTEST OFF)
  FetchContent_MakeAvailable(googletest)
endif()
include(GoogleTest)

# npu_test(<name> <libraries>...): one test executable from the *_test.cpp files of the current folder.
function(npu_test name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources} "${PROJECT_SOURCE_DIR}/tests/own_devices.cpp")
  target_link_libraries(${name} PRIVATE ${ARGN} npu_options GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120)
endfunction()
