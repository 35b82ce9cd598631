// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "analyze/json/json_parts.h"
#include "analyze/json/sentence_json.h"
#include "analyze/rules/profiling_report.h"

namespace steptrace::analyze {
namespace {

Json BoxJson(const BoxStats& box) {
  return {{"min", box.min},     {"p5", box.p5},          {"p25", box.p25}, {"p50", box.p50},
          {"p75", box.p75},     {"p95", box.p95},        {"max", box.max}, {"lower", box.lower},
          {"upper", box.upper}, {"samples", box.samples}};
}

Json HistogramJson(const Histogram& histogram) {
  return {{"low", histogram.low},
          {"high", histogram.high},
          {"counts", histogram.counts},
          {"below", histogram.below},
          {"above", histogram.above}};
}

Json BoxRowJson(const BoxRow& row) {
  Json json = {{"node", row.node}, {"name", row.name}};
  json.update(BoxJson(row.box));
  json["histogram"] = HistogramJson(row.histogram);
  return json;
}

Json UsageJson(const UsageRow& row) {
  return {{"node", row.node}, {"metric", row.metric}, {"unit", row.unit},
          {"max", row.max},   {"p99", row.p99},       {"p95", row.p95},
          {"p50", row.p50},   {"p5", row.p5},         {"min", row.min}};
}

Json FrameworkJson(const FrameworkTimes& times) {
  return {
      {"train_ns", times.train_ns},
      {"eval_ns", times.eval_ns},
      {"others_ns", times.others_ns},
      {"forward_ns", times.forward_ns},
      {"backward_ns", times.backward_ns},
      {"totals", Each(times.totals, [](const FrameworkTotal& one) -> Json {
         return {{"group", one.group}, {"name", one.name}, {"ns", one.ns}, {"count", one.count}};
       })}};
}

Json DurationJson(const StepDurationRow& row) {
  return {{"rank", row.rank},
          {"kind", row.kind},
          {"count", row.count},
          {"mean_s", row.mean},
          {"max_s", row.max},
          {"p99_s", row.p99},
          {"p95_s", row.p95},
          {"p50_s", row.p50},
          {"min_s", row.min},
          {"outliers", row.outliers},
          {"histogram_s", HistogramJson(row.histogram)}};
}

Json PairJson(const BalancePair& pair) {
  return {{"node_a", pair.node_a},
          {"device_a", pair.device_a},
          {"node_b", pair.node_b},
          {"device_b", pair.device_b},
          {"distance", pair.distance}};
}

Json LoadingJson(const DataLoading& loading) {
  return {{"workers", OrNull(loading.workers)},
          {"cores", OrNull(loading.cores)},
          {"pin_memory", OrNull(loading.pin_memory)},
          {"prefetch_factor", OrNull(loading.prefetch_factor)},
          {"parallel_loaders", OrNull(loading.parallel)},
          {"loading_s", loading.seconds ? BoxJson(*loading.seconds) : Json(nullptr)},
          {"loading_histogram_s", HistogramJson(loading.histogram)},
          {"wait_share", OrNull(loading.wait_share)},
          {"waits", loading.waits},
          {"starved_waits", loading.starved_waits}};
}

Json BottleneckJson(const BottleneckCounts& counts) {
  return {{"snapshots", counts.snapshots},
          {"low_gpu", counts.low_gpu},
          {"bottlenecks", counts.bottlenecks},
          {"share", counts.share}};
}

template <class Data, class Render>
Json SectionJson(const Section<Data>& section, Render render) {
  if (!section.applicable) {
    const Json reason = FindingOrNullJson(section.reason);
    return {{"applicable", false}, {"reason", reason["text"]}, {"reason_kind", reason["kind"]}};
  }
  return {{"applicable", true}, {"data", render(section.data)}};
}

template <class Row>
auto Rows(Json (*render)(const Row&)) {
  return [render](const std::vector<Row>& rows) { return Each(rows, render); };
}

}  // namespace

Json RuleJson(const RuleResult& result) {
  Json parameters = Json::object();
  for (const RuleParameter& one : result.parameters) {
    const Json number = Json::parse(one.value, nullptr, /*allow_exceptions=*/false);
    parameters[one.name] = number.is_number() ? number : Json(one.value);
  }
  const Json advice = FindingOrNullJson(result.advice), reason = FindingOrNullJson(result.reason);
  return {{"name", InfoOf(result.rule).name},
          {"mode", NameOf(result.mode)},
          {"status", NameOf(result.status)},
          {"triggered", result.triggered},
          {"violations", result.violations},
          {"datapoints", result.datapoints},
          {"parameters", std::move(parameters)},
          {"evidence", Each(result.evidence, EvidenceJson)},
          {"advice", advice["text"]},
          {"advice_kind", advice["kind"]},
          {"reason", reason["text"]},
          {"reason_kind", reason["kind"]},
          {"reason_values", reason["values"]}};
}

Json ProfilingReportJson(const ProfilingReport& report) {
  return {{"mode", NameOf(report.mode)},
          {"job",
           {{"started_utc", report.started_utc},
            {"duration_ns", report.duration_ns},
            {"initialization_ns", OrNull(report.phases.initialization_ns)},
            {"training_ns", OrNull(report.phases.training_ns)},
            {"finalization_ns", OrNull(report.phases.finalization_ns)}}},
          {"system_usage", SectionJson(report.system_usage, Rows(UsageJson))},
          {"usage_findings", Each(report.usage_findings, FindingJson)},
          {"framework", SectionJson(report.framework, FrameworkJson)},
          {"rules", Each(report.rules, RuleJson)},
          {"step_durations", SectionJson(report.step_durations, Rows(DurationJson))},
          {"gpu_utilization", SectionJson(report.gpu_utilization, Rows(BoxRowJson))},
          {"load_balance", SectionJson(report.load_balance, Rows(PairJson))},
          {"data_loading", SectionJson(report.data_loading, LoadingJson)},
          {"batch_size", SectionJson(report.batch_size, Rows(BoxRowJson))},
          {"cpu_bottlenecks", SectionJson(report.cpu_bottlenecks, BottleneckJson)},
          {"io_bottlenecks", SectionJson(report.io_bottlenecks, BottleneckJson)},
          {"gpu_memory", SectionJson(report.gpu_memory, Rows(BoxRowJson))}};
}

}  // namespace steptrace::analyze
