# The one place for language level, warnings and sanitizers.
#   az_library(NAME base SRCS a.cc b.h DEPS az::x PRIVATE_DEPS yaml-cpp)   -> target az_lib_base, alias az::base
#   az_program(NAME az_bench SRCS main.cc DEPS az::x)                      -> bin/az_bench
#   az_test(NAME tree_test SRCS tree_test.cc DEPS az::mcts [LABELS slow] [TIMEOUT 60] [RUN_SERIAL] [OPTIMISED]
#           [TORCH_PCH source.cc…])                          OPTIMISED: its own files have the work to do
include_guard(GLOBAL)

set(AZ_SANITIZE "" CACHE STRING "address, thread or empty")

add_library(az_flags INTERFACE)
target_compile_features(az_flags INTERFACE cxx_std_20)
target_compile_options(az_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-missing-field-initializers -Werror -fPIC -fno-math-errno -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
target_include_directories(az_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(AZ_SANITIZE STREQUAL "address")
  # Null is left out: it costs compile time, and the address sanitizer stops at a null that is followed.
  target_compile_options(az_flags INTERFACE -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(az_flags INTERFACE -fsanitize=address,undefined)
elseif(AZ_SANITIZE STREQUAL "thread")
  target_compile_options(az_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  target_link_options(az_flags INTERFACE -fsanitize=thread)
endif()

# What the tests' own files are compiled with, after az_flags. What is tested is optimised as ever; this halves the time
# that the tests themselves take to compile.
add_library(az_test_flags INTERFACE)
target_compile_options(az_test_flags INTERFACE $<$<CONFIG:Release>:-O1>)
if(AZ_SANITIZE)
  target_compile_options(az_test_flags INTERFACE -O0)
endif()
if(AZ_SANITIZE STREQUAL "address")
  target_compile_options(az_test_flags INTERFACE -fno-sanitize=alignment)
endif()

# One precompiled header for tests: what most of them include, half of the rest of their compile time.
if(AZ_BUILD_TESTS)
  add_library(az_test_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/test_headers.cc)
  target_link_libraries(az_test_headers PRIVATE az_flags GTest::gtest az_test_flags)
  target_precompile_headers(az_test_headers PRIVATE
    <gtest/gtest.h> <nlohmann/json.hpp> <chrono> <filesystem> <functional> <map> <thread> <variant>)
endif()

function(az_library)
  cmake_parse_arguments(A "" "NAME" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  set(has_source FALSE)
  foreach(source IN LISTS A_SRCS)
    if(source MATCHES "\\.(cc|cu)$")
      set(has_source TRUE)
    endif()
  endforeach()
  if(has_source)
    add_library(az_lib_${A_NAME} STATIC ${A_SRCS})
    target_link_libraries(az_lib_${A_NAME} PUBLIC az_flags ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS})
  else()
    add_library(az_lib_${A_NAME} INTERFACE)
    target_link_libraries(az_lib_${A_NAME} INTERFACE az_flags ${A_DEPS})
  endif()
  add_library(az::${A_NAME} ALIAS az_lib_${A_NAME})
endfunction()

function(az_program)
  cmake_parse_arguments(A "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${A_NAME} ${A_SRCS})
  target_link_libraries(${A_NAME} PRIVATE az_flags ${A_DEPS})
  set_target_properties(${A_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# Builds what `ctest -L protocol` runs, for the thread sanitizer.
add_custom_target(protocol_tests)

function(az_test)
  cmake_parse_arguments(A "RUN_SERIAL;OPTIMISED" "NAME;TIMEOUT" "SRCS;DEPS;LABELS;TORCH_PCH" ${ARGN})
  if(NOT AZ_BUILD_TESTS)
    return()
  endif()
  add_executable(${A_NAME} ${A_SRCS})
  target_link_libraries(${A_NAME} PRIVATE az_flags ${A_DEPS} GTest::gtest GTest::gtest_main)
  if(A_TORCH_PCH)  # a target has one precompiled header, and both must be of the same flags
    az_torch_pch(NAME ${A_NAME} SOURCES ${A_TORCH_PCH})
  elseif(NOT A_OPTIMISED)
    target_link_libraries(${A_NAME} PRIVATE az_test_flags)
    target_precompile_headers(${A_NAME} REUSE_FROM az_test_headers)
  endif()
  set_target_properties(${A_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if("protocol" IN_LIST A_LABELS)
    add_dependencies(protocol_tests ${A_NAME})
  endif()
  set(configurations)
  if("soak" IN_LIST A_LABELS)  # minutes long: on demand, with ctest -C soak -L soak
    set(configurations CONFIGURATIONS soak)
  endif()
  add_test(NAME ${A_NAME} ${configurations} COMMAND ${A_NAME})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  set_tests_properties(${A_NAME} PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS "${A_LABELS}"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(A_RUN_SERIAL)
    set_tests_properties(${A_NAME} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()
