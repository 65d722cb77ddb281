# LibTorch as the PyPI wheel ships it, without the wheel's own TorchConfig.cmake, which wants a whole CUDA toolkit even for
# a program that never touches a GPU.
#   AZ_LIBTORCH       the folder of the torch package; default: .venv of this repository
#   AzTorch::torch    headers, libtorch_cpu, libc10
#   AzTorch::cuda     with AZ_CUDA: also libtorch_cuda, libc10_cuda and the CUDA runtime's headers
# The wheel's libraries find each other by their own RPATH; programs get rpaths to the same folders, for the first of them.
include_guard(GLOBAL)

set(AZ_LIBTORCH "" CACHE PATH "Folder of the torch package: has include/ and lib/")
if(NOT AZ_LIBTORCH)
  file(GLOB _az_torch_found "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
  if(_az_torch_found)
    list(GET _az_torch_found 0 _az_torch_first)
    set(AZ_LIBTORCH "${_az_torch_first}" CACHE PATH "Folder of the torch package" FORCE)
  endif()
endif()
if(NOT EXISTS "${AZ_LIBTORCH}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "no LibTorch at '${AZ_LIBTORCH}': run ./az setup, pass -DAZ_LIBTORCH=<folder of the torch package>, "
    "or build without it: -DAZ_WITH_TORCH=OFF")
endif()

file(GLOB _az_torch_vendor_libs "${AZ_LIBTORCH}/../nvidia/*/lib")
set(_az_torch_rpaths "-Wl,-rpath,${AZ_LIBTORCH}/lib")
foreach(_az_dir IN LISTS _az_torch_vendor_libs)
  get_filename_component(_az_dir "${_az_dir}" REALPATH)
  list(APPEND _az_torch_rpaths "-Wl,-rpath,${_az_dir}" "-Wl,-rpath-link,${_az_dir}")
endforeach()

add_library(AzTorch::torch INTERFACE IMPORTED GLOBAL)
target_include_directories(AzTorch::torch SYSTEM INTERFACE
  "${AZ_LIBTORCH}/include" "${AZ_LIBTORCH}/include/torch/csrc/api/include")
# One argument each, since CMake drops repeated ones. libtorch_cpu registers its operators when it is loaded, so it must be loaded even where no symbol of it is named.
target_link_libraries(AzTorch::torch INTERFACE
  ${_az_torch_rpaths}
  "-Wl,--push-state,--no-as-needed,${AZ_LIBTORCH}/lib/libtorch_cpu.so,${AZ_LIBTORCH}/lib/libc10.so,--pop-state")

if(AZ_CUDA)
  find_path(AZ_CUDA_INCLUDE cuda_runtime_api.h
    HINTS "${AZ_LIBTORCH}/../nvidia/cu13/include" "${AZ_LIBTORCH}/../nvidia/cuda_runtime/include"
    PATHS /usr/local/cuda/include /usr/local/cuda-13.0/include REQUIRED)
  # Since CUDA 13 a wheel of its own; cuda_runtime_api.h includes crt/host_defines.h.
  find_path(AZ_CUDA_CRT_INCLUDE crt/host_defines.h HINTS "${AZ_CUDA_INCLUDE}" PATHS /usr/local/cuda/include)
  if(NOT AZ_CUDA_CRT_INCLUDE)
    message(FATAL_ERROR "the CUDA headers in ${AZ_CUDA_INCLUDE} lack crt/host_defines.h: run ./az setup --cuda, or install "
      "nvidia-cuda-crt of requirements/torch-cuda.txt beside them")
  endif()
  find_library(AZ_CUDART NAMES libcudart.so.13 libcudart.so.12 cudart
    HINTS ${_az_torch_vendor_libs} PATHS /usr/local/cuda/lib64 /usr/local/cuda-13.0/lib64 REQUIRED)
  add_library(AzTorch::cuda INTERFACE IMPORTED GLOBAL)
  target_include_directories(AzTorch::cuda SYSTEM INTERFACE "${AZ_CUDA_INCLUDE}" "${AZ_CUDA_CRT_INCLUDE}")
  # cuDNN, cuBLAS and the rest are dependencies of libtorch_cuda alone; a build machine need not have them.
  # Paths of the old kind (DT_RPATH): NVRTC, for LibTorch and for cuDNN, opens its builtins by their bare name, has no
  # path of its own to them, and only the old kind counts for what a library opens.
  target_link_libraries(AzTorch::cuda INTERFACE
    "-Wl,--disable-new-dtags"
    "-Wl,--allow-shlib-undefined" "-Wl,--unresolved-symbols=ignore-in-shared-libs"
    "-Wl,--push-state,--no-as-needed,${AZ_LIBTORCH}/lib/libtorch_cuda.so,${AZ_LIBTORCH}/lib/libc10_cuda.so,--pop-state"
    "${AZ_CUDART}" AzTorch::torch)
endif()
set(AzTorch_FOUND TRUE)
