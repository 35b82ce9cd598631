// SPDX-License-Identifier: Apache-2.0
#include "testing/verdict_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "base/fnv.h"
#include "base/time.h"

namespace steptrace::analyze {
namespace {

using Attributes = std::map<std::string, std::string>;

// `62ms`, `1.5s`, `300us`, `20ns`.
int64_t Ns(const std::string& text) {
  size_t used = 0;
  const double value = std::stod(text, &used);
  const std::string unit = text.substr(used);
  if (unit == "s") return std::llround(value * 1e9);
  if (unit == "ms") return std::llround(value * 1e6);
  if (unit == "us") return std::llround(value * 1e3);
  if (unit == "ns" || unit.empty()) return std::llround(value);
  throw std::invalid_argument("no unit of time: " + text);
}

// `a=1 b="two words"`; a word without `=` has an empty value.
Attributes ReadAttributes(const std::string& line) {
  Attributes result;
  for (size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string::npos) break;
    const size_t equals = std::min(line.find('=', at), line.size());
    size_t end = std::min(line.find(' ', at), line.size());
    if (equals > end) {
      result[line.substr(at, end - at)] = "";
      at = end;
      continue;
    }
    const std::string key = line.substr(at, equals - at);
    if (equals + 1 < line.size() && line[equals + 1] == '"') {
      end = std::min(line.find('"', equals + 2), line.size());
      result[key] = line.substr(equals + 2, end - equals - 2);
      at = end + 1;
    } else {
      result[key] = line.substr(equals + 1, end - equals - 1);
      at = end;
    }
  }
  return result;
}

std::string Take(Attributes& attributes, const std::string& key, const std::string& otherwise) {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return otherwise;
  std::string value = found->second;
  attributes.erase(found);
  return value;
}

// A number in [-1, 1] that looks random and is the same everywhere.
double Wobble(uint64_t seed) {
  seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9ull + 0x9E3779B97F4A7C15ull;
  seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EBull;
  seed ^= seed >> 31;
  return static_cast<double>(seed >> 11) / static_cast<double>(uint64_t{1} << 52) - 1;
}

struct NamedTime {
  const char* name;
  int64_t store::StepRow::*ns;
};

constexpr NamedTime kPhases[] = {
    {"data", &store::StepRow::data_ns},
    {"forward", &store::StepRow::forward_ns},
    {"backward", &store::StepRow::backward_ns},
    {"optimizer", &store::StepRow::optimizer_ns},
    {"communication", &store::StepRow::communication_phase_ns},
    {"checkpoint", &store::StepRow::checkpoint_ns},
    {"evaluation", &store::StepRow::evaluation_ns},
    {"logging", &store::StepRow::logging_ns},
    {"gc", &store::StepRow::gc_ns},
    {"compile", &store::StepRow::compile_ns},
    {"capture", &store::StepRow::capture_ns},
    {"other", &store::StepRow::other_phase_ns},
};

constexpr NamedTime kParts[] = {
    {"getitem", &store::StepRow::getitem_ns},
    {"collate", &store::StepRow::collate_ns},
    {"receive", &store::StepRow::receive_ns},
    {"cpu_shortage", &store::StepRow::cpu_shortage_ns},
    {"worker_start", &store::StepRow::worker_start_ns},
    {"blocked_in_fetch", &store::StepRow::blocked_in_fetch_ns},
};

class Parser {
 public:
  explicit Parser(VerdictCase& result) : result_(result) {}
  void Line(const std::string& line);
  void Finish();

 private:
  void Run(Attributes attributes);
  void Options(Attributes attributes);
  void Steps(const std::string& rest);
  void Row(const Attributes& times, double jitter, store::StepRow row);
  void Counter(const std::string& rest);
  void Fact(const std::string& rest);
  void Loss(Attributes attributes);
  void Calls(const std::string& rest);
  void Stack(const std::string& rest);
  void Samples(const std::string& rest);
  int32_t Track(const std::string& thread, int32_t rank);
  void AddSamples();
  store::StringId Id(const std::string& text) { return result_.strings->Intern(text); }

  VerdictCase& result_;
  std::map<int32_t, int64_t> next_step_;
  std::map<int32_t, int64_t> next_ts_ns_;
  std::vector<std::pair<CounterSeries, std::vector<double>>> counters_;

