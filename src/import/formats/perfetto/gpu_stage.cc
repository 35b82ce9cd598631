// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/gpu_stage.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <string>
#include <utility>

#include "import/formats/perfetto/proto_fields.h"

namespace steptrace::import::perfetto {
namespace {

// {1: x, 2: y, 3: z}
std::string ReadDimensions(std::string_view bytes) {
  uint32_t sizes[3] = {1, 1, 1};
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    const bool known = reader.wire_type() == pbf_wire_type::varint && reader.tag() >= 1 &&
                       reader.tag() <= std::size(sizes);
    if (known) {
      const size_t index = reader.tag() - 1;
      sizes[index] = reader.get_uint32();
    } else {
      reader.skip();
    }
  }
  return fmt::format("[{},{},{}]", sizes[0], sizes[1], sizes[2]);
}

std::pair<std::string_view, std::string_view> ReadExtra(std::string_view bytes) {
  std::pair<std::string_view, std::string_view> extra;
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    if (reader.tag_and_type() == Bytes(gpu::kExtraName)) {
      extra.first = ViewOf(reader);
    } else if (reader.tag_and_type() == Bytes(gpu::kExtraValue)) {
      extra.second = ViewOf(reader);
    } else {
      reader.skip();
    }
  }
  return extra;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = error == std::errc() && !text.empty() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

void ReadLaunch(std::string_view bytes, Annotations* annotations) {
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    if (reader.tag_and_type() == Bytes(gpu::kGrid)) {
      annotations->AddJson("grid", ReadDimensions(ViewOf(reader)));
    } else if (reader.tag_and_type() == Bytes(gpu::kBlock)) {
      annotations->AddJson("block", ReadDimensions(ViewOf(reader)));
    } else {
      reader.skip();
    }
  }
}

}  // namespace

RawStage ReadStage(std::string_view bytes) {
  constexpr size_t kMostExtra = 1 << 10;
  RawStage raw;
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(gpu::kDuration):
        raw.duration = reader.get_uint64();
        break;
      case Varint(gpu::kQueueIid):
      case Varint(gpu::kQueueId):
        raw.queue = reader.get_uint64();
        break;
      case Varint(gpu::kStageIid):
        raw.stage = reader.get_uint64();
        break;
      case Varint(gpu::kGpuId):
        raw.gpu = reader.get_int32();
        break;
      case Bytes(gpu::kName):
        raw.name = ViewOf(reader);
        break;
      case Varint(gpu::kNameIid):
        raw.name_number = reader.get_uint64();
        break;
      case Varint(gpu::kKernelIid):
        raw.kernel_number = reader.get_uint64();
        break;
      case Bytes(gpu::kExtra):
        raw.extra.push_back(ViewOf(reader));
        if (raw.extra.size() > kMostExtra) raw.extra.pop_back();
        break;
      case Bytes(gpu::kLaunch):
        raw.launch = ViewOf(reader);
        break;
      default:
        reader.skip();
    }
  }
  return raw;
}

std::optional<int64_t> StreamIn(std::string_view text) {
  constexpr std::string_view kWord = "stream ";
  size_t at = text.rfind(kWord);
  return at == std::string_view::npos ? std::nullopt : WholeNumber(text.substr(at + kWord.size()));
}

void ReadStageArguments(const RawStage& stage, Annotations* annotations) {
  for (std::string_view bytes : stage.extra) {
    auto [name, value] = ReadExtra(bytes);
    if (name == "process_id" || name == "process_name") continue;  // the same on each
    if (auto number = WholeNumber(value)) {
      annotations->AddInteger(name, *number);
    } else {
      annotations->AddText(name, value);
    }
  }
  ReadLaunch(stage.launch, annotations);
}

}  // namespace steptrace::import::perfetto
