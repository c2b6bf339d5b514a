// SPDX-License-Identifier: Apache-2.0
// What is not implemented says so by name; what is implemented refuses null arguments.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "aclnnop/aclnn_base.h"

namespace {

// Enough zeros for any of the functions below: pointers, numbers and sizes alike.
using AnyFunction = int (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                            void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                            void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);
int call_with_zeros(const char* name) {
  auto* function = reinterpret_cast<AnyFunction>(dlsym(RTLD_DEFAULT, name));
  EXPECT_NE(function, nullptr) << name;
  if (function == nullptr) return 0;
  return function(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, nullptr);
}

std::string recent_error() {
  const char* text = aclGetRecentErrMsg();
  return text != nullptr ? text : "";
}

TEST(Refusal, FunctionsThatSoftnpuLacksNameThemselves) {
  for (const char* name : {
#define REFUSED(name) #name,
#include "refused_functions.inc"
       }) {
    recent_error();
    EXPECT_EQ(call_with_zeros(name), ACL_ERROR_FEATURE_UNSUPPORTED) << name;
    const std::string text = recent_error();
    EXPECT_TRUE(text.starts_with(std::string(name) + ": unsupported")) << name << ": " << text;
  }
  EXPECT_EQ(aclCreateGraphDumpOpt(), nullptr);
  EXPECT_EQ(aclprofCreateConfig(nullptr, 0, ACL_AICORE_NONE, nullptr, 0), nullptr);
}

TEST(Refusal, EveryOperatorAnswersNullArgumentsWithAnErrorThatNamesIt) {
  for (const char* name : {
#define ACLNN_NAME(name) #name,
#include "softnpu/cann/official_names.inc"
       }) {
    recent_error();
    const int code = call_with_zeros((std::string(name) + "GetWorkspaceSize").c_str());
    EXPECT_TRUE(code == ACLNN_ERR_PARAM_NULLPTR || code == ACLNN_ERR_PARAM_INVALID)
        << name << " answered " << code;
    EXPECT_NE(recent_error().find(name), std::string::npos) << name;

    EXPECT_NE(call_with_zeros(name), ACLNN_SUCCESS) << name << " launched without an executor";
    EXPECT_NE(recent_error().find(name), std::string::npos) << name;
  }
}

}  // namespace
