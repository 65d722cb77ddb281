# One precompiled header for everything that includes LibTorch: its headers take 10 s a file otherwise. Libraries and
# programs share it because all of them are compiled with the same flags (position-independent, see AzLibrary.cmake).
#   az_torch_pch(net train_test …)   names as given to az_library, az_program and az_test
include_guard(GLOBAL)
find_package(AzTorch REQUIRED)

add_library(az_torch_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/torch_headers.cc)
target_link_libraries(az_torch_headers PRIVATE az_flags AzTorch::torch)
target_precompile_headers(az_torch_headers PRIVATE
  <torch/nn/module.h> <torch/nn/modules/batchnorm.h> <torch/nn/modules/conv.h> <torch/nn/modules/linear.h>
  <torch/nn/modules/normalization.h> <torch/types.h> <torch/utils.h>)

function(az_torch_pch)
  foreach(name IN LISTS ARGN)
    set(target ${name})
    if(TARGET az_lib_${name})
      set(target az_lib_${name})
    endif()
    target_precompile_headers(${target} REUSE_FROM az_torch_headers)
  endforeach()
endfunction()
