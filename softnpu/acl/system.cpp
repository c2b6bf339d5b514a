// SPDX-License-Identifier: Apache-2.0
// Start and end of the interface, versions, the chip's name and capabilities, system parameters.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "acl/acl.h"
#include "softnpu/acl/entry.h"
#include "softnpu/acl/version.h"
#include "softnpu/base/options.h"
#include "softnpu/base/soc.h"
#include "softnpu/runtime/context.h"
#include "softnpu/runtime/device.h"

namespace npu::acl {
namespace {

using base::fail;
using base::guard;
using base::require;

/// Chips with bfloat16 came with inf/nan arithmetic and precompiled kernels as well.
bool has_bfloat16() { return base::soc().cube_bf16 > 0; }

constexpr int kParameters = ACL_OPT_ENABLE_KERNEL_EARLY_START + 1;
using Parameters = std::array<std::optional<int64_t>, kParameters>;

struct SystemParameters {
  std::mutex mutex;
  std::array<int64_t, kParameters> process{};  // 0, off, until set
  std::map<void*, Parameters> contexts;        // by handle; handles are never reused
};
SystemParameters& system_parameters() {
  static auto& parameters = *new SystemParameters;  // outlives exit handlers
  return parameters;
}

size_t checked(aclSysParamOpt opt) {
  require(opt >= 0 && opt < kParameters, ACL_ERROR_INVALID_PARAM, "system parameter ",
          static_cast<int>(opt), " does not exist; valid ones are 0 to ", kParameters - 1);
  return static_cast<size_t>(opt);
}

std::atomic<int> saturation_mode{-1};  // -1: not set, the chip's own

void check_saturation(aclrtFloatOverflowMode mode) {
  require(mode == ACL_RT_OVERFLOW_MODE_SATURATION || mode == ACL_RT_OVERFLOW_MODE_INFNAN,
          ACL_ERROR_INVALID_PARAM, "overflow mode ", static_cast<int>(mode),
          " does not exist; valid ones are 0 (saturation) and 1 (inf and nan)");
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclInit(const char* configPath) {
  return guard(
      "aclInit",
      [&] {
        if (configPath != nullptr && *configPath != '\0') {
          std::FILE* file = std::fopen(configPath, "r");
          require(file != nullptr, ACL_ERROR_INVALID_FILE, "cannot read the configuration ",
                  configPath, ": ", std::strerror(errno));
          std::fclose(file);
        }
        npu::runtime::initialize();
      },
      configPath);
}

aclError aclFinalize() {
  return guard("aclFinalize", [] { npu::runtime::finalize(); });
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return guard(
      "aclrtGetVersion",
      [&] {
        require_pointer(majorVersion, "majorVersion");
        require_pointer(minorVersion, "minorVersion");
        require_pointer(patchVersion, "patchVersion");
        *majorVersion = kInterfaceMajor;
        *minorVersion = kInterfaceMinor;
        *patchVersion = kInterfacePatch;
      },
      majorVersion, minorVersion, patchVersion);
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return guard(
      "aclsysGetCANNVersion",
      [&] {
        require_pointer(version, "version");
        require(name >= ACL_PKG_NAME_CANN && name <= ACL_PKG_NAME_DRIVER, ACL_ERROR_INVALID_PARAM,
                "package ", static_cast<int>(name), " does not exist");
        std::memset(version, 0, sizeof(*version));
        std::snprintf(version->version, sizeof(version->version), "%s", kCannVersion);
        std::snprintf(version->majorVersion, sizeof(version->majorVersion), "%d", kCannMajor);
        std::snprintf(version->minorVersion, sizeof(version->minorVersion), "%d", kCannMinor);
        std::snprintf(version->releaseVersion, sizeof(version->releaseVersion), "%d", kCannPatch);
      },
      name, version);
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return guard(
      "aclsysGetVersionStr",
      [&] {
        require_pointer(pkgName, "pkgName");
        require_pointer(versionStr, "versionStr");
        std::snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%s", kCannVersion);
      },
      pkgName, static_cast<const void*>(versionStr));
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return guard(
      "aclsysGetVersionNum",
      [&] {
        require_pointer(pkgName, "pkgName");
        require_pointer(versionNum, "versionNum");
        *versionNum = kCannVersionNumber;
      },
      pkgName, versionNum);
}

const char* aclrtGetSocName() {
  const char* name = nullptr;
  guard("aclrtGetSocName", [&] {
    require(npu::base::options().error.empty(), ACL_ERROR_RT_SOC_VERSION,
            npu::base::options().error);
    name = npu::base::soc().name;
  });
  return name;
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  static constexpr aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16,
                                                ACL_CANN_ATTR_JIT_COMPILE};
  return guard(
      "aclGetCannAttributeList",
      [&] {
        require_pointer(cannAttrList, "cannAttrList");
        require_pointer(num, "num");
        *cannAttrList = kAttributes;
        *num = std::size(kAttributes);
      },
      cannAttrList, num);
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return guard(
      "aclGetCannAttribute",
      [&] {
        require_pointer(value, "value");
        switch (cannAttr) {
          case ACL_CANN_ATTR_INF_NAN:
          case ACL_CANN_ATTR_BF16:
            *value = has_bfloat16();
            return;
          case ACL_CANN_ATTR_JIT_COMPILE:
            *value = !has_bfloat16();
            return;
          default:
            fail(ACL_ERROR_INVALID_PARAM, "attribute ", static_cast<int>(cannAttr),
                 " does not exist; aclGetCannAttributeList gives the valid ones");
        }
      },
      cannAttr, value);
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return guard(
      "aclGetDeviceCapability",
      [&] {
        require_pointer(value, "value");
        const auto& soc = npu::runtime::device_at(static_cast<int>(deviceId)).soc();
        switch (deviceInfo) {
          case ACL_DEVICE_INFO_AI_CORE_NUM:
            *value = soc.ai_cores;
            return;
          case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
            *value = soc.vector_cores;
            return;
          case ACL_DEVICE_INFO_L2_SIZE:
            *value = soc.l2_bytes;
            return;
          default:
            fail(ACL_ERROR_INVALID_PARAM, "device capability ", static_cast<int>(deviceInfo),
                 " does not exist");
        }
      },
      deviceId, deviceInfo, value);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return guard(
      "aclrtGetSysParamOpt",
      [&] {
        require_pointer(value, "value");
        const size_t index = checked(opt);
        auto& all = system_parameters();
        std::lock_guard lock(all.mutex);
        *value = all.process[index];
      },
      opt, value);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return guard(
      "aclrtSetSysParamOpt",
      [&] {
        const size_t index = checked(opt);
        auto& all = system_parameters();
        std::lock_guard lock(all.mutex);
        all.process[index] = value;
      },
      opt, value);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return guard(
      "aclrtCtxGetSysParamOpt",
      [&] {
        require_pointer(value, "value");
        const size_t index = checked(opt);
        void* context = npu::runtime::current_context();
        auto& all = system_parameters();
        std::lock_guard lock(all.mutex);
        const auto& own = all.contexts[context][index];
        require(own.has_value(), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "system parameter ", index,
                " has not been set for this context");
        *value = *own;
      },
      opt, value);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return guard(
      "aclrtCtxSetSysParamOpt",
      [&] {
        const size_t index = checked(opt);
        void* context = npu::runtime::current_context();
        auto& all = system_parameters();
        std::lock_guard lock(all.mutex);
        all.contexts[context][index] = value;
      },
      opt, value);
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return guard(
      "aclrtSetDeviceSatMode",
      [&] {
        check_saturation(mode);
        // Kernels compute with inf and nan, as the chips that know both modes do by default.
        require(mode == ACL_RT_OVERFLOW_MODE_INFNAN || !has_bfloat16(),
                ACL_ERROR_FEATURE_UNSUPPORTED, "saturation mode is unsupported on ",
                npu::base::soc().name, ": softnpu computes with inf and nan");
        saturation_mode = mode;
      },
      mode);
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return guard(
      "aclrtGetDeviceSatMode",
      [&] {
        require_pointer(mode, "mode");
        const int set = saturation_mode;
        *mode = set >= 0 ? static_cast<aclrtFloatOverflowMode>(set)
                         : (has_bfloat16() ? ACL_RT_OVERFLOW_MODE_INFNAN
                                           : ACL_RT_OVERFLOW_MODE_SATURATION);
      },
      mode);
}

// Operators end by themselves and every event that a stream waits for is recorded in this process:
// the limits are accepted and never reached.
aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  return guard("aclrtSetOpWaitTimeout", [] {}, timeout);
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  return guard("aclrtSetOpExecuteTimeOut", [] {}, timeout);
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  return guard(
      "aclrtSetOpExecuteTimeOutV2",
      [&] {
        require_pointer(actualTimeout, "actualTimeout");
        *actualTimeout = timeout;
      },
      timeout, actualTimeout);
}
