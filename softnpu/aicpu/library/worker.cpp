// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aicpu/library/worker.h"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <dlfcn.h>
#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace npu::aicpu {
namespace {

struct Job {
  const std::function<void()>* task;
  std::exception_ptr error;
  bool done = false;
};

struct Queue {
  std::mutex mutex;
  std::condition_variable work, finished;
  std::deque<Job*> jobs;  // guarded by mutex
};

/// One thread for kernels that ATen would spread over all cores: it shares them with the NPU's own,
/// and its results must not depend on their number. The limit of OpenMP belongs to the calling
/// thread; at::set_num_threads would be the process'.
void limit_threads() {
  at::get_num_threads();  // ATen sets its own default once a thread; ours has to come after
  void* torch = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (torch == nullptr) return;
  if (void* set = dlsym(torch, "omp_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
  dlclose(torch);
}

[[noreturn]] void serve(Queue& queue) {
  pthread_setname_np(pthread_self(), "npu-aicpu");
  limit_threads();
  const at::DisableRecordFunctionGuard unseen;
  const c10::impl::ExcludeDispatchKeyGuard below(
      c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
      c10::DispatchKeySet({c10::DispatchKey::Functionalize, c10::DispatchKey::Python}));
  std::unique_lock lock(queue.mutex);
  for (;;) {
    queue.work.wait(lock, [&] { return !queue.jobs.empty(); });
    Job* job = queue.jobs.front();
    queue.jobs.pop_front();
    lock.unlock();
    try {
      (*job->task)();
    } catch (...) {
      job->error = std::current_exception();
    }
    lock.lock();
    job->done = true;
    queue.finished.notify_all();
  }
}

Queue& queue() {
  static Queue* const shared = [] {
    auto* created = new Queue;  // lives as long as the process, like the thread
    std::thread([created] { serve(*created); }).detach();
    return created;
  }();
  return *shared;
}

}  // namespace

void run_on_worker(const std::function<void()>& task) {
  Queue& shared = queue();
  Job job{&task, nullptr};
  std::unique_lock lock(shared.mutex);
  shared.jobs.push_back(&job);
  shared.work.notify_one();
  shared.finished.wait(lock, [&] { return job.done; });
  lock.unlock();
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace npu::aicpu
