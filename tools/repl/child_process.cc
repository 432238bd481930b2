#include "tools/repl/child_process.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace axle::repl {

namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile pid_t running = 0;
pthread_t sessionThread;

// A terminal interrupts the child as well; another sender may interrupt the session alone, so it passes the signal on.
// Reading a line is interrupted in the thread that reads.
void note(int) {
  if (!::pthread_equal(::pthread_self(), sessionThread)) {
    ::pthread_kill(sessionThread, SIGINT);
    return;
  }
  interrupted = 1;
  if (const pid_t child = running; child > 0) ::kill(child, SIGINT);
}

[[noreturn]] void runAndExit(const std::function<bool()>& work) {
  std::signal(SIGINT, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool good = false;
  try {
    good = work();
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: this is a bug in axc: %s\nplease report it, with the line that shows it\n", e.what());
  } catch (...) {
    std::fputs("error: this is a bug in axc: an unknown exception\nplease report it, with the line that shows it\n",
               stderr);
  }
  std::fflush(stdout);
  std::fflush(stderr);
  ::_exit(good ? 0 : 1);
}

}  // namespace

void catchInterrupts(bool breaksReading) {
  sessionThread = ::pthread_self();
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = breaksReading ? 0 : SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
}

bool wasInterrupted() {
  bool was = interrupted != 0;
  interrupted = 0;
  return was;
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
  running = child;
  if (interrupted) ::kill(child, SIGINT);  // before it was known
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  if (WIFEXITED(status)) {
    wasInterrupted();
    return WEXITSTATUS(status) == 0;
  }
  const int signal = WTERMSIG(status);
  if (wasInterrupted() || signal == SIGINT)
    std::fputs("interrupted\n", stderr);
  else
    std::fprintf(stderr, "error: what was asked died of %s; the session goes on as it was\n", ::strsignal(signal));
  return false;
}

}  // namespace axle::repl
