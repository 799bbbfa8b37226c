# SPDX-License-Identifier: Apache-2.0
# RE2, the one library that is C++. With FX_STATIC_CXX it is linked into the program, and the C++
# runtime with it: what is used of them is a few pages, where to load the libraries takes a
# tenth of the memory that a small server has, and of the time that it takes to start.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PC_RE2 QUIET IMPORTED_TARGET re2)
find_library(RE2_ARCHIVE libre2.a)

include(FindPackageHandleStandardArgs)
if(FX_STATIC_CXX AND RE2_ARCHIVE)
  find_package_handle_standard_args(RE2 DEFAULT_MSG RE2_ARCHIVE PC_RE2_FOUND)
else()
  find_package_handle_standard_args(RE2 DEFAULT_MSG PC_RE2_LINK_LIBRARIES PC_RE2_FOUND)
endif()

if(RE2_FOUND AND NOT TARGET RE2::RE2)
  add_library(RE2::RE2 INTERFACE IMPORTED)
  if(FX_STATIC_CXX AND RE2_ARCHIVE)
    target_link_libraries(RE2::RE2 INTERFACE ${RE2_ARCHIVE} pthread)
    target_link_options(RE2::RE2 INTERFACE -static-libstdc++ -static-libgcc)
  else()
    target_link_libraries(RE2::RE2 INTERFACE PkgConfig::PC_RE2)
  endif()
endif()
