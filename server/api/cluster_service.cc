#include "server/api/cluster_service.h"

#include <algorithm>
#include <vector>

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
  message.set_free_slots(static_cast<int>(std::count_if(slots.begin(), slots.end(), [](const auto& slot) { return slot.held_by.empty(); })));
}

absl::Status FillQueue(const ApiContext& api, v1::Queue& queue) {
  CountSlots(api.supervisor.Slots(), queue);
  for (const supervisor::QueueView& waiting : api.supervisor.Queue()) {
    const absl::StatusOr<store::JobPtr> job = api.store.Get(waiting.job);
    if (!job.ok()) continue;  // deleted since the queue was looked at
    v1::QueueEntry& entry = *queue.add_entries();
    const v1::Job message = ToProto(**job);
    entry.set_job(message.name());
    entry.set_display_name((*job)->display_name);
    entry.set_position(waiting.position);
    entry.set_priority((*job)->priority);
    entry.set_slots((*job)->slots);
    entry.set_reason(waiting.reason);
    entry.set_message(waiting.message);
    *entry.mutable_create_time() = message.create_time();
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* ClusterService::GetCluster(grpc::CallbackServerContext* context, const v1::GetClusterRequest*, v1::Cluster* cluster) {
  return Answer(context, [&]() -> absl::Status {
    cluster->set_version(api_.settings.version);
    const absl::StatusOr<std::string> boot = os::BootId();
    if (boot.ok()) cluster->set_boot_id(*boot);
    cluster->mutable_start_time()->set_seconds(absl::ToUnixSeconds(start_time_));
    CountSlots(api_.supervisor.Slots(), *cluster);
    cluster->set_http_address(api_.http_address());
    cluster->mutable_data_roots()->insert(api_.settings.data_roots.begin(), api_.settings.data_roots.end());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ClusterService::ListSlots(grpc::CallbackServerContext* context, const v1::ListSlotsRequest*,
                                                    v1::ListSlotsResponse* response) {
  return Answer(context, [&] {
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
  return Answer(context, [&] { return FillQueue(api_, *queue); });
}

grpc::ServerUnaryReactor* ClusterService::ListEvents(grpc::CallbackServerContext* context, const v1::ListEventsRequest* request,
                                                     v1::ListEventsResponse* response) {
  return Answer(context, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const Page page, ParsePage(request->page_size(), request->page_token()));
    // The token is the sequence of the last event of the page before; one more is read to know whether there is a next page.
    ASSIGN_OR_RETURN(const std::vector<domain::Event> events, api_.store.Events(request->target(), page.start, page.size + 1));
    for (size_t i = 0; i < events.size() && static_cast<int>(i) < page.size; ++i) *response->add_events() = ToProto(events[i]);
    if (static_cast<int>(events.size()) > page.size) response->set_next_page_token(absl::StrCat(events[page.size - 1].sequence));
    return absl::OkStatus();
  });
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
