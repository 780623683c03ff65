#include "server/app/sd_notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>

#include "common/os/unique_fd.h"
#include "gtest/gtest.h"
#include "tests/testing/temp_dir.h"

namespace traind::server::app {
namespace {

std::string Received(const std::string& name) {
  sockaddr_un address{.sun_family = AF_UNIX};
  name.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (name[0] == '@') address.sun_path[0] = '\0';
  const os::UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return "cannot bind";
  SdNotify(name, "READY=1\nSTATUS=good");
  char text[100];
  const ssize_t size = ::recv(fd.get(), text, sizeof(text), MSG_DONTWAIT);
  return size < 0 ? "nothing" : std::string(text, static_cast<size_t>(size));
}

TEST(SdNotify, ReachesPathsAndAbstractSockets) {
  const testing::TempDir folder;
  EXPECT_EQ(Received((folder / "n").string()), "READY=1\nSTATUS=good");
  EXPECT_EQ(Received("@" + (folder / "n").string()), "READY=1\nSTATUS=good");
}

TEST(SdNotify, WithoutSystemdNothingHappens) {
  SdNotify("", "READY=1");
  SdNotify("/nowhere/at/all", "READY=1");
  SdNotify(std::string(500, 'x'), "READY=1");
}

}  // namespace
}  // namespace traind::server::app
