#include "common/rpc/peer_table.h"

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace traind::rpc {

void PeerTable::Set(int fd, const os::PeerCredentials& peer) {
  MutexLock lock(mutex_);
  peers_[fd] = peer;
}

std::optional<os::PeerCredentials> PeerTable::Find(const std::string& peer) const {
  absl::string_view text = peer;
  int fd = 0;
  if (!absl::ConsumePrefix(&text, "fd:") || !absl::SimpleAtoi(text, &fd)) return std::nullopt;
  MutexLock lock(mutex_);
  const auto it = peers_.find(fd);
  if (it == peers_.end()) return std::nullopt;
  return it->second;
}

}  // namespace traind::rpc
