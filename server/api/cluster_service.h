// ClusterService of the public API.
#pragma once

#include "server/api/api_context.h"
#include "traind/v1/cluster.grpc.pb.h"

namespace traind::server::api {

// Thread-safe.
class ClusterService final : public v1::ClusterService::CallbackService {
 public:
  explicit ClusterService(const ApiContext& api) : api_(api), start_time_(api.clock.Now()) {}

  grpc::ServerUnaryReactor* GetCluster(grpc::CallbackServerContext*, const v1::GetClusterRequest*, v1::Cluster*) override;
  grpc::ServerUnaryReactor* ListSlots(grpc::CallbackServerContext*, const v1::ListSlotsRequest*, v1::ListSlotsResponse*) override;
  grpc::ServerUnaryReactor* GetQueue(grpc::CallbackServerContext*, const v1::GetQueueRequest*, v1::Queue*) override;
  grpc::ServerUnaryReactor* ListEvents(grpc::CallbackServerContext*, const v1::ListEventsRequest*, v1::ListEventsResponse*) override;
  grpc::ServerUnaryReactor* Cordon(grpc::CallbackServerContext*, const v1::CordonRequest*, v1::Cluster*) override;
  grpc::ServerUnaryReactor* Uncordon(grpc::CallbackServerContext*, const v1::UncordonRequest*, v1::Cluster*) override;
  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext*, const v1::DrainRequest*, v1::Cluster*) override;

 private:
  const ApiContext& api_;
  const absl::Time start_time_;
};

}  // namespace traind::server::api
