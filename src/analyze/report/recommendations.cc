// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/recommendations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analyze/input/advice_of_framework.h"
#include "analyze/report/recommendation_facts.h"
#include "analyze/stages/stages.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;

constexpr const char* kTensorBoard = "torch-tb-profiler";
constexpr const char* kOwn = "steptrace";

// torch-tb-profiler's thresholds; a value exactly at one is no issue.
constexpr double kLoaderShare = 0.05;
constexpr double kCommunicationShare = 0.10;
constexpr double kLeastUtilization = 0.50;  // not that of the rule LowGPUUtilization; no setting
constexpr int64_t kTensorCoreMajor = 7;     // compute capability 7.0: Volta
constexpr double kNcclCapability = 3.5;
constexpr double kMemoryShare = 0.90;
// Ours: shares of the step below which fixing gains little.
constexpr double kLaunchShare = 0.10;
constexpr double kExposedShare = 0.10;
constexpr double kStragglerShare = 0.05;
constexpr double kSynchronisationShare = 0.05;
constexpr double kSmallCopiesShare = 0.01;
constexpr double kLeastTensorCoreShare = 0.30;  // of computing, where products could use them
constexpr double kAllocatorShare = 0.01;

double Quotient(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The mean of each step's share, as torch-tb-profiler averages over steps: of the sums.
class Maker {
 public:
  Maker(const Trace& trace, const Report& report, bool unbegun_work)
      : report_(report),
        devices_(report.profile->devices.devices),
        facts_(CollectFacts(trace.WithoutGaps(), report)),
        unbegun_work_(unbegun_work) {}

  std::vector<Recommendation> MakeAll() {
    Loader();
    DataParallel();
    Nccl();
    Communication();
    Utilization();
    TensorCoresUnused();
    MemoryFull();
    LaunchBound();
    ExposedCommunication();
    Straggler();
    Synchronisation();
    SmallCopies();
    TensorCoresLow();
    Allocator();
    for (Recommendation& one : all_) Quiet(one);
    return std::move(all_);
  }

 private:
  Recommendation& Add(const char* name, const char* source, std::optional<double> value,
                      double threshold, bool fires) {
    Recommendation one;
    one.name = name;
    one.source = source;
    one.status = !value  ? RuleStatus::kNotApplicable
                 : fires ? RuleStatus::kIssuesFound
                         : RuleStatus::kOk;
    one.value = value;
    one.threshold = threshold;
    all_.push_back(std::move(one));
    return all_.back();
  }
  // What does not fire needs no advice; what does not apply has nothing to say.
  static void Quiet(Recommendation& one) {
    if (one.status == RuleStatus::kIssuesFound) return;
    one.advice.reset();
    if (one.status == RuleStatus::kOk) return;
    one.text.reset();
    one.evidence.clear();
  }
  static void Gain(Recommendation& one, double share, int64_t steps_ns) {
    if (one.status != RuleStatus::kIssuesFound) return;
    one.at_most_share = std::clamp(share, 0.0, 1.0);
    one.at_most_ns = static_cast<int64_t>(*one.at_most_share * static_cast<double>(steps_ns));
  }
  std::optional<double> OfSteps(int64_t ns) const {
    if (!facts_.has_roles || facts_.steps_ns <= 0) return std::nullopt;
    return Quotient(ns, facts_.steps_ns);
  }
  int64_t StageNs(std::string_view name) const {
    for (const StageRow& row : report_.stages) {
      if (row.name == name) return row.ns;
    }
    return 0;
  }
  // Of the verdict's steps; nothing where there is no device.
  std::optional<double> StageShare(std::initializer_list<SubStage> stages) const {
    int64_t whole = 0;
    int64_t part = 0;
    for (const StageRow& row : report_.stages) whole += row.ns;
    for (SubStage stage : stages) part += StageNs(StageName(stage));
    if (devices_.empty() || whole <= 0) return std::nullopt;
    return Quotient(part, whole);
  }

  void Loader() {
    const auto share = OfSteps(facts_.loader_ns);
    Recommendation& one =
        Add("high_input_cost", kTensorBoard, share, kLoaderShare, share.value_or(0) > kLoaderShare);
    one.text = Make(finding::RecommendationLoader{.share = share.value_or(0)});
    if (facts_.loader_ns > 0) {
      one.evidence = {
          Make(finding::RecommendationLoaderTime{.time = facts_.loader_ns, .steps = facts_.steps})};
    }
    one.advice = Make(finding::RecommendationRaiseWorkers{});
    Gain(one, share.value_or(0), facts_.steps_ns);
  }
  void DataParallel() {
    std::set<std::pair<int32_t, int32_t>> used;
    for (const DeviceTimes& device : devices_) used.insert({device.rank, device.device});
    const std::optional<double> value =
        facts_.data_parallel ? std::optional<double>(static_cast<double>(used.size()))
                             : std::nullopt;
    Recommendation& one = Add("data_parallel", kTensorBoard, value, 1, value.value_or(0) > 1);
    one.text =
        Make(finding::RecommendationDataParallel{.devices = static_cast<int64_t>(used.size())});
    one.advice = Make(finding::RecommendationDistributedDataParallel{});
  }
  void Nccl() {
    const bool known = facts_.distributed_data_parallel && facts_.device.has_value();
    const bool fires = known && !facts_.nccl && facts_.device->capability >= kNcclCapability;
    Recommendation& one =
        Add("ddp_without_nccl", kTensorBoard,
            known ? std::optional<double>(facts_.nccl ? 1 : 0) : std::nullopt, 1, fires);
    one.text = Make(finding::RecommendationGradientExchange{.nccl = facts_.nccl});
    one.advice = Make(finding::RecommendationUseNccl{});
  }
  // Of a job of which ranks are absent, waiting for them is in it: sending less need not gain.
  bool RanksAreAbsent() const {
    const ProfileDistributed& profile = report_.profile->distributed;
    const auto seen = static_cast<int64_t>(profile.ranks.size());
    return profile.world_size.value_or(seen) > seen;
  }
  bool ExchangesOnTheHost() const { return devices_.empty() && facts_.gloo && !facts_.nccl; }
  void CommunicationGain(Recommendation& one, model::Finding advice, double share) {
    if (RanksAreAbsent()) {
      one.advice = Make(finding::CommunicationAllRanks{.imported = true, .recorded = false});
      return;
    }
    one.advice = std::move(advice);
    // It takes cores from the model: without it the rest is shorter too, by an unknown amount.
    if (ExchangesOnTheHost()) return;
    Gain(one, share, facts_.steps_ns);
  }
  void Communication() {
    const auto share = OfSteps(facts_.communication_ns);
    Recommendation& one = Add("high_communication_cost", kTensorBoard, share, kCommunicationShare,
                              share.value_or(0) > kCommunicationShare);
    // Without a device TensorBoard's breakdown counts it before what the host computes meanwhile.
    one.text = Make(finding::RecommendationCommunication{.share = share.value_or(0),
                                                         .on_host = devices_.empty()});
    CommunicationGain(one, Make(finding::RecommendationCommunicateLess{}), share.value_or(0));
  }
  void Utilization() {
    std::optional<double> least;
    std::vector<model::Finding> evidence;
    for (const DeviceTimes& device : devices_) {
      if (!device.utilization) continue;
      least = std::min(least.value_or(1), *device.utilization);
      if (*device.utilization < kLeastUtilization && evidence.size() < 8) {
        evidence.push_back(Make(finding::RecommendationLittleUsedDevice{
            .device = device.device, .rank = device.rank, .share = *device.utilization}));
      }
    }
    Recommendation& one = Add("low_gpu_utilization", kTensorBoard, least, kLeastUtilization,
                              least.value_or(1) < kLeastUtilization);
    one.text = Make(finding::RecommendationLeastUsedDevice{
        .share = least.value_or(1), .low = least.value_or(1) < kLeastUtilization});
    one.evidence = std::move(evidence);
    one.advice = Make(finding::RecommendationGiveDeviceMore{});
    Gain(one, 1 - least.value_or(1), facts_.steps_ns);
  }
  TensorCoreUse KernelTimes() const {
    TensorCoreUse all;
    for (const DeviceTimes& device : devices_) {
      all.tensor_core_ns += device.tensor_cores.tensor_core_ns;
      all.compute_kernel_ns += device.tensor_cores.compute_kernel_ns;
      all.kernel_ns += device.tensor_cores.kernel_ns;
    }
    return all;
  }
  bool HasTensorCores() const {
    return facts_.device && facts_.device->major >= kTensorCoreMajor && facts_.kernel_ns > 0;
  }
  void TensorCoresUnused() {
    const double eligible = Quotient(facts_.eligible_ns, facts_.kernel_ns);
    const bool known = HasTensorCores();
    const TensorCoreUse times = KernelTimes();
    const double used = Quotient(times.tensor_core_ns, times.kernel_ns);
    Recommendation& one =
        Add("tensor_cores_unused", kTensorBoard, known ? std::optional(used) : std::nullopt, 0,
            known && used == 0 && eligible > 0);
    one.text = used > 0 ? Make(finding::RecommendationTensorCoresUsed{.share = used})
                        : Make(finding::RecommendationNoTensorCoresUsed{.could = eligible > 0});
    one.evidence = {Make(finding::RecommendationTensorCoreOperators{.share = eligible})};
    one.advice = Make(finding::RecommendationMixedPrecision{});
    Gain(one, KernelShareOfSteps() * eligible, facts_.steps_ns);
  }
  double KernelShareOfSteps() const {
    int64_t busy = 0;
    int64_t span = 0;
    for (const DeviceTimes& device : devices_) {
      busy += device.kernel_busy_ns;
      span += device.steps_span_ns;
    }
    return Quotient(busy, span);
  }
  void MemoryFull() {
    const bool known = facts_.device && facts_.device->memory_bytes > 0 && facts_.peak_bytes;
    const double share = known ? Quotient(*facts_.peak_bytes, facts_.device->memory_bytes) : 0;
    Recommendation& one =
        Add("memory_nearly_full", kTensorBoard, known ? std::optional(share) : std::nullopt,
            kMemoryShare, share > kMemoryShare);
    one.text = Make(finding::RecommendationMemoryPeak{.share = share});
    one.advice = Make(finding::RecommendationUseLessMemory{});
  }
  void LaunchBound() {
    const auto share = StageShare({SubStage::kDispatch, SubStage::kLaunch});
    Recommendation& one =
        Add("launch_bound", kOwn, share, kLaunchShare, share.value_or(0) > kLaunchShare);
    int64_t calls = 0;
    int64_t shorter = 0;
    int64_t call_ns = 0;
    for (const DeviceTimes& device : devices_) {
      for (const LaunchTimes& launch : device.launches) {
        calls += launch.calls;
        shorter += launch.short_work;
        call_ns += launch.call_ns.sum;
      }
    }
    one.text = Make(finding::RecommendationLaunches{.share = share.value_or(0)});
    if (calls > 0) {
      one.evidence = {Make(finding::RecommendationShortLaunches{
          .launches = calls, .mean = call_ns / calls, .shorter = Quotient(shorter, calls)})};
    }
    one.advice = Make(finding::RecommendationLaunchLess{});
    Gain(one, share.value_or(0), facts_.steps_ns);
  }
  void ExposedCommunication() {
    const auto share = StageShare({SubStage::kExposed, SubStage::kStraggler});
    int64_t communication = 0;
    int64_t overlap = 0;
    for (const DeviceTimes& device : devices_) {
      communication += device.window.communication_ns;
      overlap += device.window.overlap_ns;
    }
    Recommendation& one =
        Add("exposed_communication", kOwn, share, kExposedShare, share.value_or(0) > kExposedShare);
    one.text = Make(finding::RecommendationExposedCommunication{.share = share.value_or(0)});
    if (communication > 0) {
      one.evidence = {Make(finding::RecommendationCommunicationOverlapped{
          .share = Quotient(overlap, communication), .communication = communication})};
    }
    CommunicationGain(one, Make(finding::RecommendationOverlapCommunication{}), share.value_or(0));
  }
  void Straggler() {
    const auto share = StageShare({SubStage::kStraggler});
    const bool many = report_.distributed.ranks.size() > 1 && !RanksAreAbsent();
    Recommendation& one = Add("straggler", kOwn, many ? share : std::nullopt, kStragglerShare,
                              many && share.value_or(0) > kStragglerShare);
    one.text = Make(finding::RecommendationStraggler{.share = share.value_or(0)});
    for (const BlameRow& blame : report_.distributed.blame) {
      if (one.evidence.size() == 3) break;
      one.evidence.push_back(Make(finding::RecommendationLateRank{
          .wait = blame.caused_wait_ns, .rank = blame.rank, .cause = TitleOf(blame.cause)}));
    }
    one.advice = Make(finding::RecommendationLookAtLateRank{});
    if (ExchangesOnTheHost()) return;
    Gain(one, share.value_or(0), facts_.steps_ns);
  }
  void Synchronisation() {
    const auto share = StageShare({SubStage::kSynchronisation});
    Recommendation& one = Add("synchronisation_stalls", kOwn, share, kSynchronisationShare,
                              share.value_or(0) > kSynchronisationShare);
    one.text = Make(finding::RecommendationSynchronisation{.share = share.value_or(0),
                                                           .unbegun_work = unbegun_work_});
    if (facts_.sync_calls > 0) {
      one.evidence = {Make(finding::RecommendationSynchronisingCalls{.calls = facts_.sync_calls,
                                                                     .time = facts_.sync_ns})};
    }
    one.advice = unbegun_work_ ? Make(finding::FrameworkLookAtUnbegunWork{})
                               : Make(finding::RecommendationSynchroniseLess{});
    Gain(one, share.value_or(0), facts_.steps_ns);
  }
  void SmallCopies() {
    int64_t count = 0;
    int64_t small = 0;
    int64_t small_ns = 0;
    int64_t span = 0;
    for (const DeviceTimes& device : devices_) {
      span += device.window.span_ns;
      for (const CopyTimes& copies : device.copies) {
        if (copies.kind == "Memset") continue;
        count += copies.count;
        small += copies.small;
        small_ns += copies.small_sum_ns;
      }
    }
    const double share = Quotient(small_ns, span);
    Recommendation& one = Add("small_copies", kOwn, count > 0 ? std::optional(share) : std::nullopt,
                              kSmallCopiesShare, share > kSmallCopiesShare);
    one.text = Make(finding::RecommendationSmallCopies{.share = share});
    if (count > 0) {
      one.evidence = {Make(finding::RecommendationSmallCopiesOfAll{
          .small = small, .copies = count, .time = small_ns})};
    }
    one.advice = Make(finding::RecommendationGatherCopies{});
    Gain(one, share, facts_.steps_ns);
  }
  void TensorCoresLow() {
    const TensorCoreUse times = KernelTimes();
    const double eligible = std::min(1.0, Quotient(facts_.eligible_ns, times.compute_kernel_ns));
    const bool known = HasTensorCores() && eligible > 0;
    const double used = Quotient(times.tensor_core_ns, times.compute_kernel_ns);
    Recommendation& one =
        Add("low_tensor_core_share", kOwn, known ? std::optional(used) : std::nullopt,
            kLeastTensorCoreShare, known && used < std::min(kLeastTensorCoreShare, eligible));
    one.text = Make(finding::RecommendationTensorCoreShare{.share = used});
    one.evidence = {Make(finding::RecommendationTensorCoreSharePossible{.share = eligible})};
    one.advice = Make(finding::RecommendationUseTensorCores{});
    const double computing =
        KernelShareOfSteps() * Quotient(times.compute_kernel_ns, times.kernel_ns);
    Gain(one, computing * std::max(eligible - used, 0.0), facts_.steps_ns);
  }
  void Allocator() {
    const auto share = devices_.empty() ? std::nullopt : OfSteps(facts_.allocator_ns);
    Recommendation& one =
        Add("allocator_churn", kOwn, share, kAllocatorShare, share.value_or(0) > kAllocatorShare);
    one.text = Make(finding::RecommendationAllocator{.share = share.value_or(0)});
    if (facts_.allocator_calls > 0) {
      one.evidence = {Make(finding::RecommendationAllocatorCalls{.calls = facts_.allocator_calls,
                                                                 .time = facts_.allocator_ns})};
    }
    one.advice = Make(finding::RecommendationKeepBlocks{});
    Gain(one, share.value_or(0), facts_.steps_ns);
  }

  const Report& report_;
  const std::vector<DeviceTimes>& devices_;
  RecommendationFacts facts_;
  bool unbegun_work_;
  std::vector<Recommendation> all_;
};

}  // namespace

std::vector<Recommendation> MakeRecommendations(const Trace& trace, const Report& report,
                                                const JobFacts& facts, bool unbegun_work) {
  if (!report.profile) return {};
  std::vector<Recommendation> all = Maker(trace, report, unbegun_work).MakeAll();
  for (Recommendation& one : all) {
    if (one.advice && IsForeign(*one.advice, facts)) one.advice.reset();
  }
  return all;
}

}  // namespace steptrace::analyze
