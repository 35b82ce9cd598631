// SPDX-License-Identifier: Apache-2.0
// A file that several threads read in pieces gives the run that one thread gives, to the byte.
#include "import/formats/kineto/split_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "import/core/rows/run_sink.h"
#include "import/core/sources/find_sources.h"
#include "import/core/sources/source.h"
#include "import/import_profiles.h"

namespace steptrace::import::kineto {
namespace {

namespace fs = std::filesystem;

std::string Bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "split_reader_test.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// All of a run but for what names it: its files by their names, or the error that it ended with.
using RunText = std::map<std::string, std::string>;

RunText Imported(const fs::path& folder, Parallel parallel, const Limits& limits = {}) {
  ImportOptions options;
  options.output = folder / "run";
  options.limits = limits;
  options.parallel = parallel;
  int64_t done = 0;
  auto summary =
      Import({(folder / "made.json").string()}, options, [&](int64_t now, int64_t) { done = now; });
  if (!summary.ok()) return {{"error", summary.error().text()}};
  RunText run{{"events", std::to_string(summary->events)}, {"read", std::to_string(done)}};
  for (const auto& entry : fs::recursive_directory_iterator(options.output)) {
    if (!entry.is_regular_file()) continue;
    std::string name = entry.path().lexically_relative(options.output).string();
    run[name] = Bytes(entry.path());
  }
  auto manifest = nlohmann::json::parse(run["run.json"]);
  manifest.erase("id");
  manifest.erase("crc32");
  run["run.json"] = manifest.dump();
  std::erase_if(run, [](const auto& file) { return file.first.starts_with("manifest/"); });
  fs::remove_all(options.output);
  return run;
}

// Whether pieces of any size, read by any number of threads, give what one thread gives.
void ExpectSame(const std::string& text, const Limits& limits = {}) {
  Folder folder;
  std::ofstream(folder.path() / "made.json", std::ios::binary) << text;
  RunText wanted = Imported(folder.path(), {1, 0}, limits);
  for (const Parallel& parallel : {Parallel{2, 509}, Parallel{3, 61}, Parallel{7, 4001}}) {
    RunText found = Imported(folder.path(), parallel, limits);
    const auto manifest = [](RunText& run) {
      return nlohmann::json::parse(run["run.json"], nullptr, false);
    };
    if (wanted.contains("run.json") && found.contains("run.json")) {
      EXPECT_EQ(nlohmann::json::diff(manifest(wanted), manifest(found)).dump(), "[]");
    }
    for (const auto& [name, content] : wanted) {
      ASSERT_TRUE(found[name] == content) << name << " with " << parallel.threads << " threads of\n"
                                          << text;
    }
    ASSERT_EQ(found.size(), wanted.size());
  }
}

std::string Gzipped(const std::string& text) {
  std::string packed(text.size() + text.size() / 8 + 4096, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(packed.data());
  stream.avail_out = static_cast<uint32_t>(packed.size());
  EXPECT_EQ(isal_deflate_stateless(&stream), COMP_OK);
  packed.resize(stream.total_out);
  return packed;
}

std::string Head(const std::string& members = "") {
  return R"({"schemaVersion": 1, )" + members + R"("distributedInfo": {"rank": 3},
  "traceEvents": [
)";
}

// Events of all kinds, with texts and arguments that look like the begin of one.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  std::string Event() {
    switch (random_() % 24) {
      case 0:
        return fmt::format(R"({{"ph": "s", "id": {}, "pid": 4, "tid": {}, "ts": {}.5,
    "cat": "fwdbwd", "name": "fwdbwd"}})",
                           random_() % 9, Tid(), now_);
      case 1:  // goes to the operator before it, not to the one inside that begins with it
        now_ += 30;
        return fmt::format(R"({0}"name": "outer", "ts": {1}, "dur": 20}},
    {{"ph": "f", "id": {2}, "pid": 4, "tid": 11, "ts": {1}, "cat": "fwdbwd", "name": "fwdbwd",
    "bp": "e"}}, {0}"name": "inner", "ts": {1}, "dur": 2}})",
                           R"({"ph": "X", "cat": "cpu_op", "pid": 4, "tid": 11, )", now_,
                           random_() % 9);
      case 2:
        return fmt::format(R"({{"ph": "C", "name": "c{}", "pid": 4, "ts": {}, )"
                           R"("args": {{"a": {}, "b": 2}}}})",
                           random_() % 5, now_, random_() % 100);
      case 3:
        return fmt::format(R"({{"ph": "i", "cat": "cpu_instant_event", "s": "t", )"
                           R"("name": "[memory]", "pid": 4, "tid": {}, "ts": {}, )"
                           R"("args": {{"Bytes": {}, "Device Type": 1, "Device Id": 0}}}})",
                           Tid(), now_, random_() % 4096);
      case 4:
        return fmt::format(R"({{"ph": "M", "name": "thread_name", "pid": 4, "tid": {}, "ts": 0, )"
                           R"("args": {{"name": "thread {{}} {}"}}}})",
                           Tid(), random_() % 50);
      case 5:
        return fmt::format(R"({{"ph": "i", "s": "g", "name": "mark", "pid": 4, "tid": {}, )"
                           R"("ts": {}}})",
                           Tid(), now_);
      default:
        return Complete(Any({"cpu_op", "kernel", "cuda_runtime", "python_function"}), Tid());
    }
  }

  // What a piece cannot deal with, or what is damaged.
  std::string Odd() {
    switch (random_() % 10) {
      case 0:
        return fmt::format(R"({{"ph": "B", "name": "range", "pid": 4, "tid": {}, "ts": {}}})",
                           Tid(), now_);
      case 1:
        return fmt::format(R"({{"ph": "E", "pid": 4, "tid": {}, "ts": {}}})", Tid(), now_);
      case 2:
        return R"({"ph": "X", "cat": "cpu_op", "name": "at 0", "pid": 4, "tid": 4, "ts": 0, )"
               R"("dur": 1})";
      case 3:
        return R"({"ph": "X", "cat": "cpu_op", "name": "cut" off"})";
      case 4:
        return "INFO: a line of a log, {\"ph\": 1 }";
      case 5:
        return R"({"ph": "X", "cat": "Trace", "name": "span", "pid": "Spans", "tid": "P", )"
               R"("ts": 7, "dur": 900})";
      case 6:
        return R"({"name": "no event"})";
      case 7:
        return fmt::format(R"({{"ph": "b", "cat": "a", "id": 1, "name": "n", "pid": 4, "ts": {}}})",
                           now_);
      case 8:
        return "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"\xff\xfe\", \"pid\": 4, "
               "\"tid\": 4, \"ts\": 77, \"dur\": NaN, \"args\": {\"x\": Infinity, \"x\": NaN}}";
      default:
        return "";
    }
  }

  std::string Separator() { return Any({",", ",\n  ", " , ", ",,", "", "\n"}); }
  uint32_t Number() { return static_cast<uint32_t>(random_()); }

 private:
  std::string Any(std::initializer_list<const char*> from) {
    return from.begin()[random_() % from.size()];
  }
  std::string Tid() { return Any({"11", "12", "\"stream 7\"", "7", "\"odd\""}); }

  std::string Complete(const std::string& category, auto tid) {
    now_ += random_() % 3;
    std::string name = Any({"gemm", "relu", R"(,{\"ph\":\"X\",\"name\":\"fake\"}})", "}{", "}, {",
                            R"(a\\)", R"(x\u0041\n)", "caf\xc3\xa9"});
    std::string args = Any(
        {R"("grid": [1, 2, 3])", R"("list": [1, {"ph": "X", "name": "in", "pid": 4, "ts": 9}])",
         R"("list": [{"a": 1}, {"ph": "X", "ts": 5, "pid": 1, "tid": 1}, {"name": "x", "ph": "i"}])",
         R"("Input Dims": [[], {"name": "\"}, {\"ph\": \"X\""}])", R"("stack": "a;b;{\"ph\"")",
         R"("Seq": 12, "dtype": "Float", "bytes": "0x10")", R"("v": N/A)"});
    return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {},
    "ts": {}.{:03d}, "dur": {}, "args": {{"External id": {}, {}}}}})",
                       category, name, random_() % 2, tid, now_, random_() % 1000, random_() % 50,
                       random_() % 9999, args);
  }

  std::mt19937 random_;
  int64_t now_ = 1;
};

