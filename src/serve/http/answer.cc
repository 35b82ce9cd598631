// SPDX-License-Identifier: Apache-2.0
#include "serve/http/answer.h"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/inert_text.h"

namespace steptrace::http {
namespace {

constexpr size_t kMaxParameters = 256;
constexpr uint64_t kSmallFileBytes = 1 << 20;  // as large as other answers are

int HexOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Percent-decoding; a zero byte, a lone '%' and controls are refused.
std::optional<std::string> Decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = HexOf(text[i + 1]);
      const int low = HexOf(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    out.push_back(c);
  }
  return out;
}

std::string_view TakeUntil(std::string_view& text, std::string_view mark) {
  const size_t end = text.find(mark);
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + mark.size());
  return head;
}

}  // namespace

bool ReadFileAt(const FileBody& file, uint64_t at, size_t bytes, std::string* into) {
  into->resize(bytes);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(file.fd.get(), into->data() + done, bytes - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

Answer FromFile(UniqueFd fd, uint64_t bytes, const char* type) {
  FileBody file{std::move(fd), bytes};
  Answer answer;
  answer.type = type;
  if (bytes > kSmallFileBytes) {
    answer.file = std::make_shared<const FileBody>(std::move(file));
  } else if (!ReadFileAt(file, 0, bytes, &answer.body)) {
    return Refuse(500, {"the answer: cannot be read back", "free some space on the disk"});
  }
  return answer;
}

Answer Refuse(int status, const Error& error) {
  Answer answer;
  answer.status = status;
  const nlohmann::ordered_json json = {
      {"error", {{"cause", error.cause}, {"next_step", error.next_step}}}};
  answer.body =
      InertJson(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return answer;
}

std::string Encode(std::string_view part) {
  std::string out;
  for (const char c : part) {
    out += '%';
    out += "0123456789ABCDEF"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789ABCDEF"[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

bool ParseTarget(std::string_view target, Request* request) {
  if (target.empty() || target.front() != '/') return false;
  request->target = target;
  std::string_view rest = target;
  const auto path = Decode(TakeUntil(rest, "?"), false);
  if (!path) return false;
  request->path = *path;
  while (!rest.empty()) {
    std::string_view pair = TakeUntil(rest, "&");
    if (pair.empty()) continue;
    const auto key = Decode(TakeUntil(pair, "="), true);
    const auto value = Decode(pair, true);
    if (!key || !value || request->query.size() == kMaxParameters) return false;
    request->query.emplace_back(*key, *value);
  }
  return true;
}

}  // namespace steptrace::http
