# SPDX-License-Identifier: Apache-2.0
# One folder, one target: the functions by which the folders under src/ declare what they hold.
# Tests, benchmarks and fuzzers stand beside the code: thing.cc, thing_test.cc, thing_bench.cc, thing_fuzz.cc.

# With STEPTRACE_UNITY the compiler takes twenty sources of a target at a time: most of a source's cost
# is its headers. So a name in an anonymous namespace is unique in its target.
function(steptrace_unite name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${STEPTRACE_UNITY} UNITY_BUILD_BATCH_SIZE 20)
  if(STEPTRACE_UNITY)  # g++ takes a source within another for a header, whose anonymous types would leak
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# steptrace_library(NAME SOURCES ... [DEPS ...] [PRIVATE_DEPS ...])   headers alone: no SOURCES
function(steptrace_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  if(A_SOURCES)
    add_library(${name} STATIC ${A_SOURCES})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${name} PUBLIC ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS} steptrace_warnings)
    steptrace_unite(${name})
    steptrace_precompile(${name} library)
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${name} INTERFACE ${A_DEPS})
  endif()
endfunction()

# steptrace_hot(NAME)   a library in which an import spends its time: some per cent less of it for more code. g++ 12
# warns of copies that inlining so much makes up.
function(steptrace_hot name)
  set(hot "$<AND:$<CONFIG:RelWithDebInfo>,$<COMPILE_LANG_AND_ID:CXX,GNU>>")
  target_compile_options(${name} PRIVATE $<${hot}:-O3> $<${hot}:-Wno-restrict> $<${hot}:-Wno-stringop-overflow>)
endfunction()

# steptrace_cold(NAME)   a library that prints, parses words and answers requests: a smaller wheel is worth more there.
function(steptrace_cold name)
  set(cold "$<AND:$<CONFIG:RelWithDebInfo>,$<COMPILE_LANGUAGE:CXX>>")
  target_compile_options(${name} PRIVATE $<${cold}:-Os>)
endfunction()

# steptrace_cold_sources(NAME FILE...)   the same of some of a library's sources, named from the folder that says so.
# They are compiled as a library of their own, since no options of single sources reach what is compiled together.
function(steptrace_cold_sources name)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    return()
  endif()
  if(NOT TARGET ${name}_cold)
    add_library(${name}_cold OBJECT)
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS LINK_LIBRARIES)
      set_property(TARGET ${name}_cold PROPERTY ${property} "$<TARGET_PROPERTY:${name},${property}>")
    endforeach()
    target_compile_options(${name}_cold PRIVATE -Os)
    steptrace_unite(${name}_cold)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_cold>)
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(file ${ARGN})
    set(whole "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    list(REMOVE_ITEM sources "${file}" "${whole}")
    target_sources(${name}_cold PRIVATE "${whole}")
  endforeach()
  set_property(TARGET ${name} PROPERTY SOURCES "${sources}")
endfunction()

# steptrace_test(NAME SOURCES ... DEPS ... [LABELS ...])   a GoogleTest binary, run by ctest as one test
function(steptrace_test name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT STEPTRACE_TESTS)
    return()
  endif()
  add_executable(${name} ${A_SOURCES})
  steptrace_unite(${name})
  steptrace_precompile(${name} test)
  target_link_libraries(${name} PRIVATE ${A_DEPS} GTest::gmock GTest::gtest_main steptrace_warnings)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200 LABELS "unit;${A_LABELS}")
  if("tsan" IN_LIST A_LABELS)  # under the thread sanitizer in each `make test`; in `make soak` all are
    add_dependencies(tsan_tests ${name})
  endif()
endfunction()

# steptrace_bench(NAME SOURCES ... DEPS ...)   a Google Benchmark binary; it checks its own answer
function(steptrace_bench name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT STEPTRACE_BENCH)
    return()
  endif()
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_DEPS} benchmark::benchmark steptrace_warnings)
endfunction()

# steptrace_fuzz(NAME SOURCES ... DEPS ...)   a libFuzzer target in the fuzz preset; elsewhere a test of its
# seeds (seeds/NAME beside it) and of what is made of them
function(steptrace_fuzz name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  if(STEPTRACE_FUZZ)
    add_executable(${name} ${A_SOURCES})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE ${A_DEPS} steptrace_warnings)
  else()
    set(seeds "${CMAKE_CURRENT_BINARY_DIR}/${name}_seeds.cc")
    file(CONFIGURE OUTPUT "${seeds}" @ONLY CONTENT
      "extern const char* const fuzz_seeds;\nconst char* const fuzz_seeds = \"@CMAKE_CURRENT_SOURCE_DIR@/seeds/@name@\";\n")
    steptrace_test(${name} SOURCES ${A_SOURCES} "${seeds}" DEPS steptrace_fuzz_seeds ${A_DEPS})
    if(TARGET ${name})  # each source for itself, as libFuzzer has it
      set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
      if(NOT TARGET steptrace_fuzz_seeds)
        add_library(steptrace_fuzz_seeds OBJECT "${PROJECT_SOURCE_DIR}/src/testing/fuzz_seeds_test.cc")
        target_include_directories(steptrace_fuzz_seeds PRIVATE "${PROJECT_SOURCE_DIR}/src")
        target_link_libraries(steptrace_fuzz_seeds PRIVATE GTest::gtest steptrace_warnings)
      endif()
    endif()
  endif()
endfunction()