std::string Made(uint32_t seed, int events, uint32_t one_odd_in) {
  Writer writer(seed);
  std::string text = Head();
  for (int i = 0; i < events; ++i) {
    text += writer.Event() + writer.Separator();
    if (one_odd_in > 0 && writer.Number() % one_odd_in == 0) {
      text += writer.Odd() + writer.Separator();
    }
  }
  return text + R"({"ph": "i", "name": "last", "pid": 1, "tid": 1, "ts": 5}], "traceName": "x"})";
}

TEST(SplitReader, SoundFiles) {
  for (uint32_t seed = 0; seed < 6; ++seed) ExpectSame(Made(seed, 300, 0));
}

TEST(SplitReader, FilesWithDamageAndEventsThatDependOnOthers) {
  for (uint32_t seed = 0; seed < 12; ++seed) ExpectSame(Made(seed, 200, seed < 6 ? 40 : 7));
}

TEST(SplitReader, FilesCutAnywhereOrWithBytesLost) {
  std::string whole = Made(99, 120, 30);
  std::mt19937 random(5);
  for (int i = 0; i < 10; ++i) {
    size_t at = random() % whole.size();
    ExpectSame(i % 2 == 0 ? whole.substr(0, at) : std::string(whole).erase(at, random() % 40));
  }
}

