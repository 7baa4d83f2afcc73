# The Debian packages that `./dev package` builds, one for each component of the installation:
#
#   libprof0        libprof.so.0, which needs libc only
#   libprofdump0    libprofdump.so.0, and what it needs to read and write files
#   libprof-dev     headers, links, man pages, files for CMake and pkg-config
#   libprof-tools   profrun and profdump, their man pages and completions, the simulated CUDA

set(PROF_MAINTAINER "libprof maintainers <root@localhost>" CACHE STRING "Name and address in the Debian packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${PROF_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # the descriptions below have one each
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/prof_package_files.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/prof_package_scripts.cmake")
set(CPACK_PROF_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_PROF_STRIP "${CMAKE_STRIP}")
set(CPACK_COMPONENTS_ALL recorder reader dev tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# prof_package(<component> <name> <section> <summary> <description> [<depends>])
macro(prof_package component name section summary description)
    string(TOUPPER "${component}" upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${name}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${ARGN}")
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "in-process profiler for CUDA programs (${summary})
libprof records what a CUDA program does: its ranges, NVTX annotations, CUDA
calls, kernels and copies, and which call and range launched each kernel.

${description}")
endmacro()

# prof_package_library(<component> <library>): what dpkg-shlibdeps writes for its users; the loader's cache must know it.
macro(prof_package_library component library)
    string(TOUPPER "${component}" upper)
    set(files "${PROJECT_BINARY_DIR}/package/${component}")
    file(WRITE "${files}/shlibs"
        "${library} ${PROJECT_VERSION_MAJOR} ${library}${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION})\n")
    file(WRITE "${files}/triggers" "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${files}/shlibs;${files}/triggers")
endmacro()

set(recorder "libprof${PROJECT_VERSION_MAJOR}")
set(reader "libprofdump${PROJECT_VERSION_MAJOR}")
prof_package(recorder ${recorder} libs "recorder"
    "This package has the library that is preloaded into a program or linked with
it. The program that preloads it is in libprof-tools.")
prof_package(reader ${reader} libs "reader"
    "This package has the library with which a program reads, shows and converts
recordings of libprof, PyTorch's profiler, Nsight Systems and nvprof.")
prof_package(dev libprof-dev libdevel "development files"
    "This package has the headers, the manual pages of the interface, and what
CMake and pkg-config need to link with libprof."
    "${recorder} (= ${PROJECT_VERSION}), ${reader} (= ${PROJECT_VERSION})")
prof_package(tools libprof-tools devel "programs"
    "This package has profrun, which runs a program and records it, and profdump,
which turns the recording into tables, timelines and reports. A simulated
CUDA lets programs run on machines without a GPU."
    "${recorder} (= ${PROJECT_VERSION})")
prof_package_library(recorder libprof)
prof_package_library(reader libprofdump)
set(CPACK_DEBIAN_RECORDER_PACKAGE_SUGGESTS "libprof-tools")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$") # ARCH_LIBUNWIND
    string(APPEND CPACK_DEBIAN_RECORDER_PACKAGE_SUGGESTS ", libunwind8")
endif()

include(CPack)
