# SPDX-License-Identifier: Apache-2.0
# fx_room(<path> FLOOR <n> [LINKS <room target>...] [LIBS <outside target>...])
#
# Makes the static library of the room in this folder from its *.c and *.cc files, a
# cmocka test of each x_test.c, and a fuzz target of each x_fuzz.c. Its headers can be
# included as "<path>/x.h" only by rooms that link it: the include folder of a room holds
# one link, to that room. A link to a higher floor is refused when CMake runs, so a
# forbidden include does not compile.
set(FX_FUZZ_TARGETS "" CACHE INTERNAL "")

function(fx_room path)
  cmake_parse_arguments(ROOM "" "FLOOR" "LINKS;LIBS" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  set(target fx_${name})

  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c
    ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.c$")
  list(FILTER tests INCLUDE REGEX "_test\\.c$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.c$")

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES FX_FLOOR ${ROOM_FLOOR} LINKER_LANGUAGE C)
  foreach(below IN LISTS ROOM_LINKS)
    get_target_property(floor ${below} FX_FLOOR)
    if(floor GREATER ${ROOM_FLOOR})
      message(FATAL_ERROR "${target} (floor ${ROOM_FLOOR}) may not link ${below} (floor ${floor})")
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC ${ROOM_LINKS} ${ROOM_LIBS} PRIVATE fx_flags)

  set(door ${CMAKE_BINARY_DIR}/include/src/${name})
  get_filename_component(parent ${door}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${door}/${path} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${door})

  foreach(file IN LISTS tests)
    fx_test(${target} ${name} ${file})
  endforeach()
  foreach(file IN LISTS fuzzers)
    fx_fuzz(${target} ${name} ${file})
  endforeach()
endfunction()

# One cmocka program beside what it tests.
function(fx_test room name file)
  get_filename_component(stem ${file} NAME_WE)
  set(test ${name}_${stem})
  add_executable(${test} ${file})
  target_link_libraries(${test} PRIVATE ${room} ${CMOCKA_LIBRARY} fx_flags)
  target_compile_definitions(${test} PRIVATE FX_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${test} COMMAND ${test})
  set_tests_properties(${test} PROPERTIES TIMEOUT 300)
endfunction()

# A fuzz target; without libFuzzer a driver replays its corpus under ctest.
function(fx_fuzz room name file)
  get_filename_component(stem ${file} NAME_WE)
  set(fuzz ${name}_${stem})
  set(corpus ${CMAKE_SOURCE_DIR}/tests/fuzz/corpora/${fuzz})
  add_executable(${fuzz} ${file})
  target_link_libraries(${fuzz} PRIVATE ${room} fx_flags)
  if(FX_FUZZ)
    target_link_options(${fuzz} PRIVATE -fsanitize=fuzzer)
    set(arguments -runs=0)
  else()
    target_sources(${fuzz} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/driver.c)
    set(arguments "")
  endif()
  add_test(NAME ${fuzz} COMMAND ${fuzz} ${arguments} ${corpus})
  set_tests_properties(${fuzz} PROPERTIES TIMEOUT 300)
  set(FX_FUZZ_TARGETS ${FX_FUZZ_TARGETS} ${fuzz} CACHE INTERNAL "")
endfunction()
