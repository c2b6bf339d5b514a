// SPDX-License-Identifier: Apache-2.0
// Which names the libraries export: all that is declared or linked to, and nothing else.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "aclnnop/aclnnop.h"
#include "hccl/hccl_types.h"
#include "softnpu.h"

namespace {

struct Function {
  const char* name;
  const void* address;
};
const Function kDeclared[] = {
#define DECLARED(name) {#name, reinterpret_cast<const void*>(&name)},
#include "declared_functions.inc"
};

const char* const kLinked[] = {
#define LINKED(name) #name,
#include "link_time_symbols.inc"
};

const char* const kOfficialOperators[] = {
#define ACLNN_NAME(name) #name,
#include "softnpu/cann/official_names.inc"
};

std::string library(const char* name) { return std::string(NPU_CANN_LIBRARIES "/") + name; }

std::set<std::string> exported() {
  std::set<std::string> names;
  const std::string command = NPU_NM " -D --defined-only " + library("libsoftnpu.so");
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char line[4096], name[2048];
  while (pipe && std::fgets(line, sizeof(line), pipe.get()) != nullptr) {
    if (std::sscanf(line, "%*s %*s %2047s", name) == 1) names.insert(name);
  }
  return names;
}

TEST(Symbols, EveryDeclaredFunctionExistsAndIsFoundByName) {
  void* handle = dlopen(library("libascendcl.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_GT(std::size(kDeclared), 1000u);
  for (const Function& function : kDeclared) {
    EXPECT_EQ(dlsym(handle, function.name), function.address) << function.name;
  }
  dlclose(handle);
}

TEST(Symbols, EveryLibraryWithCannsNameReachesTheSameFunctions) {
  for (const char* name :
       {"libascendcl.so", "libopapi.so", "libhccl.so", "libnnopbase.so", "libge_runner.so",
        "libgraph.so", "libacl_op_compiler.so", "libacl_tdt_channel.so", "libruntime.so"}) {
    void* handle = dlopen(library(name).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    EXPECT_EQ(dlsym(handle, "aclrtMalloc"), reinterpret_cast<void*>(&aclrtMalloc)) << name;
    EXPECT_EQ(dlsym(handle, "aclnnAdd"), reinterpret_cast<void*>(&aclnnAdd)) << name;
    dlclose(handle);
  }
}

TEST(Symbols, WhatTheOfficialAdapterLinksToOrLooksUpIsExported) {
  const auto names = exported();
  for (const char* name : kLinked) EXPECT_TRUE(names.contains(name)) << name;
  for (const char* name : kOfficialOperators) {
    EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_TRUE(names.contains(std::string(name) + "GetWorkspaceSize")) << name;
  }
}

TEST(Symbols, NothingElseIsExported) {
  std::set<std::string> known(std::begin(kLinked), std::end(kLinked));
  for (const Function& function : kDeclared) known.insert(function.name);
  for (const char* name : kOfficialOperators) {
    known.insert(name);
    known.insert(std::string(name) + "GetWorkspaceSize");
  }
  for (const std::string& name : exported()) {
    EXPECT_TRUE(known.contains(name)) << name << " is exported, but nothing declares it";
  }
}

}  // namespace
