// SPDX-License-Identifier: Apache-2.0
// start_thread: a named thread of the runtime that takes no signals, so that Ctrl-C reaches the
// client's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <string>
#include <thread>
#include <utility>

namespace npu::runtime {

template <class Function>
std::thread start_thread(const std::string& name, Function&& function) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it
  struct Restore {
    sigset_t& mask;
    ~Restore() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } restore{before};
  std::thread thread(std::forward<Function>(function));
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  return thread;
}

}  // namespace npu::runtime
