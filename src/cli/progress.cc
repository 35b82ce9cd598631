// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

constexpr int64_t kBarCharacters = 24;
constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRedraw = std::chrono::milliseconds(200);

}  // namespace

std::string ProgressText(const std::string& what, int64_t done, int64_t total, int64_t elapsed_s,
                         bool unicode) {
  if (total <= 0) return fmt::format("{} … {} s", what, elapsed_s);
  int64_t filled = kBarCharacters * done / total;
  std::string bar;
  for (int64_t i = 0; i < kBarCharacters; ++i) {
    bar += i < filled ? (unicode ? "█" : "#") : (unicode ? "░" : ".");
  }
  return fmt::format("{} {} {} of {}, {} s", what, bar, done, total, elapsed_s);
}

ProgressBar::ProgressBar(std::string what, int64_t total) : what_(std::move(what)), total_(total) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { Run(); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void ProgressBar::Draw(int64_t elapsed_s) const {
  std::string text =
      ProgressText(what_, done_.load(std::memory_order_relaxed), total_, elapsed_s, UseUnicode());
  std::fprintf(stderr, "\r\x1b[2K%s", text.c_str());
}

void ProgressBar::Run() {
  auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, kPatience, [this] { return end_; })) return;
  do {
    auto elapsed = std::chrono::steady_clock::now() - begin;
    Draw(std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
  } while (!ended_.wait_for(lock, kRedraw, [this] { return end_; }));
  std::fputs("\r\x1b[2K", stderr);
}

}  // namespace steptrace::cli