  struct SampleLine {
    int32_t stack = 0;
    int64_t count = 0;
    int32_t rank = 0;
    std::string thread;
    std::string state;
    int64_t interval_ns = 0;
    double within_low = 0;  // the part of a step that holds them
    double within_high = 1;
  };
  std::map<std::string, int32_t> stacks_;  // by name, and by the text of the frames
  std::map<std::pair<std::string, int32_t>, int32_t> tracks_;
  std::vector<SampleLine> sample_lines_;
  std::vector<std::pair<std::string, std::string>> patterns_;
};

void Parser::Run(Attributes attributes) {
  RunInfo& run = result_.input.run;
  run.name = Take(attributes, "name", result_.name);
  run.id = run.name;
  run.status = Take(attributes, "status", "completed");
  run.duration_ns = Ns(Take(attributes, "duration", "0s"));
  run.epoch_utc_ns = 1'767'225'600 * kNsPerSecond;
  if (auto code = Take(attributes, "exit_code", ""); !code.empty()) run.exit_code = std::stoi(code);
  if (auto signal = Take(attributes, "signal", ""); !signal.empty()) run.signal = std::stoi(signal);
  if (auto pid = Take(attributes, "pid", ""); !pid.empty()) {
    run.rank_processes.push_back({0, 0, std::stoll(pid)});
  }
  if (auto worker = Take(attributes, "worker", ""); !worker.empty()) {
    run.workers.push_back({.node = 0, .pid = std::stoll(worker)});
  }
  const int nodes = std::stoi(Take(attributes, "nodes", "1"));
  const int cpus = std::stoi(Take(attributes, "cpus", "2"));
  for (int node = 0; node < nodes; ++node) {
    run.nodes.push_back({.node = node,
                         .host = fmt::format("host{}", node),
                         .cpus = cpus,
                         .memory_bytes = int64_t{24} << 30});
  }
}

void Parser::Options(Attributes attributes) {
  ReportOptions& options = result_.input.options;
  if (auto price = Take(attributes, "price_per_hour", ""); !price.empty()) {
    options.price_per_hour = std::stod(price);
  }
  if (auto last = Take(attributes, "last_steps", ""); !last.empty()) {
    options.last_steps = std::stoll(last);
  }
  options.of_time_range = !Take(attributes, "of_stretch", "").empty();
}

void Parser::Row(const Attributes& times, double jitter, store::StepRow row) {
  // Each phase wobbles for itself, its parts with it.
  const auto of = [&](const char* name, const char* phase) -> int64_t {
    const auto found = times.find(name);
    if (found == times.end() || times.count(phase) == 0) return 0;
    const uint64_t seed = Fnv1a(phase) + static_cast<uint64_t>(row.step * 64 + row.rank);
    return std::llround(static_cast<double>(Ns(found->second)) * (1 + jitter * Wobble(seed)));
  };
  for (const NamedTime& phase : kPhases) row.*phase.ns = of(phase.name, phase.name);
  for (const NamedTime& part : kParts) row.*part.ns = of(part.name, "data");
  row.blocked_in_backward_ns = of("blocked", "backward");
  row.longest_user_range_ns = of("range", "other");
  if (times.count("operators") != 0) {
    row.operators_ns = of("operators", "forward");
    row.dispatch_ns = of("dispatch", "forward");
  }
  // As the derivation fills them: what no other stage takes of a data wait is getitem's.
  row.getitem_ns =
      row.data_ns - row.collate_ns - row.receive_ns - row.cpu_shortage_ns - row.worker_start_ns;
  row.data_pipeline_ns = row.data_ns;
  row.model_ns = row.forward_ns + row.backward_ns + row.optimizer_ns - row.blocked_in_backward_ns;
  row.communication_ns = row.communication_phase_ns + row.blocked_in_backward_ns;
  row.framework_overhead_ns = row.gc_ns + row.compile_ns;
  row.other_ns =
      row.checkpoint_ns + row.evaluation_ns + row.logging_ns + row.capture_ns + row.other_phase_ns;
  row.dur_ns = row.data_pipeline_ns + row.model_ns + row.communication_ns +
               row.framework_overhead_ns + row.other_ns;
  row.ts_ns = next_ts_ns_[row.rank];
  next_ts_ns_[row.rank] += row.dur_ns;
  result_.steps.push_back(row);
}

// steps 100 rank=0 kind=train every=10 jitter=5 data=62ms ...
void Parser::Steps(const std::string& rest) {
  size_t used = 0;
  const int64_t count = std::stoll(rest, &used);
  Attributes attributes = ReadAttributes(rest.substr(used));
  store::StepRow row;
  row.rank = std::stoi(Take(attributes, "rank", "0"));
  row.node = std::stoi(Take(attributes, "node", "0"));
  row.kind = Id(Take(attributes, "kind", "train"));
  row.longest_user_range = Id(Take(attributes, "user_range", ""));
  row.waits = std::stoi(Take(attributes, "waits", "0"));
  row.backwards = std::stoi(Take(attributes, "backwards", "0"));
  row.optimizer_steps = std::stoi(Take(attributes, "optimizer_steps", "0"));
  const double starved = std::stod(Take(attributes, "starved", "0"));
  const double jitter = std::stod(Take(attributes, "jitter", "5")) / 100;
  const auto start = Take(attributes, "at", "");
  if (!start.empty()) next_ts_ns_[row.rank] = Ns(start);
  const auto every = std::stoll(Take(attributes, "every", "1"));
  const std::string only = Take(attributes, "only", "");  // a time that comes each `every`th step
  for (int64_t i = 0; i < count; ++i) {
    row.step = next_step_[row.rank]++;
    // `starved=0.25`: one wait in four meets an empty queue.
    row.starved_waits = std::floor(static_cast<double>(i + 1) * starved) >
                                std::floor(static_cast<double>(i) * starved)
                            ? row.waits
                            : 0;
    Attributes times = attributes;
    if (i % every != every - 1) times.erase(only);
    Row(times, jitter, row);
  }
}

// counter cpu.busy_share [node=0] [device=0] [pid=7] 0.97 0.95 ...: samples over equal time ranges
void Parser::Counter(const std::string& rest) {
  std::istringstream words(rest);
  CounterSeries series;
  words >> series.metric;
  std::vector<double> values;
  for (std::string word; words >> word;) {
    if (word.rfind("node=", 0) == 0) {
      series.node = std::stoi(word.substr(5));
    } else if (word.rfind("device=", 0) == 0) {
      series.device = std::stoi(word.substr(7));
    } else if (word.rfind("pid=", 0) == 0) {
      series.pid = std::stoll(word.substr(4));
    } else {
      values.push_back(std::stod(word));
    }
  }
  counters_.emplace_back(std::move(series), std::move(values));
}

void Parser::Fact(const std::string& rest) {
  const size_t brace = std::min(rest.find('{'), rest.size());
  std::istringstream words(rest.substr(0, brace));
  store::RunMetadataRow row;
  row.rank = 0;
  for (std::string word; words >> word;) {
    if (word.rfind("rank=", 0) == 0) {
      row.rank = std::stoi(word.substr(5));
    } else if (word.rfind("pid=", 0) == 0) {
      row.pid = std::stoll(word.substr(4));
    } else {
      row.kind = Id(word);
    }
  }
  row.json = rest.substr(brace);
  result_.facts.push_back(row);
}

void Parser::Loss(Attributes attributes) {
  store::DataLossRow row;
  row.table = Id(Take(attributes, "table", "slices"));
  row.cause = Id(Take(attributes, "cause", "ring_full"));
  row.count = std::stoll(Take(attributes, "count", "-1"));
  row.detail = Take(attributes, "detail", "");
  row.rank = std::stoi(Take(attributes, "rank", "-1"));
  const std::string from = Take(attributes, "from", ""), to = Take(attributes, "to", "");
  if (!from.empty()) row.from_ns = Ns(from);
  if (!to.empty()) row.to_ns = Ns(to);
  result_.losses.push_back(row);
}

// calls all_reduce a_step=84 bytes=8192 asynchronous=0 took=5ms: of every step
void Parser::Calls(const std::string& rest) {
  const size_t end = std::min(rest.find(' '), rest.size());
  Attributes attributes = ReadAttributes(rest.substr(end));
  ExchangeSums& sums = result_.input.calls.by_name[rest.substr(0, end)];
  sums.calls = std::stoll(Take(attributes, "a_step", "1"));
  sums.asynchronous = std::stoll(Take(attributes, "asynchronous", "0"));
  sums.bytes = sums.calls * std::stoll(Take(attributes, "bytes", "0"));
  sums.ns = Ns(Take(attributes, "took", "1ms"));
}

// Frames of torch that the words below stand for.
std::string FrameText(const std::string& word) {
  const std::string torch = "/venv/lib/python3.11/site-packages/torch/";
  if (word == "FETCH") {
    return "_MapDatasetFetcher.fetch@" + torch + "utils/data/_utils/fetch.py:52";
  }
  if (word == "WORKER") return "_worker_loop@" + torch + "utils/data/_utils/worker.py:349";
  if (word == "COLLATE") return "default_collate@" + torch + "utils/data/_utils/collate.py:398";
  if (word == "NEXT")
    return "_BaseDataLoaderIter.__next__@" + torch + "utils/data/dataloader.py:733";
  if (word == "MODULE") return "Module._call_impl@" + torch + "nn/modules/module.py:1786";
  if (word == "BACKWARD") return "backward@" + torch + "autograd/__init__.py:353";
  if (word == "OPTIMIZER") return "Optimizer.wrapper@" + torch + "optim/optimizer.py:493";
  return word;
}

// stack NAME main@/job/train.py:9 > FETCH > Rows.read@/job/dataset.py:24, outermost first
void Parser::Stack(const std::string& rest) {
  std::istringstream words(rest);
  std::string name;
  words >> name;
  std::string path;
  std::optional<int32_t> parent;
  for (std::string word; words >> word;) {
    if (word == ">") continue;
    const std::string frame = FrameText(word);
    path += " > " + frame;
    auto [found, is_new] = stacks_.emplace(path, static_cast<int32_t>(result_.stacks.size()));
    if (is_new) {
      const size_t at = frame.find('@');
      const size_t colon = frame.rfind(':');
      store::StackRow row;
      row.stack = found->second;
      row.parent = parent;
      row.kind = Id("python");
      row.function = Id(frame.substr(0, at));
      row.file = Id(frame.substr(at + 1, colon - at - 1));
      row.line = std::stoi(frame.substr(colon + 1));
      result_.stacks.push_back(row);
    }
    parent = found->second;
  }
  stacks_["=" + name] = parent.value();
}

// samples 60 NAME [rank=0] [thread=worker] [state=running] [interval=50ms] [within=0..0.6]
void Parser::Samples(const std::string& rest) {
  std::istringstream words(rest);
  SampleLine line;
  std::string name;
  words >> line.count >> name;
  std::string attributes;
  std::getline(words, attributes);
  Attributes given = ReadAttributes(attributes);
  line.stack = stacks_.at("=" + name);
  line.rank = std::stoi(Take(given, "rank", "0"));
  line.thread = Take(given, "thread", "worker");
  line.state = Take(given, "state", "running");
  line.interval_ns = Ns(Take(given, "interval", "50ms"));
  const std::string within = Take(given, "within", "0..1");
  const size_t dots = within.find("..");
  line.within_low = std::stod(within);
  line.within_high = std::stod(within.substr(dots + 2));
  sample_lines_.push_back(std::move(line));
}

// The main thread of the rank's process, one beside it, or that of a worker of its.
int32_t Parser::Track(const std::string& thread, int32_t rank) {
  const auto [found, is_new] =
      tracks_.emplace(std::pair{thread, rank}, static_cast<int32_t>(result_.tracks.size()));
  if (!is_new) return found->second;
  auto& processes = result_.input.run.rank_processes;
  auto of = std::find_if(processes.begin(), processes.end(),
                         [rank](const RankProcess& one) { return one.rank == rank; });
  if (of == processes.end()) of = processes.insert(of, {rank, 0, 1000 + rank});
  store::TrackRow row;
  row.track = found->second;
  row.kind = Id("thread");
  row.rank = rank;
  row.pid = thread == "worker" ? 5000 + rank : of->pid;
  row.tid = *row.pid + (thread == "beside" ? 1 : 0);
  result_.tracks.push_back(row);
  return found->second;
}

// Spread over the steps, each line in places of its own: by the golden ratio.
void Parser::AddSamples() {
  int64_t number = 0;
  for (const SampleLine& line : sample_lines_) {
    std::vector<const store::StepRow*> steps;
    for (const store::StepRow& row : result_.steps) {
      if (row.rank == line.rank) steps.push_back(&row);
    }
    const int64_t from_ns = steps.empty() ? 0 : steps.front()->ts_ns;
    const auto span = static_cast<double>(next_ts_ns_[line.rank] - from_ns);
    for (int64_t i = 0; i < line.count; ++i) {
      const double place = static_cast<double>(++number) * 0.6180339887498949;
      store::SampleRow row;
      const double part = place - std::floor(place);
      row.ts_ns = from_ns + static_cast<int64_t>(part * span);
      if (line.within_low > 0 || line.within_high < 1) {
        const auto& step = *steps.at(static_cast<size_t>(i) % steps.size());
        const double at = line.within_low + part * (line.within_high - line.within_low);
        row.ts_ns = step.ts_ns + static_cast<int64_t>(at * static_cast<double>(step.dur_ns));
      }
      row.track = Track(line.thread, line.rank);
      row.stack = line.stack;
      row.state = Id(line.state);
      row.interval_ns = line.interval_ns;
      result_.samples.push_back(row);
    }
  }
}

void Parser::Line(const std::string& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string word = line.substr(0, end);
  const std::string rest = line.substr(std::min(end + 1, line.size()));
  if (word == "run") return Run(ReadAttributes(rest));
  if (word == "options") return Options(ReadAttributes(rest));
  if (word == "steps") return Steps(rest);
  if (word == "counter") return Counter(rest);
  if (word == "fact") return Fact(rest);
  if (word == "loss") return Loss(ReadAttributes(rest));
  if (word == "calls") return Calls(rest);
  if (word == "stack") return Stack(rest);
  if (word == "samples") return Samples(rest);
  if (word == "stages") {
    for (auto& [pattern, stage] : ReadAttributes(rest)) patterns_.emplace_back(pattern, stage);
    return;
  }
  if (word.rfind("expect", 0) == 0) {
    result_.expectations.emplace_back(word, rest);
    return;
  }
  throw std::invalid_argument("unknown word: " + word);
}

void Parser::Finish() {
  RunInfo& run = result_.input.run;
  for (const auto& [rank, ts_ns] : next_ts_ns_) run.duration_ns = std::max(run.duration_ns, ts_ns);
  constexpr int64_t kSamples = 24;
  for (auto& [series, values] : counters_) {
    for (int64_t i = 0; i <= kSamples && !values.empty(); ++i) {
      series.times_ns.push_back(run.duration_ns / kSamples * i);
      const auto size = static_cast<int64_t>(values.size());
      series.values.push_back(values[static_cast<size_t>(std::min(i * size / kSamples, size - 1))]);
    }
    result_.input.counters.push_back(std::move(series));
  }
  result_.input.strings = result_.strings.get();
  result_.input.steps = result_.steps;
  ExchangeCounts& calls = result_.input.calls;
  calls.steps = static_cast<int64_t>(result_.steps.size());
  for (auto& [name, sums] : calls.by_name) {
    for (int64_t* sum : {&sums.calls, &sums.asynchronous, &sums.bytes, &sums.ns}) {
      *sum *= calls.steps;
    }
  }
  result_.input.facts = result_.facts;
  result_.input.losses = result_.losses;
  auto table = StageTable::Create(std::move(patterns_));
  if (!table.ok()) throw std::invalid_argument(table.error().text());
  result_.stage_table = *std::move(table);
  AddSamples();
  if (result_.stacks.empty()) return;
  result_.sums = std::make_unique<SampleSums>(result_.input, result_.tracks, result_.stacks,
                                              result_.stage_table);
  result_.sums->Add(result_.samples);
  result_.input.samples = result_.sums.get();
}

}  // namespace

Result<VerdictCase> ParseVerdictCase(const std::string& name, const std::string& text) {
  VerdictCase result;
  result.name = name;
  Parser parser(result);
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    try {
      parser.Line(line);
    } catch (const std::exception& error) {
      return Error{fmt::format("{}:{}: {}", name, number, error.what())};
    }
  }
  parser.Finish();
  return result;
}

Result<VerdictCase> ReadVerdictCase(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return Error{fmt::format("{}: cannot be opened", file.string())};
  std::stringstream text;
  text << stream.rdbuf();
  return ParseVerdictCase(file.stem().string(), text.str());
}

}  // namespace steptrace::analyze
