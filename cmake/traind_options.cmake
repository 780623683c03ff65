# Compiler settings shared by every target.
set(TRAIND_SANITIZER "" CACHE STRING "-fsanitize= value: address,undefined or thread; empty for none")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # A precompiled header changes its time stamp on every build; without the sloppiness ccache would never hit.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
# Only what a binary uses ends in its NEEDED list: traind stays free of what its libraries merely could use.
add_link_options(-Wl,--as-needed)

add_library(traind_warnings INTERFACE)
target_compile_options(traind_warnings INTERFACE
  -Wall -Wextra -Werror -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  # GCC 12 sees uninitialised texts inside every StatusOr<std::string>, and overlaps where a text is put before another (its bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(TRAIND_SANITIZER)
  add_compile_options(-fsanitize=${TRAIND_SANITIZER} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TRAIND_SANITIZER})
endif()
