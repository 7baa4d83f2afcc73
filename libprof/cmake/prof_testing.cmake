# What the tests need beyond a C compiler: looked for once, said when missing, never required.
#
#   PROF_GTEST   whether GoogleTest tests can be built (C++ is then enabled)
#   PROF_NVCC    the CUDA compiler, or empty
#
#   prof_add_gtest(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...] [ISOLATED])

include(CheckLanguage)

find_program(PROF_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
    PATH_SUFFIXES bin)
set(PROF_GTEST OFF)
set(BUILD_TESTING ${PROF_BUILD_TESTS})
if(NOT PROF_BUILD_TESTS)
    return()
endif()

enable_testing()
if(NOT CMAKE_CXX_COMPILER)
    unset(CMAKE_CXX_COMPILER CACHE) # an earlier "not found" is no answer: it may be installed by now
endif()
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
    find_package(GTest QUIET)
    set(PROF_GTEST ${GTest_FOUND})
endif()
if(PROF_GTEST)
    include(GoogleTest)
else()
    message(STATUS "GoogleTest or a C++ compiler is missing (Debian: g++ libgtest-dev): "
        "the GoogleTest tests are left out")
endif()

# Only tests are C++, and compiling them takes most of a first `./dev test`. Without optimisation and with GoogleTest's
# headers precompiled, a file compiles in 2.9 s instead of 7.5 s.
if(PROF_GTEST)
    add_library(prof_gtest_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/support/precompiled.cc")
    target_link_libraries(prof_gtest_headers PRIVATE GTest::gtest)
    target_compile_options(prof_gtest_headers PRIVATE -O0 -fPIE)
    set_target_properties(prof_gtest_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF) # -fPIE, as executables have it
    target_precompile_headers(prof_gtest_headers PRIVATE <gtest/gtest.h> <algorithm> <cstdlib> <cstring> <fstream>
        <functional> <map> <random> <set> <sstream> <string> <thread> <vector>)
endif()

# Builds the executable test_<name> and registers its tests, which are found when ctest runs. Each test is a process. With
# sanitizers, starting a process takes longer than most tests, so all tests of a name are one process, unless ISOLATED is given;
# PROF_TESTS_BY_FOLDER does the same elsewhere.
# ThreadSanitizer has nothing to find in code that starts no thread.
set(PROF_TESTS_WITHOUT_THREADS compat findings fleet model read stats symbols symtable work)
function(prof_add_gtest name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ISOLATED" "" "SOURCES;LIBRARIES;LABELS")
    if(NOT PROF_GTEST OR (PROF_SANITIZE STREQUAL "thread" AND name IN_LIST PROF_TESTS_WITHOUT_THREADS))
        return()
    endif()
    add_executable(test_${name} ${arg_SOURCES})
    if(NOT arg_SOURCES MATCHES "\\.c(;|$)") # with C sources, CMake would need the headers precompiled for C, too
        target_precompile_headers(test_${name} REUSE_FROM prof_gtest_headers)
    endif()
    target_compile_options(test_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
    target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support")
    target_compile_definitions(test_${name} PRIVATE
        PROF_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
        PROF_TEST_BIN_DIR="${PROJECT_BINARY_DIR}/bin"
        PROF_TEST_LIB_DIR="${PROJECT_BINARY_DIR}/lib")
    target_link_libraries(test_${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
    set_target_properties(test_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set(timeout_s 120)
    if(PROF_SANITIZE)
        set(timeout_s 600) # ThreadSanitizer costs up to 15x
    elseif(CMAKE_CROSSCOMPILING_EMULATOR)
        set(timeout_s 1800) # so does QEMU
    endif()
    if((PROF_SANITIZE OR PROF_TESTS_BY_FOLDER) AND NOT arg_ISOLATED)
        add_test(NAME "${name}/all" COMMAND test_${name})
        set_tests_properties("${name}/all" PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${timeout_s})
        return()
    endif()
    gtest_discover_tests(test_${name}
        TEST_PREFIX "${name}/"
        DISCOVERY_MODE PRE_TEST
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${timeout_s})
endfunction()
