# Language level, warnings, ccache, sanitizers, and hyalite_library(): one static library per folder of src/.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(HYALITE_OPTIMIZE "-O2" CACHE STRING "Optimisation of the Release build; the sanitizer presets lower it")
set(CMAKE_CXX_FLAGS_RELEASE "${HYALITE_OPTIMIZE}")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

find_program(CCACHE ccache)
if(CCACHE AND NOT "$ENV{CCACHE_DISABLE}")
  # Precompiled headers need these two; without them every object misses.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(hyalite_flags INTERFACE)
target_include_directories(hyalite_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
# Floating-point results must not depend on the compiler's choice to contract a*b+c: kernels say fma where they mean it.
target_compile_options(hyalite_flags INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports an AVX-512 intrinsic's deliberately undefined source operand (GCC bug 105593).
  target_compile_options(hyalite_flags INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized -fpch-preprocess)
endif()
if(HYALITE_SANITIZE)
  target_compile_options(hyalite_flags INTERFACE -fsanitize=${HYALITE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(NOT HYALITE_FUZZ)
    # The check for null takes a fifth of compile time. An access stops a program by itself; a null reference that nothing accesses is what
    # only the fuzz build finds.
    target_compile_options(hyalite_flags INTERFACE -fno-sanitize=null)
  endif()
  target_link_options(hyalite_flags INTERFACE -fsanitize=${HYALITE_SANITIZE})
endif()
if(HYALITE_FUZZ)
  target_compile_options(hyalite_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# hyalite_library(NAME [COLD] LINKS targets...): src/NAME/**/*.cpp without tests and main.cpp. COLD: what runs before the first token, or
# prints; it is compiled in three quarters of the time by -O1.
function(hyalite_library name)
  cmake_parse_arguments(ARG "COLD" "" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  if(NOT sources)
    add_library(hyalite_${name} INTERFACE)
    target_link_libraries(hyalite_${name} INTERFACE hyalite_flags ${ARG_LINKS})
    return()
  endif()
  add_library(hyalite_${name} STATIC ${sources})
  target_link_libraries(hyalite_${name} PUBLIC hyalite_flags ${ARG_LINKS})
  if(ARG_COLD)
    target_compile_options(hyalite_${name} PRIVATE -O1)
  endif()
  if(name STREQUAL "base" OR name STREQUAL "ir")  # the first of each kind
    target_precompile_headers(hyalite_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
  elseif(ARG_COLD)
    target_precompile_headers(hyalite_${name} REUSE_FROM hyalite_ir)
  elseif(NOT name STREQUAL "kernels")  # kernels are small and switch instruction sets by pragma
    target_precompile_headers(hyalite_${name} REUSE_FROM hyalite_base)
  endif()
endfunction()
