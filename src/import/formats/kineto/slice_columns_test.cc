// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "import/import_profiles.h"
#include "store/all_tables.h"
#include "store/run_reader.h"
#include "testing/test_run.h"

namespace steptrace::import::kineto {
namespace {

// Of each row of docs/reference/import.md, "Where each field goes", an event that has the field.
constexpr const char* kProfile = R"({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":100,"dur":900},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":110,"dur":50,
 "args":{"External id":5,"Sequence number":9,"Input Dims":[[2,2]]}},
{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":8,"pid":1,"tid":1,"ts":110},
{"ph":"X","cat":"cpu_op","name":"MmBackward0","pid":1,"tid":1,"ts":200,"dur":50},
{"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":8,"pid":1,"tid":1,"ts":200,"bp":"e"},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":120,"dur":5,
 "args":{"correlation":7,"External id":5}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":7,"ts":130,"dur":50,
 "args":{"correlation":7,"External id":5,"bytes":64,"queued":3,"Seq":2,"Process Group Name":"4"}}
]})";

// A column that no field of an event fills is named here, with what fills it.
TEST(SliceColumns, FieldsOfEventsFillThem) {
  const std::set<std::string_view> others = {
      "args",  // importers of SageMaker's events, and of Perfetto's traces that are exports of ours
  };
  store::TempDir dir;
  const auto file = dir.path() / "profile.json";
  std::ofstream(file) << kProfile;
  ImportOptions options;
  options.output = dir.path() / "run";
  const auto summary = Import({file.string()}, options);
  ASSERT_TRUE(summary.ok()) << summary.error().text();
  store::RunReader reader = *store::RunReader::Open(options.output);
  const auto rows = *reader.Read<store::SliceRow>();
  ASSERT_EQ(rows.size(), 5u);
  store::ForEachField<store::SliceRow>([&](const auto& field) {
    bool filled = false;
    for (const store::SliceRow& row : rows) {
      filled = filled || row.*field.member != store::SliceRow().*field.member;
    }
    EXPECT_NE(filled, others.contains(field.name)) << field.name;
  });
}

}  // namespace
}  // namespace steptrace::import::kineto
