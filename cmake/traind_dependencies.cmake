# Debian packages through their own config files; LibTorch and Arrow as imported targets from the wheels in .deps/venv.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(GTest REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED COMPONENTS core)
find_library(HTTPLIB_LIBRARY cpp-httplib REQUIRED)

# A system library without a config file, or with one that drags in more than the library.
add_library(traind_httplib INTERFACE)
target_link_libraries(traind_httplib INTERFACE ${HTTPLIB_LIBRARY})
# Debian's library is built with it, and httplib::Request has another layout without.
target_compile_definitions(traind_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
add_library(httplib::httplib ALIAS traind_httplib)

set(TRAIND_VENV ${CMAKE_SOURCE_DIR}/.deps/venv CACHE PATH "Virtual environment of tools/bootstrap")
file(GLOB site_packages LIST_DIRECTORIES true ${TRAIND_VENV}/lib/python3.*/site-packages)
if(NOT EXISTS "${site_packages}/torch/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch is not in ${TRAIND_VENV}: run tools/bootstrap.")
endif()

# Not find_package(Torch): it enables the CUDA languages, which fails with C++20 on CMake 3.25. The wheel ships old protobuf
# headers beside its own, so its include folder comes after the system's.
set(torch_dir ${site_packages}/torch)
set(cuda_lib_dir ${site_packages}/nvidia/cu13/lib)
add_library(Torch::c10 SHARED IMPORTED GLOBAL)
set_target_properties(Torch::c10 PROPERTIES IMPORTED_LOCATION ${torch_dir}/lib/libc10.so IMPORTED_NO_SONAME OFF)
add_library(Torch::cpu SHARED IMPORTED GLOBAL)
set_target_properties(Torch::cpu PROPERTIES IMPORTED_LOCATION ${torch_dir}/lib/libtorch_cpu.so)
target_compile_options(Torch::cpu INTERFACE
  "SHELL:-idirafter ${torch_dir}/include" "SHELL:-idirafter ${torch_dir}/include/torch/csrc/api/include")
target_compile_definitions(Torch::cpu INTERFACE USE_C10D_GLOO)
target_link_libraries(Torch::cpu INTERFACE Torch::c10)
target_link_options(Torch::cpu INTERFACE
  -Wl,-rpath-link,${torch_dir}/lib -Wl,-rpath-link,${cuda_lib_dir})

# Wheels carry versioned names only, so Arrow is linked by file.
set(arrow_dir ${site_packages}/pyarrow)
file(GLOB arrow_library ${arrow_dir}/libarrow.so.*00)
add_library(Arrow::arrow SHARED IMPORTED GLOBAL)
set_target_properties(Arrow::arrow PROPERTIES IMPORTED_LOCATION ${arrow_library})
target_compile_options(Arrow::arrow INTERFACE "SHELL:-idirafter ${arrow_dir}/include")
