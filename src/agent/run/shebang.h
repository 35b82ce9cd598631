// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptrace::agent {

// What the kernel looks at of a file that is to be executed: its first 256 bytes. Empty: it is no
// file, or cannot be read. A pipe that bears the name is not waited for.
std::string FirstBytes(const std::string& path);

// What follows `#!`, by the kernel's rules: the file of the interpreter, and all behind it as one
// argument. A carriage return is part of either.
struct InterpreterLine {
  std::string interpreter;
  std::string option;
};
// Nothing: it is no script, or one that names no interpreter.
std::optional<InterpreterLine> InterpreterLineIn(std::string_view first_bytes);

// What the kernel executes for a command that is a script: the interpreter of its first line with
// its option, the script's path, the arguments. A command that is none comes back as it is, and so
// does one that cannot be read. `search` is a PATH.
std::vector<std::string> ThroughInterpreter(const std::vector<std::string>& command,
                                            const std::string& search);

}  // namespace steptrace::agent
