#include "server/http/pages.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace traind::server::http {
namespace {

std::string JobsText(const store::JobStore& store) {
  std::map<std::pair<std::string, domain::JobState>, int> counts;
  for (const store::JobPtr& job : store.List()) ++counts[{job->kind, job->state}];
  std::vector<obs::GaugeSample> samples;
  for (const auto& [key, count] : counts) {
    samples.push_back({{{"kind", key.first}, {"state", std::string(domain::JobStateName(key.second))}}, static_cast<double>(count)});
  }
  return obs::GaugeText("traind_jobs", "Jobs that are kept, by task and state.", samples);
}

std::string ProgressText(const store::JobStore& store, const supervisor::Supervisor& supervisor) {
  std::vector<obs::GaugeSample> samples;
  for (const store::JobPtr& job : store.List()) {
    if (!domain::IsActive(job->state)) continue;
    const std::optional<supervisor::Progress> progress = supervisor.ProgressOf(job->id);
    if (!progress.has_value() || progress->total_steps <= 0) continue;
    samples.push_back({{{"job_id", job->id.value()}}, static_cast<double>(progress->step) / static_cast<double>(progress->total_steps)});
  }
  return obs::GaugeText("traind_job_progress_ratio", "Share of its steps that a running job has done.", samples);
}

std::string SlotsText(const supervisor::Supervisor& supervisor) {
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const supervisor::SlotView& slot : supervisor.Slots()) ++counts[{slot.type, slot.held_by.empty() ? "idle" : "allocated"}];
  std::vector<obs::GaugeSample> samples;
  for (const auto& [key, count] : counts) samples.push_back({{{"type", key.first}, {"state", key.second}}, static_cast<double>(count)});
  return obs::GaugeText("traind_devices", "Slots of this machine, by type and state.", samples);
}

}  // namespace

std::string MetricsPage(const obs::Metrics& metrics, const store::JobStore& store, const supervisor::Supervisor& supervisor) {
  return absl::StrCat(metrics.Text(), JobsText(store), ProgressText(store, supervisor), SlotsText(supervisor));
}

std::string DiscoveryPage(const supervisor::Supervisor& supervisor) {
  nlohmann::ordered_json page = nlohmann::ordered_json::array();
  for (const supervisor::ScrapeTarget& target : supervisor.ScrapeTargets()) {
    page.push_back({{"targets", {target.address}},
                    {"labels", {{"job_id", target.job.value()}, {"rank", absl::StrCat(target.rank)}, {"slot", target.slot}}}});
  }
  return page.dump() + "\n";
}

}  // namespace traind::server::http