// What an event without a category is, names tell that stand ahead of it, in another piece too.
TEST(SplitReader, LinesIdentifiedByNames) {
  std::mt19937 random(11);
  for (const int named_at : {0, 60, 250}) {
    std::string text = "[";
    for (int i = 0; i < 300; ++i) {
      if (i == named_at) {
        text += R"({"ph": "M", "name": "process_name", "pid": 4425123, "tid": 0,
    "args": {"name": "Ascend Hardware"}},
  {"ph": "M", "name": "process_name", "pid": 4425187, "args": {"name": "HCCL"}},
  {"ph": "M", "name": "thread_name", "pid": 4425187, "tid": 1, "args": {"name": "Plane 0"}},)";
      }
      if (i == 150) {
        text += R"({"ph": "M", "name": "process_name", "pid": 4424931, "args": {"name": "CANN"}},)";
      }
      const char* line = random() % 2 == 0 ? "4425123" : random() % 2 == 0 ? "4425187" : "4424931";
      const int at = 100 + 10 * i;
      text += fmt::format(R"({{"name": "hcom_allReduce__868_{0}_1", "pid": {1}, "tid": {2},
    "ts": "{3}.5", "dur": 5, "args": {{"Task Type": "AI_CORE", "Task Id": {0}, "count": 4,
    "data_type": "FP32", "connection_id": {0}}}, "ph": "X"}},
  {{"ph": "f", "cat": "HostToDevice", "name": "HostToDevice{0}", "id": "{0}", "pid": {1},
    "tid": {2}, "ts": "{3}.5", "bp": "e"}},
  {{"ph": "s", "cat": "HostToDevice", "name": "HostToDevice{0}", "id": "{0}", "pid": 4424931,
    "tid": 7, "ts": "{3}.25"}},)",
                          i, line, random() % 3, at);
    }
    text.back() = ']';
    ExpectSame(text);
  }
}

