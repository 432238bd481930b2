#include "tests/runtime/counted_calls.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace {

std::atomic<std::size_t> lockCount = 0;

// Returns the function of the system's library.
template <class Function>
Function libraryFunction(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The program's functions take precedence over those of the system's library.
#define COUNT_CALLS(name, Object)                                          \
  extern "C" int name(Object* object) {                                    \
    static const auto original = libraryFunction<int (*)(Object*)>(#name); \
    ++lockCount;                                                           \
    return original(object);                                               \
  }
COUNT_CALLS(pthread_mutex_lock, pthread_mutex_t)
COUNT_CALLS(pthread_mutex_trylock, pthread_mutex_t)
COUNT_CALLS(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNT_CALLS(pthread_rwlock_wrlock, pthread_rwlock_t)
COUNT_CALLS(sem_wait, sem_t)
#undef COUNT_CALLS

namespace axle::runtime::test {

std::size_t locks() { return lockCount; }

SystemCalls systemCallsOf(const std::function<void()>& code) {
  constexpr int refused = 3;  // the child cannot ask the kernel
  const pid_t child = fork();
  if (child < 0) return SystemCalls::unknown;
  if (child == 0) {
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    };
    const sock_fprog filter{static_cast<unsigned short>(std::size(steps)), steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
      _exit(refused);
    code();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return SystemCalls::unknown;
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? SystemCalls::none : SystemCalls::unknown;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? SystemCalls::some : SystemCalls::unknown;
}

}  // namespace axle::runtime::test
