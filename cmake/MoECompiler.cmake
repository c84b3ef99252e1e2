# What only the compiler half needs: MLIR, tablegen, precompiled headers.

find_program(LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE LLVM_PREFIX
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --bindir OUTPUT_VARIABLE LLVM_BINDIR
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE LLVM_LIBDIR
                OUTPUT_STRIP_TRAILING_WHITESPACE)
# The version file accepts only major.minor.
find_package(MLIR 22.1 REQUIRED CONFIG PATHS ${LLVM_PREFIX} NO_DEFAULT_PATH)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR}) # generated docs land here
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# HandleLLVMOptions decides exceptions and RTTI as the package was built.

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)

# The one precompiled header of the compiler libraries; all others reuse it.
add_library(MoEPrecompiled OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
target_compile_options(MoEPrecompiled PRIVATE -fno-exceptions)
target_precompile_headers(MoEPrecompiled PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  target_compile_options(MoEPrecompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endif()

# moe_add_library(name sources... [DEPENDS generated...] [LINK libraries...])
# A static library of the compiler, compiled without exceptions.
function(moe_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_precompile_headers(${name} REUSE_FROM MoEPrecompiled)
  add_dependencies(${name} MoEGenerated ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY MOE_COMPILER_LIBRARIES ${name})
endfunction()
add_custom_target(MoEGenerated)
