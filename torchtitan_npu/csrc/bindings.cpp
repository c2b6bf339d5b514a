// SPDX-License-Identifier: Apache-2.0
// torchtitan_npu._C: what the Python side needs beyond torch.accelerator, one line each. The only
// file that sees Python.
#include <Python.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sys/syscall.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "torchtitan_npu/csrc/aten/op_table.h"
#include "torchtitan_npu/csrc/core/allocator.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/generator.h"
#include "torchtitan_npu/csrc/core/host_allocator.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/options.h"
#include "torchtitan_npu/csrc/core/stream.h"
#include "torchtitan_npu/csrc/core/wait.h"

namespace py = pybind11;

namespace torchtitan_npu {
namespace {

using NoGil = py::call_guard<py::gil_scoped_release>;

void* release_interpreter() {
  return Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr;
}
void reacquire_interpreter(void* state) {
  PyEval_RestoreThread(static_cast<PyThreadState*>(state));
}

// Only the main thread handles signals; others must not touch the lock while they wait.
void check_signals() {
  if (!Py_IsInitialized() || syscall(SYS_gettid) != getpid()) return;
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

py::dict cann_info() {
  const CannInfo& info = cann();
  py::dict result;
  result["library_folder"] = info.library_folder;
  result["version"] = info.version;
  result["bundled"] = info.bundled;
  result["note"] = info.note;
  return result;
}

// (stream_id, device_index, device_type), the arguments of torch.Stream.
py::tuple stream_parts(const NPUStream& stream) {
  return py::make_tuple(stream.id(), static_cast<int>(stream.device_index()),
                        static_cast<int>(stream.device().type()));
}

py::list snapshot_segments() {
  py::list segments;
  for (const auto& segment : memory_snapshot()) {
    py::list blocks;
    size_t address = segment.address;
    for (const auto& block : segment.blocks) {
      const char* state = block.allocated ? "active_allocated"
                          : block.active  ? "active_pending_free"
                                          : "inactive";
      py::dict entry;
      entry["address"] = address;
      entry["size"] = block.size;
      entry["requested_size"] = block.requested_size;
      entry["state"] = state;
      blocks.append(entry);
      address += block.size;
    }
    py::dict entry;
    entry["device"] = static_cast<int>(segment.device);
    entry["address"] = segment.address;
    entry["total_size"] = segment.total_size;
    entry["allocated_size"] = segment.allocated_size;
    entry["active_size"] = segment.active_size;
    entry["requested_size"] = segment.requested_size;
    entry["stream"] = reinterpret_cast<uintptr_t>(segment.stream);
    entry["segment_type"] = segment.is_large ? "large" : "small";
    entry["blocks"] = blocks;
    segments.append(entry);
  }
  return segments;
}

void bind_options(py::module_& module) {
  py::enum_<FallbackMode>(module, "FallbackMode")
      .value("error", FallbackMode::kError)
      .value("warn", FallbackMode::kWarn)
      .value("silent", FallbackMode::kSilent);
  py::class_<Options>(module, "Options")
      .def(py::init<>())
      .def_readwrite("cann", &Options::cann)
      .def_readwrite("bundled_cann", &Options::bundled_cann)
      .def_readwrite("ascend_home", &Options::ascend_home)
      .def_readwrite("allocator", &Options::allocator)
      .def_readwrite("fallback", &Options::fallback)
      .def_readwrite("launch_blocking", &Options::launch_blocking)
      .def_readwrite("compact_errors", &Options::compact_errors)
      .def_readwrite("rank", &Options::rank)
      .def_readwrite("problem", &Options::problem);
  module.def("_options", &options);
  module.def("_set_options", &set_options);
}

void bind_device_functions(py::module_& module) {
  py::class_<DeviceProperties>(module, "_NPUDeviceProperties")
      .def_readonly("name", &DeviceProperties::name)
      .def_readonly("total_memory", &DeviceProperties::total_memory)
      .def_readonly("L2_cache_size", &DeviceProperties::l2_cache_size)
      .def_readonly("cube_core_num", &DeviceProperties::cube_core_num)
      .def_readonly("vector_core_num", &DeviceProperties::vector_core_num)
      .def_readonly("aicpu_core_num", &DeviceProperties::aicpu_core_num)
      .def("__repr__", [](const DeviceProperties& self) {
        return "_NPUDeviceProperties(name='" + self.name +
               "', total_memory=" + std::to_string(self.total_memory / (1024 * 1024)) +
               "MB, cube_core_num=" + std::to_string(self.cube_core_num) +
               ", vector_core_num=" + std::to_string(self.vector_core_num) +
               ", L2_cache_size=" + std::to_string(self.l2_cache_size / (1024 * 1024)) + "MB)";
      });
  module.def("_cann_info", &cann_info);
  module.def("_why_unavailable", &why_unavailable, NoGil());
  module.def("_init", [] { bind_device(); }, NoGil());
  module.def("_is_initialized", &is_initialized);
  module.def("_is_in_bad_fork", &in_bad_fork);
  module.def("_device_count", [] { return static_cast<int>(device_count()); }, NoGil());
  module.def("_current_device", [] { return static_cast<int>(current_device()); });
  module.def(
      "_set_device",
      [](int device) {
        set_device(static_cast<c10::DeviceIndex>(device));
        bind_device();
      },
      NoGil());
  module.def("_exchange_device", [](int device) {
    return static_cast<int>(maybe_exchange_device(static_cast<c10::DeviceIndex>(device)));
  });
  module.def(
      "_synchronize", [](int device) { synchronize_device(static_cast<c10::DeviceIndex>(device)); },
      NoGil());
  module.def(
      "_device_properties",
      [](int device) { return device_properties(static_cast<c10::DeviceIndex>(device)); }, NoGil());
  module.def("_is_bf16_supported", &supports_bfloat16, NoGil());
  module.def(
      "_can_access_peer",
      [](int device, int peer) {
        return can_access_peer(static_cast<c10::DeviceIndex>(device),
                               static_cast<c10::DeviceIndex>(peer));
      },
      NoGil());
}

void bind_stream_functions(py::module_& module) {
  module.def("_default_stream", [](int device) {
    return stream_parts(default_stream(static_cast<c10::DeviceIndex>(device)));
  });
  module.def("_external_stream", [](uintptr_t handle, int device) {
    return stream_parts(stream_from_external(reinterpret_cast<aclrtStream>(handle),
                                             static_cast<c10::DeviceIndex>(device)));
  });
  module.def("_stream_priority", [](c10::StreamId id, int device) {
    return NPUStream(c10::Stream(c10::Stream::UNSAFE,
                                 c10::Device(kNpu, static_cast<c10::DeviceIndex>(device)), id))
        .priority();
  });
}

py::dict host_stats() {
  const at::HostStats stats = host_allocator()->get_stats();
  const auto entry = [](const c10::CachingAllocator::Stat& stat) {
    py::dict values;
    values["current"] = stat.current;
    values["peak"] = stat.peak;
    values["allocated"] = stat.allocated;
    values["freed"] = stat.freed;
    return values;
  };
  py::dict result;
  result["active_requests"] = entry(stats.active_requests);
  result["active_bytes"] = entry(stats.active_bytes);
  result["allocations"] = entry(stats.allocations);
  result["allocated_bytes"] = entry(stats.allocated_bytes);
  result["num_host_alloc"] = stats.num_host_alloc;
  result["num_host_free"] = stats.num_host_free;
  return result;
}

void bind_random_functions(py::module_& module) {
  module.def("_default_generator",
             [](int device) { return default_generator(static_cast<c10::DeviceIndex>(device)); });
  module.def("_seed_all", &seed_default_generators);
}

void bind_memory_functions(py::module_& module) {
  module.def("_host_memory_stats", &host_stats);
  module.def("_memory_snapshot", &snapshot_segments);
  module.def(
      "_set_memory_fraction",
      [](double fraction, int device) {
        set_memory_fraction(fraction, static_cast<c10::DeviceIndex>(device));
      },
      NoGil());
  module.def(
      "_memory_fraction",
      [](int device) { return memory_fraction(static_cast<c10::DeviceIndex>(device)); }, NoGil());
  module.def("_apply_allocator_settings", &apply_allocator_settings, NoGil());
}

// torchtitan_npu.ops, the documents and the parity tests read the operator table from here.
py::list operator_rows() {
  py::list rows;
  for (const OperatorRow& row : operator_table()) {
    py::list dtypes;
    for (const at::ScalarType type : row_dtypes(row)) dtypes.append(type);
    rows.append(py::make_tuple(row.name, row.overload, row.aclnn, row.family, dtypes));
  }
  return rows;
}

PYBIND11_MODULE(_C, module) {
  set_wait_hooks({release_interpreter, reacquire_interpreter, check_signals});
  bind_options(module);
  bind_device_functions(module);
  bind_stream_functions(module);
  bind_random_functions(module);
  bind_memory_functions(module);
  module.def("_operator_rows", &operator_rows);
}

}  // namespace
}  // namespace torchtitan_npu
