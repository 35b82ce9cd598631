// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptrace::cli {

struct RenderOptions {
  int width = 80;                       // no line is wider; less than 60 is taken as 60
  bool color = false;                   // ANSI colours
  bool unicode = true;                  // false: ASCII alone
  std::string run{};                    // what a command is given to find the run; empty: its name
  std::optional<int64_t> last_steps{};  // the report is of so many of each rank's steady steps
};

enum class Tint { kPlain, kBold, kDim, kRed, kGreen, kYellow, kMagenta, kCyan };

// Builds the text line by line. Every text that goes in becomes safe here, and no line is wider
// than the page.
class Page {
 public:
  explicit Page(const RenderOptions& options);

  int width() const { return width_; }
  // What a command is given to find the run; empty: its name.
  const std::string& run() const { return run_; }
  const std::optional<int64_t>& last_steps() const { return last_steps_; }
  bool unicode() const { return unicode_; }
  std::string Safe(std::string_view text) const;
  std::string Tinted(std::string_view text, Tint tint) const;
  const char* separator() const { return unicode_ ? " \u00b7 " : " | "; }

  void Blank() { text_ += '\n'; }
  // A line of pieces, each with its tint; cut at the width.
  struct Piece {
    std::string text;
    Tint tint = Tint::kPlain;
  };
  void Line(const std::vector<Piece>& pieces);
  // A line that is not cut where the page is narrower: commands are there to be copied.
  void Command(std::string_view text, Tint tint = Tint::kPlain);
  // Wrapped text; lines after the first stand under its begin. `label` comes before the first.
  void Paragraph(std::string_view label, int indent, std::string_view text,
                 Tint tint = Tint::kPlain);
  std::string Take() { return std::move(text_); }

 private:
  int width_;
  bool color_;
  bool unicode_;
  std::string run_;
  std::optional<int64_t> last_steps_;
  std::string text_;
};

}  // namespace steptrace::cli
