// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/shared_slots.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "softnpu/base/options.h"

namespace npu::runtime {
namespace {

constexpr size_t kBytes = 4096;
static_assert(std::atomic<int64_t>::is_always_lock_free);

}  // namespace

SharedSlots::SharedSlots(const std::string& name) {
  if (!open_file(base::options().shm + "/softnpu-" + std::to_string(geteuid()) + "-" + name))
    return;
  repair();
  for (int i = 1; i < kSlots; ++i) {
    if (!lock(i)) continue;
    slot_ = i;
    mine_ = &slots_[i];
    mine_->store(0);
    int64_t end = used_end().load();
    while (end <= i && !used_end().compare_exchange_weak(end, i + 1)) {
    }
    return;
  }
}

SharedSlots::~SharedSlots() {
  if (slot_ >= 0) mine_->store(0);
  if (slots_) munmap(static_cast<void*>(slots_), kBytes);
  if (file_ >= 0) close(file_);  // lets go of the lock
}

bool SharedSlots::open_file(const std::string& path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) return false;
  struct stat status{};
  const bool ours = fstat(file_, &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_uid == geteuid() && (status.st_mode & 0077) == 0;
  // Every process sets the same size, so this neither cuts nor clears what others wrote.
  if (!ours || ftruncate(file_, kBytes) != 0) return false;
  void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) return false;
  slots_ = static_cast<std::atomic<int64_t>*>(page);
  return true;
}

int64_t SharedSlots::sum() const {
  if (!slots_) return alone_.load(std::memory_order_relaxed);
  int64_t total = slot_ < 0 ? alone_.load(std::memory_order_relaxed) : 0;
  const int end = used();
  for (int i = 1; i < end; ++i) total += slots_[i].load(std::memory_order_relaxed);
  return total;
}

int SharedSlots::used() const {
  return static_cast<int>(
      std::clamp<int64_t>(used_end().load(std::memory_order_acquire), 1, kSlots));
}

void SharedSlots::repair() {
  if (!slots_) return;
  const int end = used();
  for (int i = 1; i < end; ++i) {
    // Whoever has the lock may write the slot: the living have theirs, so this gets dead ones only.
    if (i == slot_ || slots_[i].load() == 0 || !lock(i)) continue;
    slots_[i].store(0);
    unlock(i);
  }
}

// Record locks belong to the process: forked children do not inherit them, and they end with it.
bool SharedSlots::lock(int slot) {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = slot;
  range.l_len = 1;
  return fcntl(file_, F_SETLK, &range) == 0;
}

void SharedSlots::unlock(int slot) {
  struct flock range{};
  range.l_type = F_UNLCK;
  range.l_whence = SEEK_SET;
  range.l_start = slot;
  range.l_len = 1;
  fcntl(file_, F_SETLK, &range);
}

}  // namespace npu::runtime
