//===- Child.cpp - Work in a process of its own ---------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include "llvm/ADT/StringExtras.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::moe::fuzz;

namespace {
/// What a child tells its parent, in memory of both. The handler of a signal
/// may only write words.
struct Report {
  size_t ends[numEnds];
  uint64_t number;
  End end;
  bool done;
  int signal;
  int numFrames;
  void *frames[maxFrames];
  size_t textSize;
  char text[1 << 20];
  size_t passesSize;
  char passes[1 << 12];
};
} // namespace

static Report *report;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// A finding ends in a signal, whose handler is ours. LLVM itself is not
// instrumented: its containers and allocators look damaged when they are not.
extern "C" const char *__asan_default_options() {
  return "abort_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"
         "handle_sigill=0:handle_abort=0:detect_leaks=0:use_sigaltstack=0:"
         "detect_container_overflow=0:allow_user_poisoning=0:"
         "max_allocation_size_mb=4096";
}
extern "C" const char *__ubsan_default_options() {
  return "abort_on_error=1:halt_on_error=1";
}
#endif
#endif

extern "C" char __start_moe_fuzz_driver, __stop_moe_fuzz_driver;

static bool isDriver(void *address) {
  return address >= &__start_moe_fuzz_driver &&
         address < &__stop_moe_fuzz_driver;
}

static void onSignal(int signal) {
  report->signal = signal;
  report->end = signal == SIGPROF ? End::TimedOut : End::Crashed;
  report->numFrames = backtrace(report->frames, std::size(report->frames));
  _exit(0);
}

static void prepareChild(unsigned megabytes) {
  static char stack[1 << 18];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (int signal :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF})
    sigaction(signal, &action, nullptr);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (megabytes) {
    rlimit memory = {rlim_t(megabytes) << 20, rlim_t(megabytes) << 20};
    setrlimit(RLIMIT_AS, &memory);
  }
  // What libraries print is not asked for.
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
    _exit(1);
}

static void startClock(unsigned seconds) {
  itimerval limit = {{0, 0}, {time_t(seconds), 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

static size_t copy(llvm::StringRef text, char *to, size_t capacity) {
  size_t size = std::min(text.size(), capacity);
  std::memcpy(to, text.data(), size);
  return size;
}

void mlir::moe::fuzz::tell(llvm::StringRef text,
                           llvm::ArrayRef<std::string> passes) {
  report->textSize = copy(text, report->text, sizeof(report->text));
  report->passesSize =
      copy(llvm::join(passes, "\n"), report->passes, sizeof(report->passes));
}

static void runAll(Limits limits, uint64_t first, uint64_t count,
                   llvm::function_ref<End(uint64_t)> work) {
  prepareChild(limits.megabytes);
  for (uint64_t number = first; number < first + count; ++number) {
    report->number = number;
    startClock(limits.seconds);
    End end = work(number);
    report->end = end;
    if (isFault(end))
      break;
    ++report->ends[unsigned(end)];
  }
  report->done = true;
}

Outcome mlir::moe::fuzz::runInChild(Limits limits, uint64_t first,
                                    uint64_t count,
                                    llvm::function_ref<End(uint64_t)> work) {
  if (!report) {
    report = static_cast<Report *>(mmap(nullptr, sizeof(Report),
                                        PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    // The first call loads a library, which a handler must not.
    backtrace(report->frames, 1);
  }
  std::memset(report->ends, 0, sizeof(report->ends));
  report->number = first;
  report->end = End::Passed;
  report->done = false;
  report->signal = report->numFrames = 0;
  report->textSize = report->passesSize = 0;
  int child = fork();
  if (child == 0) {
    runAll(limits, first, count, work);
    _exit(0);
  }
  Outcome outcome;
  int status = 0;
  waitpid(child, &status, 0);
  std::memcpy(outcome.ends, report->ends, sizeof(outcome.ends));
  outcome.number = report->number;
  outcome.end = report->end;
  outcome.signal = report->signal;
  if (WIFSIGNALED(status)) {
    outcome.signal = WTERMSIG(status);
    outcome.end = End::Crashed;
  } else if (!report->done && !isFault(outcome.end)) {
    outcome.end = End::Crashed; // a call of exit
  }
  if (isFault(outcome.end))
    ++outcome.ends[unsigned(outcome.end)];
  outcome.text.assign(report->text, report->textSize);
  llvm::SmallVector<llvm::StringRef> passes;
  llvm::StringRef(report->passes, report->passesSize)
      .split(passes, '\n', -1, /*KeepEmpty=*/false);
  outcome.passes.assign(passes.begin(), passes.end());
  for (int at = 0; at < report->numFrames; ++at) {
    if (isDriver(report->frames[at]))
      break;
    outcome.frames.push_back(report->frames[at]);
  }
  return outcome;
}
