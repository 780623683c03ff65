#include "common/os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"

namespace traind::os {
namespace {

// Where a child stopped on its way to becoming the program, sent to the parent through a pipe that exec closes.
enum class Step : int { kSession, kParent, kFolder, kDescriptors, kExec };

constexpr const char* StepText(Step step) {
  switch (step) {
    case Step::kSession:
      return "making its session";
    case Step::kParent:
      return "tying it to its parent";
    case Step::kFolder:
      return "entering its folder";
    case Step::kDescriptors:
      return "setting up its descriptors";
    case Step::kExec:
      return "running the program";
  }
  return "";
}

struct ChildError {
  Step step;
  int error;
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Everything the child needs, laid out before fork: after it only async-signal-safe calls are allowed.
struct ChildPlan {
  const SpawnOptions& options;
  std::vector<char*> argv;
  std::vector<char*> envp;
  int descriptors[3];
  int error_pipe;
  pid_t parent;
};

[[noreturn]] void Fail(const ChildPlan& plan, Step step) {
  const ChildError error{step, errno};
  [[maybe_unused]] const ssize_t written = ::write(plan.error_pipe, &error, sizeof(error));
  ::_exit(127);
}

void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Raising the score is always allowed; lowering one above 0 is refused without privilege, and then it stays.
void DropOomProtection() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(fd, "0", 1);
  ::close(fd);
}

[[noreturn]] void BecomeProgram(const ChildPlan& plan) {
  ResetSignals();
  if (plan.options.new_session && ::setsid() < 0) Fail(plan, Step::kSession);
  if (plan.options.die_with_parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) Fail(plan, Step::kParent);
    // The parent may have ended before the line above.
    if (::getppid() != plan.parent) ::_exit(127);
  }
  if (plan.options.drop_oom_protection) DropOomProtection();
  if (!plan.options.folder.empty() && ::chdir(plan.options.folder.c_str()) != 0) Fail(plan, Step::kFolder);
  // Through copies above 2 first, so that no source is overwritten before it is used.
  int copies[3];
  for (int i = 0; i < 3; ++i) {
    copies[i] = ::fcntl(plan.descriptors[i], F_DUPFD_CLOEXEC, 3);
    if (copies[i] < 0) Fail(plan, Step::kDescriptors);
  }
  for (int i = 0; i < 3; ++i) {
    if (::dup2(copies[i], i) < 0) Fail(plan, Step::kDescriptors);
  }
  if (::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) Fail(plan, Step::kDescriptors);
  ::execve(plan.argv[0], plan.argv.data(), plan.envp.data());
  Fail(plan, Step::kExec);
}

absl::StatusOr<UniqueFd> OpenPidfd(int pid) {
  const long fd = syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0 && errno == ESRCH) return absl::NotFoundError(absl::StrCat("there is no process ", pid));
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("following process ", pid));
  return UniqueFd(static_cast<int>(fd));
}

double Seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; }

}  // namespace

absl::StatusOr<Pidfd> Pidfd::Open(const ProcessIdentity& identity) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenPidfd(identity.pid));
  // Checked after the descriptor is held: from here on the pid cannot be given to another process unnoticed.
  if (!IsAlive(identity)) return absl::NotFoundError(absl::StrCat("process ", identity.pid, " has ended"));
  return Pidfd(identity.pid, std::move(fd));
}

absl::Status Pidfd::Signal(int signal) const {
  if (syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) == 0 || errno == ESRCH) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("signalling process ", pid_));
}

bool Pidfd::AwaitExit(absl::Duration timeout) const {
  pollfd entry{fd_.get(), POLLIN, 0};
  const double milliseconds = std::ceil(absl::ToDoubleMilliseconds(timeout));
  int ready;
  do {
    ready = ::poll(&entry, 1, static_cast<int>(std::clamp(milliseconds, 0.0, 1e9)));
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (entry.revents & POLLIN) != 0;
}

absl::StatusOr<Pidfd> Spawn(const SpawnOptions& options) {
  if (options.command.empty()) return absl::InvalidArgumentError("no program to start was named");
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "making a pipe");
  UniqueFd errors(pipe_ends[0]), child_end(pipe_ends[1]);
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return ErrnoStatus(errno, "opening /dev/null");
  ChildPlan plan{options, Pointers(options.command), Pointers(options.environment), {}, child_end.get(), ::getpid()};
  const int wanted[3] = {options.standard_input, options.standard_output, options.standard_error};
  for (int i = 0; i < 3; ++i) plan.descriptors[i] = wanted[i] >= 0 ? wanted[i] : null.get();

  const pid_t pid = ::fork();
  if (pid < 0) return ErrnoStatus(errno, absl::StrCat("starting ", options.command[0]));
  if (pid == 0) BecomeProgram(plan);
  child_end.Close();
  absl::StatusOr<UniqueFd> pidfd = OpenPidfd(pid);
  ChildError error;
  ssize_t count;
  do {
    count = ::read(errors.get(), &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  if (count == sizeof(error)) {
    ::waitpid(pid, nullptr, 0);
    return ErrnoStatus(error.error, absl::StrCat("starting ", options.command[0], ", ", StepText(error.step)));
  }
  if (!pidfd.ok()) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return pidfd.status();
  }
  return Pidfd(pid, *std::move(pidfd));
}

absl::Status SignalGroup(const ProcessIdentity& leader, int signal) {
  // While the descriptor is held the pid is not given to anybody else, and with it the number of the group.
  const absl::StatusOr<Pidfd> held = Pidfd::Open(leader);
  if (absl::IsNotFound(held.status())) return absl::OkStatus();
  if (!held.ok()) return held.status();
  if (::kill(-leader.pid, signal) == 0 || errno == ESRCH) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("signalling the group of process ", leader.pid));
}

absl::StatusOr<ExitStatus> Reap(const Pidfd& child) {
  int status = 0;
  rusage usage{};
  pid_t pid;
  do {
    pid = ::wait4(child.pid(), &status, 0, &usage);
  } while (pid < 0 && errno == EINTR);
  if (pid < 0) return absl::FailedPreconditionError(absl::StrCat("process ", child.pid(), " is not a child of this process"));
  ExitStatus exit;
  if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  exit.user_seconds = Seconds(usage.ru_utime);
  exit.system_seconds = Seconds(usage.ru_stime);
  exit.max_rss_kilobytes = usage.ru_maxrss;
  return exit;
}

}  // namespace traind::os
