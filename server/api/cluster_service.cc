#include "server/api/cluster_service.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/identity.h"
#include "server/api/job_proto.h"
#include "server/api/pages.h"
#include "server/api/unary.h"

namespace traind::server::api {
namespace {

// Slots, and how many of them nobody holds.
template <typename Message>
void CountSlots(const std::vector<supervisor::SlotView>& slots, Message& message) {
  message.set_slots(static_cast<int>(slots.size()));
  message.set_free_slots(
      static_cast<int>(std::count_if(slots.begin(), slots.end(), [](const auto& slot) { return slot.held_by.empty(); })));
}

// The front of the queue, as much of it as fits into a message.
void FillQueue(const ApiContext& api, v1::Queue& queue) {
  CountSlots(api.supervisor.Slots(), queue);
  size_t bytes = 0;
  for (const supervisor::QueueView& waiting : api.supervisor.Queue()) {
    if (bytes > kMaxPageBytes) return;
    const absl::StatusOr<store::JobPtr> job = api.store.Get(waiting.job);
    if (!job.ok()) continue;  // deleted since the queue was looked at
    v1::QueueEntry& entry = *queue.add_entries();
    entry.set_job(JobName(waiting.job));
    entry.set_display_name((*job)->display_name);
    entry.set_position(waiting.position);
    entry.set_priority((*job)->priority);
    entry.set_slots((*job)->slots);
    entry.set_reason(waiting.reason);
    entry.set_message(waiting.message);
    *entry.mutable_create_time() = TimeProto((*job)->create_time);
    bytes += entry.ByteSizeLong();
  }
}

absl::Status FillEvents(const ApiContext& api, const v1::ListEventsRequest& request, v1::ListEventsResponse& response) {
  ASSIGN_OR_RETURN(const Page page, ParsePage(request.page_size(), request.page_token(), request.target()));
  int64_t after = 0;  // the sequence of the last event of the page before
  if (!page.start.empty() && !absl::SimpleAtoi(page.start, &after)) {
    return absl::InvalidArgumentError("page_token is not one that this list returned");
  }
  // One more is read to know whether there is a next page.
  ASSIGN_OR_RETURN(const std::vector<domain::Event> events, api.store.Events(request.target(), after, page.size + 1));
  for (const domain::Event& event : events) {
    if (response.events_size() == page.size) {
      response.set_next_page_token(PageToken(absl::StrCat(response.events(page.size - 1).sequence()), request.target()));
      break;
    }
    *response.add_events() = ToProto(event);
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* ClusterService::GetCluster(grpc::CallbackServerContext* context, const v1::GetClusterRequest*,
                                                     v1::Cluster* cluster) {
  return Answer(api_, context, [&]() -> absl::Status {
    cluster->set_version(api_.settings.version);
    const absl::StatusOr<std::string> boot = os::BootId();
    if (boot.ok()) cluster->set_boot_id(*boot);
    *cluster->mutable_start_time() = TimeProto(start_time_);
    CountSlots(api_.supervisor.Slots(), *cluster);
    cluster->set_http_address(api_.http_address());
    cluster->mutable_data_roots()->insert(api_.settings.data_roots.begin(), api_.settings.data_roots.end());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ClusterService::ListSlots(grpc::CallbackServerContext* context, const v1::ListSlotsRequest*,
                                                    v1::ListSlotsResponse* response) {
  return Answer(api_, context, [&] {
    for (const supervisor::SlotView& slot : api_.supervisor.Slots()) {
      v1::Slot& message = *response->add_slots();
      message.set_name(slot.name);
      message.set_type(slot.type);
      message.set_held_by(slot.held_by);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ClusterService::GetQueue(grpc::CallbackServerContext* context, const v1::GetQueueRequest*, v1::Queue* queue) {
  return Answer(api_, context, [&] {
    FillQueue(api_, *queue);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ClusterService::ListEvents(grpc::CallbackServerContext* context, const v1::ListEventsRequest* request,
                                                     v1::ListEventsResponse* response) {
  return Answer(api_, context, [&] { return FillEvents(api_, *request, *response); });
}

grpc::ServerUnaryReactor* ClusterService::Cordon(grpc::CallbackServerContext* context, const v1::CordonRequest*, v1::Cluster*) {
  return AnswerUnimplemented(context, "Cordon");
}
grpc::ServerUnaryReactor* ClusterService::Uncordon(grpc::CallbackServerContext* context, const v1::UncordonRequest*, v1::Cluster*) {
  return AnswerUnimplemented(context, "Uncordon");
}
grpc::ServerUnaryReactor* ClusterService::Drain(grpc::CallbackServerContext* context, const v1::DrainRequest*, v1::Cluster*) {
  return AnswerUnimplemented(context, "Drain");
}

}  // namespace traind::server::api