TEST(SplitReader, LinesOfXla) {
  std::mt19937 random(12);
  for (const int named_at : {0, 120}) {
    std::string text = R"({"displayTimeUnit": "ns", "traceEvents": [)";
    for (int i = 0; i < 300; ++i) {
      if (i == named_at) {
        text += R"({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
  {"ph": "M", "pid": 1, "tid": 14, "name": "thread_name", "args": {"name": "Stream #14(H2D) "}},
  {"ph": "M", "pid": 1, "tid": 17, "name": "thread_name", "args": {"name": "XLA Ops"}},
  {"ph": "M", "pid": 701, "name": "process_name", "args": {"name": "/host:CPU"}},)";
      }
      text += fmt::format(R"({{"ph": "X", "pid": 1, "tid": {0}, "ts": {1}.125, "dur": 2.5,
    "name": "loop_fusion_{2}", "args": {{"hlo_op": "op.{2}", "correlation_id": "{1}"}}}},
  {{"ph": "X", "pid": 701, "tid": 3, "ts": {1}, "dur": 9, "name": "train",
    "args": {{"step_num": "{1}"}}}},
  {{"ph": "X", "pid": 701, "tid": 3, "ts": {1}.5, "dur": 1e-06, "name": "$train.py:{2} load"}},)",
                          random() % 2 == 0 ? 14 : 17, 100 + 10 * i, random() % 4);
    }
    text.back() = ']';
    ExpectSame(text + "}");
  }
}

TEST(SplitReader, TimesAtZeroBeforeAnyOther) {
  std::string text = Head();
  for (int i = 0; i < 50; ++i) {
    text += R"({"ph": "X", "cat": "cpu_op", "name": "z", "pid": 1, "tid": 1, "ts": 0, "dur": 1},)";
  }
  for (const char* time : {"1.000", "60000001.5"}) {
    std::string later;
    for (int i = 0; i < 50; ++i) {
      later += fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "l", "pid": 1, "tid": 1, )"
                           R"("ts": {}, "dur": 1}},)",
                           time);
    }
    ExpectSame(text + later + text + "]}");
  }
}

// Rows beyond the limit of memory go to the file in groups, which end at the same row.
TEST(SplitReader, GroupsOfRowsEndWhereTheyWouldWithOneThread) {
  Limits limits;
  limits.max_rows_in_memory = 40 << 10;
  for (uint32_t seed = 40; seed < 43; ++seed) ExpectSame(Made(seed, 1500, 300), limits);
}

TEST(SplitReader, WhatIsTooDeepIsRefusedAsOneThreadRefusesIt) {
  Limits limits;
  limits.max_depth = 30;
  std::string text = Made(3, 200, 0);
  text.insert(text.size() / 2, R"({"ph": "X", "args": {"a": )" + std::string(200, '['));
  ExpectSame(text, limits);
}

