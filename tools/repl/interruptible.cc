#include "tools/repl/interruptible.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "dims/dim.h"

namespace axle::repl {

namespace {

// A signal handler reads and writes these.
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<bool> interrupted = false;
std::atomic<bool> worksHere = false, stopsWork = false;  // whether `runHere` is running; whether it shall stop
volatile pid_t runningChild = 0;
pthread_t sessionThread;

// A terminal also interrupts the child. Another sender may interrupt the session alone, so the session passes the
// signal on. Only a signal in the thread that reads a line interrupts the reading.
void handleInterrupt(int) {
  if (!::pthread_equal(::pthread_self(), sessionThread)) {
    ::pthread_kill(sessionThread, SIGINT);
    return;
  }
  interrupted = true;
  if (worksHere) stopsWork = true;
  if (const pid_t child = runningChild; child > 0) ::kill(child, SIGINT);
}

// Returns the result of `work`. If it throws, prints that and returns false.
bool runGuarded(const std::function<bool()>& work) {
  try {
    return work();
  } catch (const Interrupted&) {
    std::fputs("interrupted\n", stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: this is a bug in axc: %s\nplease report it, with the line that shows it\n", e.what());
  } catch (...) {
    std::fputs("error: this is a bug in axc: an unknown exception\nplease report it, with the line that shows it\n",
               stderr);
  }
  return false;
}

[[noreturn]] void runAndExit(const std::function<bool()>& work) {
  std::signal(SIGINT, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool good = runGuarded(work);
  std::fflush(stdout);
  std::fflush(stderr);
  ::_exit(good ? 0 : 1);
}

}  // namespace

void catchInterrupts(bool breaksReading) {
  sessionThread = ::pthread_self();
  struct sigaction action{};
  action.sa_handler = handleInterrupt;
  action.sa_flags = breaksReading ? 0 : SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
}

bool wasInterrupted() { return interrupted.exchange(false); }

const std::atomic<bool>* interruptFlag() { return &stopsWork; }

bool runHere(const std::function<bool()>& work) {
  worksHere = true;
  const bool good = runGuarded(work);
  worksHere = stopsWork = false;
  return good;
}

bool runInChild(const std::function<bool()>& work) {
  std::fflush(stdout);
  std::fflush(stderr);
  wasInterrupted();
  const pid_t child = ::fork();
  if (child < 0) {
    std::fprintf(stderr, "error: no process can be started: %s\n", std::strerror(errno));
    return false;
  }
  if (child == 0) runAndExit(work);
  runningChild = child;
  if (interrupted) ::kill(child, SIGINT);  // interrupted before `runningChild` was set
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  runningChild = 0;
  if (WIFEXITED(status)) {
    wasInterrupted();
    return WEXITSTATUS(status) == 0;
  }
  const int signal = WTERMSIG(status);
  if (wasInterrupted() || signal == SIGINT)
    std::fputs("interrupted\n", stderr);
  else
    std::fprintf(stderr, "error: the command was killed by %s; the session is unchanged\n", ::strsignal(signal));
  return false;
}

}  // namespace axle::repl
