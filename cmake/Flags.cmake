# SPDX-License-Identifier: Apache-2.0
# How every file of the house is compiled: strict C11, loud, hardened, asserts on. The two
# C++ files (src/base/regex.cc, src/value/double_digits.cc) likewise, but for what only C has.

option(FX_WERROR "Warnings are errors (presets dev and CI; off for packagers)" OFF)
option(FX_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
option(FX_ARENA_DEBUG "Each arena piece is a malloc of its own, for sanitizers" OFF)
option(FX_STATIC_CXX "Link RE2 and the C++ runtime into the program" OFF)
option(FX_HARDEN "Release hardening: PIE, full RELRO, stack protector, FORTIFY" OFF)
set(FX_SANITIZE "" CACHE STRING "Comma list for -fsanitize=")
option(FX_COVERAGE "Count executed lines" OFF)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Release defines NDEBUG; our asserts stay on.
foreach(language C CXX)
  foreach(type RELEASE RELWITHDEBINFO)
    string(REPLACE "-DNDEBUG" "" CMAKE_${language}_FLAGS_${type}
      "${CMAKE_${language}_FLAGS_${type}}")
  endforeach()
endforeach()

# What concerns every target, third-party sources included.
if(FX_SANITIZE)
  add_compile_options(-fsanitize=${FX_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FX_SANITIZE})
endif()
if(FX_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(FX_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_compile_definitions(FX_COVERAGE)
  add_link_options(--coverage)
endif()
# The whole program is one small unit: link-time optimisation need not split it.
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_link_options(-flto-partition=one)
endif()
if(FX_HARDEN)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE)
  add_link_options(-pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack
    -Wl,-z,pack-relative-relocs)
endif()

# What concerns our own files only.
add_library(fx_flags INTERFACE)
target_compile_definitions(fx_flags INTERFACE _POSIX_C_SOURCE=200809L
  FX_VERSION="${PROJECT_VERSION}"
  $<$<BOOL:${FX_ARENA_DEBUG}>:FX_ARENA_DEBUG>)
target_compile_options(fx_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wcast-align -Wformat=2
  -Wundef -Wvla -Wpointer-arith
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>
  -Wimplicit-fallthrough -Wswitch-enum -Wnull-dereference -Wwrite-strings
  -Wdouble-promotion
  $<$<C_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op>
  $<$<BOOL:${FX_WERROR}>:-Werror>)
