# One precompiled header for sources that need LibTorch's modules or all of its operators: those headers take 25 s a file.
# Loading it takes 8 s, since g++ makes the templates of the headers anew in every file, so sources that get by with
# ATen/core/Tensor.h and single operators (ATen/ops/…) are compiled without it. Libraries and programs share it because
# all of them are compiled with the same flags (position-independent, see AzLibrary.cmake).
#   az_torch_pch(NAME net SOURCES network.cc …)   NAME as given to az_library, az_program or az_test; SOURCES that use it
include_guard(GLOBAL)
find_package(AzTorch REQUIRED)

add_library(az_torch_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/torch_headers.cc)
target_link_libraries(az_torch_headers PRIVATE az_flags AzTorch::torch)
target_precompile_headers(az_torch_headers PRIVATE
  <torch/nn/module.h> <torch/nn/modules/batchnorm.h> <torch/nn/modules/conv.h> <torch/nn/modules/linear.h>
  <torch/nn/modules/normalization.h> <torch/types.h> <torch/utils.h>)

function(az_torch_pch)
  cmake_parse_arguments(A "" "NAME" "SOURCES" ${ARGN})
  set(target ${A_NAME})
  if(TARGET az_lib_${A_NAME})
    set(target az_lib_${A_NAME})
  endif()
  target_precompile_headers(${target} REUSE_FROM az_torch_headers)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS A_SOURCES)
    if(NOT source IN_LIST sources)
      message(FATAL_ERROR "az_torch_pch: ${source} is no source of ${A_NAME}")
    endif()
  endforeach()
  list(REMOVE_ITEM sources ${A_SOURCES})
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
