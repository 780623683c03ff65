#include "worker/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/failure.h"
#include "common/base/status.h"
#include "common/os/bounded_log.h"
#include "common/os/files.h"
#include "common/os/process.h"
#include "common/os/termination.h"
#include "worker/shim/exit_record.h"
#include "worker/shim/oom_count.h"

namespace traind::worker::shim {
namespace {

struct Pipe {
  os::UniqueFd read_end;
  os::UniqueFd write_end;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return os::ErrnoStatus(errno, "making the worker's output pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

enum class Output { kMoved, kNone, kEnded };

// Moves at most one buffer from the pipe into the log, so that a worker that writes without end cannot keep its shim from anything else.
// A full disk loses output, never the worker.
Output MoveSome(int pipe, os::BoundedLogWriter& log) {
  char buffer[1 << 16];
  const ssize_t count = ::read(pipe, buffer, sizeof(buffer));
  if (count == 0) return Output::kEnded;
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Output::kNone : Output::kEnded;
  log.Append(absl::string_view(buffer, static_cast<size_t>(count))).IgnoreError();
  return Output::kMoved;
}

// Kills and reaps what the worker left behind; as its subreaper this process is the parent of all of it.
void SweepDescendants() {
  const std::string children = absl::StrCat("/proc/self/task/", ::getpid(), "/children");
  for (;;) {
    const absl::StatusOr<std::string> pids = os::ReadWholeFile(children, 1 << 20);
    if (!pids.ok()) return;
    bool any = false;
    for (const absl::string_view word : absl::StrSplit(*pids, ' ', absl::SkipWhitespace())) {
      int pid = 0;
      if (!absl::SimpleAtoi(word, &pid)) continue;
      any = true;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    if (!any) return;
  }
}

// Follows the worker until it has ended.
void Follow(const os::Pidfd& worker, const os::TerminationSignals& signals, Pipe& output, os::BoundedLogWriter& log) {
  output.write_end.Close();
  bool open = true;
  for (bool running = true; running;) {
    pollfd entries[] = {{worker.fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}, {open ? output.read_end.get() : -1, POLLIN, 0}};
    if (::poll(entries, 3, -1) < 0 && errno != EINTR) return;
    if (entries[1].revents != 0) {
      if (const int signal = signals.Await(absl::ZeroDuration()); signal != 0) worker.Signal(SIGTERM).IgnoreError();
    }
    if (entries[2].revents != 0) open = MoveSome(output.read_end.get(), log) != Output::kEnded;
    running = entries[0].revents == 0;
  }
}

}  // namespace

absl::Status RunShim(const ShimOptions& options, const Clock& clock) {
  ASSIGN_OR_RETURN(const os::TerminationSignals signals, os::TerminationSignals::Block());
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return os::ErrnoStatus(errno, "becoming the reaper of the worker's processes");
  ASSIGN_OR_RETURN(os::BoundedLogWriter log, os::BoundedLogWriter::Open(options.log_folder, options.max_log_bytes));
  ASSIGN_OR_RETURN(Pipe output, MakePipe());

  ExitRecord record;
  record.incarnation = options.incarnation;
  record.start_time = clock.Now();
  const int64_t oom_kills = OomKillCount();
  os::SpawnOptions spawn;
  spawn.command = options.command;
  spawn.environment = options.environment;
  spawn.standard_output = spawn.standard_error = output.write_end.get();
  // The worker stays in the shim's session, so that one SIGKILL to the group reaches both.
  spawn.new_session = false;
  spawn.die_with_parent = true;
  spawn.drop_oom_protection = true;
  const absl::StatusOr<os::Pidfd> worker = os::Spawn(spawn);
  if (worker.ok()) {
    record.worker = os::ReadIdentity(worker->pid()).value_or(os::ProcessIdentity{"", worker->pid(), 0});
    Follow(*worker, signals, output, log);
    ASSIGN_OR_RETURN(record.status, os::Reap(*worker));
    SweepDescendants();
    // Nobody is left who could write, so the pipe's rest is finite.
    while (MoveSome(output.read_end.get(), log) == Output::kMoved) {
    }
  } else {
    log.Append(absl::StrCat(worker.status().message(), "\n")).IgnoreError();
    record.status.code = ExitCodeOf(FailureCause::kCrashed);
  }
  record.out_of_memory = record.status.signal == SIGKILL && OomKillCount() > oom_kills;
  record.end_time = clock.Now();
  return WriteExitRecord(options.exit_record, record);
}

}  // namespace traind::worker::shim
