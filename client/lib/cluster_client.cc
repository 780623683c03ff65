#include "client/lib/cluster_client.h"

#include "client/lib/paging.h"
#include "client/lib/transport.h"
#include "common/base/status.h"
#include "traind/v1/cluster.grpc.pb.h"

namespace traind::client {

struct ClusterClient::Stub {
  std::unique_ptr<v1::ClusterService::Stub> service;

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(const Transport& transport,
                                grpc::Status (v1::ClusterService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request) {
    Response response;
    RETURN_IF_ERROR(transport.Call(kCallDeadline,
                                   [&](grpc::ClientContext& context) { return (service.get()->*method)(&context, request, &response); }));
    return response;
  }
};

ClusterClient::ClusterClient(const Transport& transport)
    : transport_(transport), stub_(std::make_unique<Stub>(Stub{v1::ClusterService::NewStub(transport.channel())})) {}
ClusterClient::~ClusterClient() = default;

absl::StatusOr<v1::Cluster> ClusterClient::Get() {
  return stub_->Call(transport_, &v1::ClusterService::Stub::GetCluster, v1::GetClusterRequest());
}

absl::StatusOr<std::vector<v1::Slot>> ClusterClient::ListSlots() {
  ASSIGN_OR_RETURN(const v1::ListSlotsResponse response,
                   stub_->Call(transport_, &v1::ClusterService::Stub::ListSlots, v1::ListSlotsRequest()));
  return std::vector<v1::Slot>(response.slots().begin(), response.slots().end());
}

absl::StatusOr<v1::Queue> ClusterClient::GetQueue() {
  return stub_->Call(transport_, &v1::ClusterService::Stub::GetQueue, v1::GetQueueRequest());
}

absl::StatusOr<std::vector<v1::Event>> ClusterClient::ListEvents(const std::string& target) {
  v1::ListEventsRequest request;
  request.set_target(target);
  return AllPages<v1::Event>(
      request, [this](const v1::ListEventsRequest& page) { return stub_->Call(transport_, &v1::ClusterService::Stub::ListEvents, page); },
      [](v1::ListEventsResponse& page) { return page.mutable_events(); });
}

}  // namespace traind::client
