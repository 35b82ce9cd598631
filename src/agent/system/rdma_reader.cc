// SPDX-License-Identifier: Apache-2.0
#include "agent/system/rdma_reader.h"

#include <filesystem>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

using store::Metric;

constexpr size_t kMaxPorts = 64;
constexpr double kBytesPerUnit = 4;  // the counters count lanes of four bytes

}  // namespace

void RdmaReader::FindPorts() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path devices = fs::path(sys_root_) / "class/infiniband";
  for (fs::directory_iterator device(devices, error), end; !error && device != end;
       device.increment(error)) {
    std::error_code port_error;
    for (fs::directory_iterator port(device->path() / "ports", port_error);
         !port_error && port != end; port.increment(port_error)) {
      if (ports_.size() >= kMaxPorts) return;
      const fs::path counters = port->path() / "counters";
      ports_.push_back({.received = KeptFile(counters / "port_rcv_data"),
                        .sent = KeptFile(counters / "port_xmit_data")});
    }
  }
}

void RdmaReader::Sample(SampleContext& context) {
  if (!looked_) FindPorts();
  looked_ = true;
  if (ports_.empty()) return;
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  std::optional<double> received, sent;
  const auto add = [&](KeptFile& file, RateOf& rate, std::optional<double>& sum) {
    const auto text = file.Read(buffer_);
    if (!text) return;
    std::string_view rest = *text;
    const auto value = ToU64(TakeLine(rest));
    const auto per_s = value ? rate.Update(*value, seconds) : std::nullopt;
    if (per_s) sum = sum.value_or(0) + *per_s * kBytesPerUnit;
  };
  for (Port& port : ports_) {
    add(port.received, port.received_rate, received);
    add(port.sent, port.sent_rate, sent);
  }
  if (received) context.Emit(Metric::kRdmaReceive, *received);
  if (sent) context.Emit(Metric::kRdmaSend, *sent);
}

}  // namespace steptrace::agent
