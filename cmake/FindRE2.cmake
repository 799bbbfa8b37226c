# SPDX-License-Identifier: Apache-2.0
# RE2, the one library that is C++. With FX_STATIC_CXX it is linked into the program, and the C++
# runtime with it: what is used of them is a few pages, where to load the libraries takes a
# tenth of the memory that a small server has, and of the time that it takes to start.
#
# Newer versions of RE2 (Debian 13) need Abseil. pkg-config names its archives, each as often
# as others need it; the last place of each is behind everything that needs it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PC_RE2 QUIET IMPORTED_TARGET re2)
find_library(RE2_ARCHIVE libre2.a)

function(fx_re2_archives result)
  set(names ${PC_RE2_STATIC_LIBRARIES})
  list(REVERSE names)
  list(REMOVE_DUPLICATES names)
  list(REVERSE names)
  set(archives)
  foreach(name IN LISTS names)
    find_library(RE2_ARCHIVE_${name} lib${name}.a)
    mark_as_advanced(RE2_ARCHIVE_${name})
    if(RE2_ARCHIVE_${name})
      list(APPEND archives ${RE2_ARCHIVE_${name}})
    else() # the compiler's own, or of the C library
      list(APPEND archives ${name})
    endif()
  endforeach()
  set(${result} ${archives} PARENT_SCOPE)
endfunction()

include(FindPackageHandleStandardArgs)
if(FX_STATIC_CXX AND RE2_ARCHIVE)
  find_package_handle_standard_args(RE2 DEFAULT_MSG RE2_ARCHIVE PC_RE2_FOUND)
else()
  find_package_handle_standard_args(RE2 DEFAULT_MSG PC_RE2_LINK_LIBRARIES PC_RE2_FOUND)
endif()

if(RE2_FOUND AND NOT TARGET RE2::RE2)
  add_library(RE2::RE2 INTERFACE IMPORTED)
  if(FX_STATIC_CXX AND RE2_ARCHIVE)
    fx_re2_archives(archives)
    target_link_libraries(RE2::RE2 INTERFACE ${archives} pthread)
    # Of Abseil, whose functions have a section each, only what is used: half a megabyte less.
    target_link_options(RE2::RE2 INTERFACE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  else()
    target_link_libraries(RE2::RE2 INTERFACE PkgConfig::PC_RE2)
  endif()
endif()
