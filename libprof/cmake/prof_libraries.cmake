# Libraries that complete profdump, each optional.
#
#   prof_zlib, prof_libisal, prof_libzstd, prof_sqlite, prof_libdw   targets to link; each defines PROF_HAVE_ZLIB, ...;
#                                                      a missing library has no target
#   PROF_BUILT_WITHOUT                                 a sentence for each missing library
#   PROF_WITHOUT                                       libraries to ignore although they are installed
#
# Libraries may be installed or removed between configurations, so each configuration searches again for those that
# were not found and those whose file is gone.

set(PROF_WITHOUT "" CACHE STRING "Libraries that profdump is built without, e.g. libzstd;sqlite")
set(PROF_BUILT_WITHOUT)

# Searches for a header and a library into the cache variables PROF_<NAME>_INCLUDE_DIR and PROF_<NAME>_LIBRARY.
function(prof_search NAME library header)
    if(NOT EXISTS "${PROF_${NAME}_INCLUDE_DIR}/${header}" OR NOT EXISTS "${PROF_${NAME}_LIBRARY}")
        unset(PROF_${NAME}_INCLUDE_DIR CACHE)
        unset(PROF_${NAME}_LIBRARY CACHE)
    endif()
    find_path(PROF_${NAME}_INCLUDE_DIR ${header})
    find_library(PROF_${NAME}_LIBRARY ${library})
    if(NAME STREQUAL "SQLITE" AND PROF_SQLITE_INCLUDE_DIR)
        # sqlite3_deserialize() is always there since 3.36.
        file(STRINGS "${PROF_SQLITE_INCLUDE_DIR}/sqlite3.h" version REGEX "^#define SQLITE_VERSION_NUMBER ")
        string(REGEX REPLACE "[^0-9]" "" version "${version}")
        if(version LESS 3036000)
            message(STATUS "SQLite is older than 3.36")
            set(PROF_SQLITE_LIBRARY "PROF_SQLITE_LIBRARY-NOTFOUND" CACHE FILEPATH "" FORCE)
        endif()
    endif()
    mark_as_advanced(PROF_${NAME}_INCLUDE_DIR PROF_${NAME}_LIBRARY)
endfunction()

# prof_find_library(name library header package what): `what` says how profdump is limited without it.
function(prof_find_library name library header package what)
    string(TOUPPER ${name} NAME)
    if(NOT name IN_LIST PROF_WITHOUT)
        prof_search(${NAME} ${library} ${header})
        if(PROF_${NAME}_INCLUDE_DIR AND PROF_${NAME}_LIBRARY)
            add_library(prof_${name} INTERFACE)
            target_include_directories(prof_${name} SYSTEM INTERFACE "${PROF_${NAME}_INCLUDE_DIR}")
            target_link_libraries(prof_${name} INTERFACE "${PROF_${NAME}_LIBRARY}")
            target_compile_definitions(prof_${name} INTERFACE PROF_HAVE_${NAME})
            return()
        endif()
    endif()
    list(APPEND PROF_BUILT_WITHOUT "without ${name} (Debian: ${package}): ${what}")
    set(PROF_BUILT_WITHOUT "${PROF_BUILT_WITHOUT}" PARENT_SCOPE)
endfunction()

# Links a target with each named library that was found.
function(prof_link_found target)
    foreach(name IN LISTS ARGN)
        if(TARGET prof_${name})
            target_link_libraries(${target} PUBLIC prof_${name})
        endif()
    endforeach()
endfunction()

prof_find_library(zlib z zlib.h zlib1g-dev "cannot read or write .gz files, nor write for pprof")
prof_find_library(libisal isal isa-l/igzip_lib.h libisal-dev "takes longer to read .gz files")
prof_find_library(libzstd zstd zstd.h libzstd-dev "cannot read or write .zst files")
prof_find_library(sqlite sqlite3 sqlite3.h libsqlite3-dev "cannot read nsys and nvprof databases, write databases, nor answer SQL")
prof_find_library(libdw dw elfutils/libdwfl.h libdw-dev "shows call stacks without source lines and inlined functions")

# `profdump --version` prints the same sentences.
list(TRANSFORM PROF_BUILT_WITHOUT REPLACE ".+" "    \"\\0\\\\n\" \\\\\n" OUTPUT_VARIABLE lines)
list(JOIN lines "" lines)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/built_without.h" CONTENT
    "/* What profdump was built without, a line each. Written by CMake. */\n#define PROF_BUILT_WITHOUT \\\n${lines}    \"\"\n"
    @ONLY)
foreach(sentence IN LISTS PROF_BUILT_WITHOUT)
    message(STATUS "profdump is built ${sentence}")
endforeach()
