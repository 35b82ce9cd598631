# SPDX-License-Identifier: Apache-2.0
# With STEPTRACE_PRECOMPILE the compiler reads the headers of the libraries once, not in every source: a
# third of the time of an unoptimised build. What ships is built without, so that each source is seen to
# include what it uses.
set(precompiled_folders store timeline analyze import agent serve cli)
set(precompiled_headers <algorithm> <array> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional> <set>
    <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
    <nlohmann/json.hpp> <arrow/api.h>)

# steptrace_precompile(NAME KIND)   KIND: library or test. They are apart as -fPIC and -fPIE are.
function(steptrace_precompile name kind)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX REPLACE "/.*" "" folder "${folder}")
  if(NOT STEPTRACE_PRECOMPILE OR NOT folder IN_LIST precompiled_folders)
    return()
  endif()
  set(owner "steptrace_precompiled_${kind}")
  if(NOT TARGET ${owner})
    set(source "${PROJECT_BINARY_DIR}/${owner}.cc")
    if(kind STREQUAL "test")
      file(CONFIGURE OUTPUT "${source}" CONTENT "int main() { return 0; }\n")
      add_executable(${owner} "${source}")
      target_link_libraries(${owner} PRIVATE GTest::gmock GTest::gtest)
      target_precompile_headers(${owner} PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
    else()
      file(CONFIGURE OUTPUT "${source}" CONTENT "")
      add_library(${owner} STATIC "${source}")
    endif()
    target_link_libraries(${owner} PRIVATE PyArrow::arrow fmt::fmt nlohmann_json::nlohmann_json steptrace_warnings)
    target_precompile_headers(${owner} PRIVATE ${precompiled_headers})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${owner})
  # The same of both, as the compiler asks.
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
endfunction()
