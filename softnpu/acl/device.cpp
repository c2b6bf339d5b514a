// SPDX-License-Identifier: Apache-2.0
// Devices: choice, attributes, waiting, peers, core limits.
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/base/soc.h"
#include "softnpu/runtime/context.h"
#include "softnpu/runtime/device.h"

namespace npu::acl {
namespace {

using base::fail;
using base::guard;
using base::require;
using runtime::device_at;

int64_t attribute(runtime::Device& device, aclrtDevAttr attr) {
  const base::Soc& soc = device.soc();
  switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      return soc.ai_cpus;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
      return soc.ai_cores;
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      return soc.cube_cores;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      return soc.vector_cores;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
      return soc.ub_bytes;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      return static_cast<int64_t>(device.memory().total);
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      return soc.l2_bytes;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      return device.physical_id();
    case ACL_DEV_ATTR_IS_VIRTUAL:
      return 0;
  }
  fail(ACL_ERROR_INVALID_PARAM, "device attribute ", static_cast<int>(attr),
       " is not one that softnpu knows");
}

/// Cores of the chip: softnpu shares its threads by itself and lets nobody limit them.
uint32_t cores(const base::Soc& soc, aclrtDevResLimitType type) {
  switch (type) {
    case ACL_RT_DEV_RES_CUBE_CORE:
      return static_cast<uint32_t>(soc.cube_cores);
    case ACL_RT_DEV_RES_VECTOR_CORE:
      return static_cast<uint32_t>(soc.vector_cores);
  }
  fail(ACL_ERROR_INVALID_PARAM, "core type ", static_cast<int>(type),
       " does not exist; valid ones are 0 (cube) and 1 (vector)");
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclrtGetDeviceCount(uint32_t* count) {
  return guard(
      "aclrtGetDeviceCount",
      [&] {
        require_pointer(count, "count");
        npu::runtime::require_usable();
        *count = static_cast<uint32_t>(npu::runtime::device_count());
      },
      count);
}

aclError aclrtSetDevice(int32_t deviceId) {
  return guard("aclrtSetDevice", [&] { npu::runtime::set_device(deviceId); }, deviceId);
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return guard(
      "aclrtGetDevice",
      [&] {
        require_pointer(deviceId, "deviceId");
        *deviceId = npu::runtime::current_device().id();
      },
      deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
  return guard("aclrtResetDevice", [&] { npu::runtime::reset_device(deviceId, false); }, deviceId);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return guard(
      "aclrtResetDeviceForce", [&] { npu::runtime::reset_device(deviceId, true); }, deviceId);
}

aclError aclrtSynchronizeDevice() {
  return guard("aclrtSynchronizeDevice", [] { npu::runtime::current_device().synchronize(); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return guard(
      "aclrtSynchronizeDeviceWithTimeout",
      [&] {
        auto& device = npu::runtime::current_device();
        require(device.synchronize(npu::runtime::timeout_of(timeout)),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "device ", device.id(), " still has work after ",
                timeout, " ms");
      },
      timeout);
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return guard(
      "aclrtGetRunMode",
      [&] {
        require_pointer(runMode, "runMode");
        *runMode = ACL_HOST;
      },
      runMode);
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return guard(
      "aclrtGetDeviceInfo",
      [&] {
        require_pointer(value, "value");
        *value = attribute(device_at(static_cast<int>(deviceId)), attr);
      },
      deviceId, attr, value);
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return guard(
      "aclrtGetDeviceUtilizationRate",
      [&] {
        require_pointer(utilizationInfo, "utilizationInfo");
        auto& device = device_at(deviceId);
        const auto memory = device.memory();
        // One executor stands for all cores.
        const int busy = device.utilization();
        utilizationInfo->cubeUtilization = busy;
        utilizationInfo->vectorUtilization = busy;
        utilizationInfo->aicpuUtilization = 0;
        utilizationInfo->memoryUtilization =
            memory.total == 0
                ? 0
                : static_cast<int32_t>((memory.total - memory.free) * 100 / memory.total);
        utilizationInfo->utilizationExtend = nullptr;
      },
      deviceId, utilizationInfo);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  return guard(
      "aclrtDeviceGetUuid",
      [&] {
        require_pointer(uuid, "uuid");
        // The same for every process of the machine, as processes compare it.
        static_assert(sizeof(uuid->bytes) == 16);
        std::memcpy(uuid->bytes, "softnpu-device\0\0", 16);
        const int id = device_at(deviceId).physical_id();
        uuid->bytes[14] = static_cast<char>(id >> 8);
        uuid->bytes[15] = static_cast<char>(id);
      },
      deviceId, uuid);
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return guard(
      "aclrtDeviceGetBareTgid",
      [&] {
        require_pointer(pid, "pid");
        *pid = getpid();
      },
      pid);
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
  return guard(
      "aclrtGetLogicDevIdByUserDevId",
      [&] {
        require_pointer(logicDevId, "logicDevId");
        *logicDevId = device_at(userDevid).physical_id();
      },
      userDevid, logicDevId);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
  return guard(
      "aclrtDeviceTaskAbort",
      [&] {
        auto& device = device_at(deviceId);
        require(device.abort(std::chrono::milliseconds(timeout)), ACL_ERROR_RT_TIMEOUT, "device ",
                deviceId, " still runs an operator after ", timeout, " ms");
      },
      deviceId, timeout);
}

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return guard(
      "aclrtDeviceCanAccessPeer",
      [&] {
        require_pointer(canAccessPeer, "canAccessPeer");
        device_at(deviceId);
        device_at(peerDeviceId);
        *canAccessPeer = deviceId != peerDeviceId;
      },
      canAccessPeer, deviceId, peerDeviceId);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return guard(
      "aclrtDeviceEnablePeerAccess",
      [&] {
        require(flags == 0, ACL_ERROR_INVALID_PARAM, "flags must be 0, got ", flags);
        const int current = npu::runtime::current_device().id();
        require(device_at(peerDeviceId).id() != current, ACL_ERROR_INVALID_PARAM, "device ",
                peerDeviceId, " is the current device, not a peer of it");
      },
      peerDeviceId, flags);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return guard("aclrtDeviceDisablePeerAccess", [&] { device_at(peerDeviceId); }, peerDeviceId);
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  return guard(
      "aclrtGetDeviceResLimit",
      [&] {
        require_pointer(value, "value");
        *value = cores(device_at(deviceId).soc(), type);
      },
      deviceId, type, value);
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  return unsupported("aclrtSetDeviceResLimit", "core limits", deviceId, type, value);
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return guard("aclrtResetDeviceResLimit", [&] { device_at(deviceId); }, deviceId);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return guard(
      "aclrtGetResInCurrentThread",
      [&] {
        require_pointer(value, "value");
        *value = cores(npu::runtime::current_device().soc(), type);
      },
      type, value);
}