// An event longer than what a piece may overhang, and one beyond the limit.
TEST(SplitReader, LongEvents) {
  Writer writer(8);
  std::string text = Head();
  for (size_t length : {100, 70'000, 200'000, 700'000, 3'000'000}) {
    for (int i = 0; i < 20; ++i) text += writer.Event() + ",";
    text += R"({"ph": "X", "name": "long", "ts": 1, "pid": 1, "tid": 1, "args": {"a": ")" +
            std::string(length, 'a') + R"("}},)";
  }
  Limits limits;
  limits.max_event_bytes = 1 << 20;
  Folder folder;
  std::ofstream(folder.path() / "made.json", std::ios::binary) << text << "]}";
  RunText wanted = Imported(folder.path(), {1, 0}, limits);
  EXPECT_TRUE(Imported(folder.path(), {2, 100'000}, limits) == wanted);
}

// Whichever thread it is that gets no more.
TEST(SplitReader, MemoryThatIsNotEnoughIsAnErrorThatLeavesNothing) {
  const std::string text = Made(60, 300, 0);
  for (const std::string& bytes : {text, Gzipped(text)}) {
    for (const bool here : {false, true}) {
      Folder folder;
      std::ofstream(folder.path() / "made.json", std::ios::binary) << bytes;
      ImportOptions options;
      options.output = folder.path() / "run";
      options.parallel = {3, 4001};
      int calls = 0;  // of this thread
      options.stopped = [&, own = std::this_thread::get_id()] {
        const bool is_own = std::this_thread::get_id() == own;
        if (is_own ? here && ++calls == 4 : !here) throw std::bad_alloc();
        return false;
      };
      const auto summary = Import({(folder.path() / "made.json").string()}, options, {});
      ASSERT_FALSE(summary.ok());
      EXPECT_THAT(summary.error().text(), testing::HasSubstr("not enough memory; free"));
      for (const auto& entry : fs::directory_iterator(folder.path())) {
        EXPECT_EQ(entry.path().filename(), "made.json");
      }
    }
  }
}

TEST(SplitReader, PackedFiles) {
  ExpectSame(Gzipped(Made(60, 300, 0)));
  ExpectSame(Gzipped(Made(61, 200, 12)));
  ExpectSame(Gzipped(Made(70, 100, 0)) + Gzipped("") + Gzipped(" \n lines of a log"));
}

TEST(SplitReader, PackedFilesThatAreCutOrDamaged) {
  std::string whole = Gzipped(Made(71, 300, 30));
  std::mt19937 random(6);
  for (int i = 0; i < 4; ++i) {
    size_t at = 20 + random() % (whole.size() - 20);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ExpectSame(i % 2 == 0 ? whole.substr(0, at) : damaged);
  }
  ExpectSame(whole + "other bytes");
}

TEST(SplitReader, PackedFilesBeyondTheLimitOfTheirBytes) {
  Limits limits;
  limits.max_bytes = 30'000;
  ExpectSame(Gzipped(Made(72, 300, 0)), limits);
}

// Longer than what is kept of the stream at one time; also where the document goes on without the
// pieces: through damage, and through an event that is longer than that.
TEST(SplitReader, PackedFilesLongerThanWhatIsKept) {
  std::string piece = Made(73, 2000, 500);
  size_t begin = piece.find('[') + 1;
  std::string events = piece.substr(begin, piece.rfind(']') - begin);
  for (const std::string& between :
       {std::string(), std::string(3'000'000, '.'),
        R"({"ph": "X", "name": "long", "ts": 1, "pid": 1, "tid": 1, "args": {"a": ")" +
            std::string(3'000'000, 'a') + R"("}},)"}) {
    std::string text = Head();
    while (text.size() < 1'300'000) text += events + ",\n";
    text += between + events + "]}";
    Folder folder;
    std::ofstream(folder.path() / "made.json", std::ios::binary) << Gzipped(text);
    RunText wanted = Imported(folder.path(), {1, 0});
    const RunText found = Imported(folder.path(), {5, 30'011});
    EXPECT_TRUE(found == wanted) << between.size();
  }
}

// Pieces do read: the document's thread would otherwise do all of it, and rightly.
TEST(SplitReader, PiecesAreTaken) {
  Folder folder;
  std::string text = Head();
  for (int i = 0; i < 4000; ++i) {
    text += fmt::format(R"({}{{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, )"
                        R"("ts": {}.5, "dur": 3, "args": {{"stream": 7}}}})",
                        i > 0 ? ",\n" : "", 100 + i);
  }
  text += "]}";
  std::ofstream(folder.path() / "made.json", std::ios::binary) << text;
  Limits limits;
  auto source = FindSources((folder.path() / "made.json").string(), limits);
  ASSERT_TRUE(source.ok());
  auto stream = source->sources.front().Open();
  ASSERT_TRUE(stream.ok());
  fs::create_directory(folder.path() / "run");
  RunSink sink(folder.path() / "run", limits);
  TextCache texts;
  PartSink& part = sink.AddPart();
  TraceReader reader(part, texts);
  SplitReader split(**stream, {2, 5000, static_cast<int64_t>(text.size()), "made.json", limits},
                    part, reader);
  int64_t taken = 0;
  int64_t position = static_cast<int64_t>(text.find("},\n{", 5000)) + 3;
  while (split.next() < static_cast<int64_t>(text.size())) {
    auto got = split.TakeAt(position);
    ASSERT_TRUE(got.ok());
    taken += got->events;
    if (got->events == 0) break;
    position = got->end;
  }
  EXPECT_GT(taken, 3900);
  EXPECT_EQ(text[static_cast<size_t>(position)], ']');
}

}  // namespace
}  // namespace steptrace::import::kineto
