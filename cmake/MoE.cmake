# Settings shared by both halves of the project.

if(MOE_USE_CCACHE)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    # The launcher carries the sloppiness that clang's precompiled headers need.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-c99-designator>)
endif()

if(MOE_SANITIZE)
  # After -DNDEBUG of the build type: asserts are on, in our code and in what it
  # inlines of LLVM. LLVM itself is a release: no class of it changes its layout,
  # for that hangs on LLVM_ENABLE_ABI_BREAKING_CHECKS alone. `vptr` and
  # `function` would want its type information.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr,function
                 -fno-sanitize-recover=all)
  add_compile_options(${sanitizers} -UNDEBUG -O1 -gline-tables-only
                      -fno-omit-frame-pointer)
  add_link_options(${sanitizers})
endif()
