// Calls of the ClusterService.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "traind/v1/cluster.pb.h"

namespace traind::client {

class Transport;

// Errors and threads as JobClient.
class ClusterClient {
 public:
  explicit ClusterClient(const Transport& transport);
  ~ClusterClient();

  absl::StatusOr<v1::Cluster> Get();
  absl::StatusOr<std::vector<v1::Slot>> ListSlots();
  absl::StatusOr<v1::Queue> GetQueue();
  // Of one job ("jobs/…"), or of all for "", oldest first.
  absl::StatusOr<std::vector<v1::Event>> ListEvents(const std::string& target);

 private:
  struct Stub;
  const Transport& transport_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace traind::client
