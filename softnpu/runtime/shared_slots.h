// SPDX-License-Identifier: Apache-2.0
// SharedSlots: one number a process, seen by all processes of the user, e.g. how much of a device's
// memory each has taken. A process' number counts while it lives: it holds a lock on its slot,
// which the kernel lets go of even after a SIGKILL. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace npu::runtime {

class SharedSlots {
 public:
  /// Opens <SOFTNPU_SHM>/softnpu-<user>-<name>, mode 0600. Where that is not possible, this process
  /// counts alone.
  explicit SharedSlots(const std::string& name);
  ~SharedSlots();
  SharedSlots(const SharedSlots&) = delete;
  SharedSlots& operator=(const SharedSlots&) = delete;

  /// This process' number.
  std::atomic<int64_t>& mine() { return *mine_; }
  /// All processes' numbers; may include those of processes that died.
  int64_t sum() const;
  /// Clears the numbers of processes that died.
  void repair();
  bool shared() const { return slots_ != nullptr; }

 private:
  static constexpr int kSlots = 512;

  /// Slots are taken from the lowest on; the first word says where the used ones end.
  std::atomic<int64_t>& used_end() const { return slots_[0]; }
  int used() const;
  bool open_file(const std::string& path);
  bool lock(int slot);
  void unlock(int slot);

  int file_ = -1;
  int slot_ = -1;
  std::atomic<int64_t>* slots_ = nullptr;  // [kSlots], in shared memory
  std::atomic<int64_t> alone_{0};
  std::atomic<int64_t>* mine_ = &alone_;
};

}  // namespace npu::runtime
