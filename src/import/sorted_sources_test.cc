// SPDX-License-Identifier: Apache-2.0
#include "import/sorted_sources.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

#include "import/importers.h"

namespace steptrace::import {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TextOfSource : public ByteStream {
 public:
  explicit TextOfSource(std::string text) : text_(std::move(text)) {}
  Result<size_t> Read(char* out, size_t size) override {
    const size_t count = text_.copy(out, size, at_);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }

 private:
  std::string text_;
  size_t at_ = 0;
};

SortedSources SortedText(const std::string& text, const std::string& path = "x") {
  Source source;
  source.path = source.inside = path;
  source.open = [text]() -> StreamResult {
    return std::unique_ptr<ByteStream>(std::make_unique<TextOfSource>(text));
  };
  SortedSources sorted;
  Sort(source, Limits(), sorted);
  return sorted;
}

// The name of the importer that takes it; "": none does.
std::string TakenBy(const std::string& text, const std::string& path = "x") {
  const SortedSources sorted = SortedText(text, path);
  for (size_t i = 0; i < Importers().size(); ++i) {
    if (!sorted.by_importer[i].empty()) return std::string(store::NameOf(Importers()[i]->format));
  }
  return "";
}

std::vector<std::string> Unknown(const std::string& text, const std::string& path = "x") {
  std::vector<std::string> lines;
  for (const Error& error : SortedText(text, path).unknown) lines.push_back(error.text());
  return lines;
}

TEST(Importers, EachHasANameOfItsOwn) {
  std::vector<store::ProfileFormat> formats;
  for (const Importer* importer : Importers()) {
    EXPECT_FALSE(importer->writer.empty()) << importer->title;
    EXPECT_EQ(std::count(formats.begin(), formats.end(), importer->format), 0) << importer->title;
    formats.push_back(importer->format);
  }
}

TEST(Sort, MarksOfOneWriterCountMoreThanAShape) {
  EXPECT_EQ(TakenBy(R"({"traceEvents":[{"ph":"X"}]})"), "chrome");
  EXPECT_EQ(TakenBy(R"([{"ph":"X"}])"), "chrome");
  EXPECT_EQ(TakenBy("\xEF\xBB\xBF [{\"ph\":\"X\"}]"), "chrome");
  EXPECT_EQ(TakenBy(R"({"schemaVersion":1,"traceEvents":[{"ph":"X"}]})"), "kineto");
  EXPECT_EQ(TakenBy(R"([{"ph":"X","cat":"cpu_op"}])"), "kineto");
  EXPECT_EQ(TakenBy(R"({"deviceProperties":[]})"), "kineto");  // its events may begin later
}

TEST(Sort, TraceEventsOfAJobUnderDebuggerAreItsOwnButForKinetos) {
  const std::string timeline = R"({"traceEvents":[{"ph":"M","args":{"name":"/host:CPU"}}]})";
  EXPECT_EQ(TakenBy(timeline, "detailed_profiling/1/x"), "sagemaker");
  EXPECT_EQ(TakenBy(timeline), "chrome");
  EXPECT_EQ(
      TakenBy(R"({"schemaVersion":1,"traceEvents":[{"ph":"M","args":{"name":"/host:CPU"}}]})"),
      "kineto");
  EXPECT_EQ(TakenBy("[\n{\"ph\":\"B\",\"name\":\"NEGOTIATE_ALLREDUCE\""), "sagemaker");
  EXPECT_EQ(TakenBy("", "1-h_1_2.metadata"), "sagemaker");
}

TEST(Sort, BytesOfPerfettoAreItsOwnWhateverTextTheyHold) {
  // Two packets of a timestamp and the text "cpu_op" behind it, in a field that nobody knows.
  const std::string packet = std::string("\x0A\x7B\x40\x01\xFA\x3F\x76", 7) +
                             R"({"traceEvents":"cpu_op"})" + std::string(94, ' ');
  EXPECT_EQ(TakenBy(packet + packet), "perfetto");
}

TEST(Sort, PlanesOfXlaAreNoPacketsOfPerfetto) {
  EXPECT_EQ(TakenBy(std::string("\x0A\x80\x08\x12\x09/host:CPU", 14) + "..."), "xplane");
  EXPECT_EQ(TakenBy(std::string("\x0A\x0F\x08\x02\x12\x0B/device:TPU", 17)), "xplane");
  EXPECT_EQ(TakenBy(std::string("\x22\x02vm\x0A\x0B\x12\x09/host:CPU", 17)), "xplane");
}

TEST(Sort, UnsupportedFileIsNamedWithAWorkingAlternative) {
  EXPECT_THAT(Unknown(""), ElementsAre("x: is empty"));
  EXPECT_THAT(Unknown("{}"), ElementsAre("x: looks like JSON without trace events"));
  EXPECT_THAT(Unknown(R"({"rocprofiler-sdk-tool": []})"),
              ElementsAre("x: looks like JSON of rocprofv3; record with `rocprofv3 "
                          "--output-format pftrace`"));
  EXPECT_TRUE(SortedText("hello").empty());
}

TEST(LeaveOutCopies, OfAProfileThatIsThereInALesserFormToo) {
  SortedSources sorted = SortedText(std::string("\x0A\x0B\x12\x09/host:CPU", 13), "a/vm.xplane.pb");
  const std::string json = R"({"traceEvents":[{"ph":"X"}]})";
  for (const char* path : {"a/vm.trace.json.gz", "b/vm.trace.json.gz", "a/other.trace.json.gz"}) {
    const SortedSources one = SortedText(json, path);
    for (size_t i = 0; i < Importers().size(); ++i) {
      for (const DetectedSource& detected : one.by_importer[i]) {
        sorted.by_importer[i].push_back(detected);
      }
    }
  }
  LeaveOutCopies(sorted);
  ASSERT_EQ(sorted.copied.size(), 1u);
  EXPECT_EQ(sorted.copied[0].path, "a/vm.trace.json.gz");
  EXPECT_EQ(sorted.copied[0].of, "a/vm.xplane.pb");
  std::vector<std::string> left;
  for (const auto& sources : sorted.by_importer) {
    for (const DetectedSource& detected : sources) left.push_back(detected.source.path);
  }
  EXPECT_THAT(left, testing::UnorderedElementsAre("a/vm.xplane.pb", "b/vm.trace.json.gz",
                                                  "a/other.trace.json.gz"));
}

// {("a.py", 1, "f"): (1, 1, 0.0, 0.0, {})} as marshal writes it.
TEST(Sort, APythonProfileIsDebuggersOnlyInAFolderThatTellsItsMoments) {
  const std::string zero = "g" + std::string(8, '\0');
  const std::string one = std::string("i\x01\0\0\0", 5);
  const std::string stats = "{" +
                            (")\x03" + ("z\x04"
                                        "a.py" +
                                        one)) +
                            "z\x01"
                            "f" +
                            (")\x05" + one) + one + zero + zero + "{00";
  EXPECT_EQ(TakenBy(stats, "c/1596585374963238.0_1596585376008161.5_151-algo-1_2/python_stats"),
            "sagemaker");
  EXPECT_EQ(TakenBy(stats, "train.prof"), "");
  EXPECT_THAT(Unknown(stats, "train.prof"),
              ElementsAre(testing::HasSubstr("a Python profile of cProfile")));
}

TEST(Sort, WhatIsTooDeepIsRefused) {
  const SortedSources sorted = SortedText(std::string(600, '['));
  EXPECT_THAT(sorted.unknown, IsEmpty());
  ASSERT_EQ(sorted.refused.size(), 1u);
  EXPECT_THAT(sorted.refused[0].text(), testing::HasSubstr("nested more than 512 deep"));
}

}  // namespace
}  // namespace steptrace::import
