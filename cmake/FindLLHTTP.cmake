# SPDX-License-Identifier: Apache-2.0
# llhttp. Debian ships its generated C sources (package node-llhttp) and no library, so
# one is made of them here; a system library is taken where there is one.
find_path(LLHTTP_INCLUDE_DIR llhttp.h PATH_SUFFIXES llhttp
  HINTS /usr/share/include /usr/include)
find_library(LLHTTP_LIBRARY llhttp)
find_path(LLHTTP_SOURCE_DIR llhttp.c PATHS /usr/share/llhttp)

include(FindPackageHandleStandardArgs)
if(LLHTTP_LIBRARY)
  find_package_handle_standard_args(LLHTTP DEFAULT_MSG LLHTTP_LIBRARY LLHTTP_INCLUDE_DIR)
else()
  find_package_handle_standard_args(LLHTTP DEFAULT_MSG LLHTTP_SOURCE_DIR LLHTTP_INCLUDE_DIR)
endif()

if(LLHTTP_FOUND AND NOT TARGET LLHTTP::LLHTTP)
  if(LLHTTP_LIBRARY)
    add_library(LLHTTP::LLHTTP UNKNOWN IMPORTED)
    set_target_properties(LLHTTP::LLHTTP PROPERTIES IMPORTED_LOCATION ${LLHTTP_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${LLHTTP_INCLUDE_DIR})
  else()
    add_library(llhttp_sources STATIC ${LLHTTP_SOURCE_DIR}/llhttp.c
      ${LLHTTP_SOURCE_DIR}/api.c ${LLHTTP_SOURCE_DIR}/http.c)
    target_include_directories(llhttp_sources SYSTEM PUBLIC ${LLHTTP_INCLUDE_DIR})
    target_compile_options(llhttp_sources PRIVATE -w)
    # Its lenient mode takes any byte for the LF behind a chunk's CR; ours is the strict.
    target_compile_definitions(llhttp_sources PRIVATE LLHTTP_STRICT_MODE=1)
    add_library(LLHTTP::LLHTTP ALIAS llhttp_sources)
  endif()
endif()
