# Options, flags common to every target, and the helper that adds a folder.
#
# Inside another project, these settings end at this directory, and only targets that are linked or named are built.

# The log's records and the assembler parts are for these; libprof/src/common/arch.h has what differs.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|aarch64|arm64)$" OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8
        OR CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
    math(EXPR bits "${CMAKE_SIZEOF_VOID_P} * 8")
    message(FATAL_ERROR "libprof runs on x86-64 and on little-endian aarch64, "
        "not on ${CMAKE_SYSTEM_PROCESSOR} (${bits} bits, ${CMAKE_C_BYTE_ORDER})")
endif()

include(CMakeDependentOption)
cmake_dependent_option(PROF_BUILD_EXAMPLES "Build the example programs" ON PROJECT_IS_TOP_LEVEL OFF)
cmake_dependent_option(PROF_BUILD_TESTS "Build the tests (GoogleTest ones only where it is installed)" ON
    PROJECT_IS_TOP_LEVEL OFF)
cmake_dependent_option(PROF_BUILD_BENCH "Build the benchmarks" ON PROJECT_IS_TOP_LEVEL OFF)
option(PROF_BUILD_SIM "Build the simulated CUDA (libcudart, libcuda, libcupti)" ON)
option(PROF_INSTALL "Install what is built, with the rest of the project" ${PROJECT_IS_TOP_LEVEL})
option(PROF_WERROR "Treat warnings as errors" OFF)
option(PROF_CHECK_INVARIANTS "Check the recorder's structures after each step, for its developers" OFF)
option(PROF_LTO "Optimise across files at link time" OFF)
set(PROF_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined or thread")
option(PROF_TESTS_BY_FOLDER "Run the unit tests of a folder in one process, as with sanitizers" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${PROF_LTO})

if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
    endif()
    set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    add_compile_options(-Wall -Wextra -Wshadow -Wconversion)
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
    # gcc leaves it out of C++'s -Wconversion, clang does not; both compilers shall ask for the same.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion>)
else()
    # Turn off the other project's warnings and checkers for these sources, and what would rename the libraries.
    add_compile_options(-w)
    set(CMAKE_UNITY_BUILD OFF)
    set(CMAKE_DEBUG_POSTFIX "")
    foreach(tool IN ITEMS CLANG_TIDY CPPCHECK INCLUDE_WHAT_YOU_USE)
        set(CMAKE_C_${tool} "")
    endforeach()
    if(NOT PROF_INSTALL)
        set_property(DIRECTORY PROPERTY EXCLUDE_FROM_ALL ON)
    endif()
endif()

# Before glibc 2.34, threads are in a library of their own, as dlopen() is (CMAKE_DL_LIBS).
find_package(Threads REQUIRED)

# Build tree and install tree have one shape, so that profrun finds the library the same way in both.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/archive")

add_compile_definitions(PROF_VERSION_TEXT="${PROJECT_VERSION}")
if(PROF_WERROR)
    add_compile_options(-Werror)
endif()
if(PROF_SANITIZE)
    add_compile_options(-fsanitize=${PROF_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${PROF_SANITIZE})
endif()

# Adds a folder's CMakeLists.txt when the folder has one; IF <bool> makes it optional.
function(prof_add_folder folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "IF" "")
    if(DEFINED arg_IF AND NOT arg_IF)
        return()
    endif()
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
        add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
    endif()
endfunction()

# Appends to the list every target that a folder and the folders below it build by default; tests apart.
function(prof_collect_targets list folder)
    get_property(own DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(FILTER below EXCLUDE REGEX "/tests$")
    set(all ${${list}})
    foreach(target IN LISTS own)
        get_target_property(by_request ${target} EXCLUDE_FROM_ALL)
        if(NOT by_request)
            list(APPEND all ${target})
        endif()
    endforeach()
    foreach(next IN LISTS below)
        prof_collect_targets(all "${next}")
    endforeach()
    set(${list} "${all}" PARENT_SCOPE)
endfunction()

# prof_product: everything a user runs, without tests and benchmarks. Call before those are added.
function(prof_add_product_target)
    set(targets)
    prof_collect_targets(targets "${PROJECT_SOURCE_DIR}")
    add_custom_target(prof_product)
    if(targets)
        add_dependencies(prof_product ${targets})
    endif()
endfunction()
