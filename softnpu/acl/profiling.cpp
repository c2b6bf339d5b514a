// SPDX-License-Identifier: Apache-2.0
// Reports that a framework hands to the profiler. No session can be started yet, so they are
// dropped, as on the card outside a session.
#include <chrono>
#include <string_view>

#include "acl/acl_prof.h"
#include "softnpu/acl/entry.h"

using npu::acl::require_pointer;
using npu::acl::unsupported;
using npu::base::guard;

int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle) {
  return guard(
      "MsprofRegisterCallback",
      [&] { require_pointer(reinterpret_cast<const void*>(handle), "handle"); }, moduleId, handle);
}

int32_t MsprofReportApi(uint32_t nonPersistantFlag, const struct MsprofApi* api) {
  return guard("MsprofReportApi", [&] { require_pointer(api, "api"); }, nonPersistantFlag, api);
}

int32_t MsprofReportCompactInfo(uint32_t nonPersistantFlag, void* const data, uint32_t length) {
  return guard(
      "MsprofReportCompactInfo", [&] { require_pointer(data, "data"); }, nonPersistantFlag, data,
      length);
}

int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag, void* const data, uint32_t length) {
  return guard(
      "MsprofReportAdditionalInfo", [&] { require_pointer(data, "data"); }, nonPersistantFlag, data,
      length);
}

uint64_t MsprofGetHashId(const char* hashInfo, size_t length) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a: the same text has the same number everywhere
  if (hashInfo == nullptr) return 0;
  for (char c : std::string_view(hashInfo, length)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return hash;
}

uint64_t MsprofSysCycleTime() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                               std::chrono::nanoseconds(1));
}

aclError aclprofInit(const char* profilerResultPath, size_t length) {
  return unsupported("aclprofInit", "profiling sessions",
                     static_cast<const void*>(profilerResultPath), length);
}

aclError aclprofFinalize() { return unsupported("aclprofFinalize", "profiling sessions"); }

aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents* aicoreEvents,
                                   uint64_t dataTypeConfig) {
  unsupported("aclprofCreateConfig", "profiling sessions", deviceIdList, deviceNums, aicoreMetrics,
              aicoreEvents, dataTypeConfig);
  return nullptr;
}

aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig) {
  return unsupported("aclprofDestroyConfig", "profiling sessions", profilerConfig);
}

aclError aclprofStart(const aclprofConfig* profilerConfig) {
  return unsupported("aclprofStart", "profiling sessions", profilerConfig);
}

aclError aclprofStop(const aclprofConfig* profilerConfig) {
  return unsupported("aclprofStop", "profiling sessions", profilerConfig);
}

aclError aclprofMarkEx(const char* msg, size_t msgLen, aclrtStream stream) {
  return unsupported("aclprofMarkEx", "profiling sessions", static_cast<const void*>(msg), msgLen,
                     stream);
}
