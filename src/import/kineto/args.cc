// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/args.h"

#include <string_view>

namespace steptrace::import {
namespace {

enum class Fate {
  kDetail,
  kDrop,
  kDropIfZero,
  kDropOnDevice,
  kDropOnHost,
  kCorrelation,
  kExternalId,
  kBytes,
  kSequence,
  kAutogradSequence
};

Fate FateOf(std::string_view key) {
  switch (key.size()) {
    case 3:
      return key == "Seq" ? Fate::kSequence : Fate::kDetail;
    case 5:
      return key == "bytes" ? Fate::kBytes : Fate::kDetail;
    case 6:
      // The device and the stream of device work are its track.
      if (key == "device" || key == "stream") return Fate::kDropOnDevice;
      if (key == "Ev Idx") return Fate::kDrop;
      if (key == "queued") return Fate::kDropIfZero;
      return key == "Device" ? Fate::kDropOnHost : Fate::kDetail;  // in 2021 the pid
    case 9:
      return key == "Python id" ? Fate::kDrop : Fate::kDetail;
    case 10:
      return key == "Trace name" ? Fate::kDrop : Fate::kDetail;
    case 11:
      if (key == "correlation") return Fate::kCorrelation;
      return key == "External id" || key == "external id" ? Fate::kExternalId : Fate::kDetail;
    case 15:
      if (key == "Sequence number") return Fate::kAutogradSequence;
      return key == "Trace iteration" ? Fate::kDrop : Fate::kDetail;
    case 16:
      return key == "Python parent id" ? Fate::kDrop : Fate::kDetail;
    case 18:
      return key == "Record function id" ? Fate::kDrop : Fate::kDetail;
    case 23:
      return key == "memory bandwidth (GB/s)" ? Fate::kDrop : Fate::kDetail;  // bytes / duration
    default:
      return Fate::kDetail;
  }
}

}  // namespace

void ArgsSorter::AppendDetail(const Arg& arg) {
  details_.push_back(details_.empty() ? '{' : ',');
  json::Value key{json::Value::Kind::kString, true, arg.key};
  if (arg.key.find('\\') == std::string_view::npos) key.escaped = false;
  json::AppendCompact(key, &details_);
  details_.push_back(':');
  not_a_number_ += json::AppendCompact(arg.value, &details_);
}

const std::string& ArgsSorter::Sort(const RawEvent& event, bool on_device, Slice* slice) {
  details_.clear();
  const Arg* autograd = nullptr;
  for (const Arg& arg : event.args) {
    int64_t* column = nullptr;
    switch (FateOf(arg.key)) {
      case Fate::kDetail:
        break;
      case Fate::kDrop:
        continue;
      case Fate::kDropIfZero:
        if (arg.value.text == "0") continue;
        break;
      case Fate::kDropOnDevice:
        if (on_device) continue;
        break;
      case Fate::kDropOnHost:
        if (!on_device) continue;
        break;
      case Fate::kCorrelation:
        column = &slice->correlation;
        break;
      case Fate::kExternalId:
        column = &slice->external_id;
        break;
      case Fate::kBytes:
        column = &slice->bytes;
        break;
      case Fate::kSequence:
        column = &slice->sequence;
        break;
      case Fate::kAutogradSequence:
        autograd = &arg;
        continue;
    }
    if (column == nullptr || !json::ReadInteger(arg.value, column)) AppendDetail(arg);
  }
  // Of a collective's own number and autograd's the column holds the first.
  bool taken = slice->sequence != kNull;
  if (autograd && (taken || !json::ReadInteger(autograd->value, &slice->sequence))) {
    AppendDetail(*autograd);
  }
  if (!details_.empty()) details_.push_back('}');
  return details_;
}

}  // namespace steptrace::import
