# The parts of export/: one static library for each folder.
#
#   prof_add_part(prof_stats SOURCES key_averages.c ... USES prof_timeline prof_base)
#
# A part sees its own folder and the include/ folders of the parts that it uses. Uses are not transitive. A dependency
# not in this list, or another folder's private header, does not compile (tests/fences/test_fences.sh). The parts are in
# profdump and libprofdump.so; libprof.so has none of them.
function(prof_add_part name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
    add_library(${name} STATIC ${arg_SOURCES})
    set(public "${CMAKE_CURRENT_SOURCE_DIR}")
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/include")
        set(public "${CMAKE_CURRENT_SOURCE_DIR}/include")
        target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    target_include_directories(${name} PUBLIC "${public}")
    target_link_libraries(${name} PRIVATE ${arg_USES})
    set_target_properties(${name} PROPERTIES C_STANDARD 17 C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    set_property(GLOBAL APPEND PROPERTY PROF_PARTS ${name})
    set_property(GLOBAL APPEND PROPERTY PROF_PART_FOLDERS "${CMAKE_CURRENT_SOURCE_DIR}" "${public}")
endfunction()

# prof_embed_texts(<output> <struct> <file>...): the source of an array of text files in <struct>s.h: see embed_texts.cmake.
function(prof_embed_texts output name)
    list(JOIN ARGN "|" files)
    set(scripts "${PROJECT_SOURCE_DIR}/libprof/cmake")
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DFILES=${files}" -DNAME=${name} -DHEADER=${name}s.h "-DOUTPUT=${output}" -P "${scripts}/embed_texts.cmake"
        DEPENDS ${ARGN} "${scripts}/embed_texts.cmake" "${scripts}/embed_bytes.cmake"
        COMMENT "Embedding the texts of ${name}s.h"
        VERBATIM)
endfunction()

# prof_all_parts: all of them with their private headers, for tests and benchmarks. After the last part.
function(prof_gather_parts)
    get_property(parts GLOBAL PROPERTY PROF_PARTS)
    get_property(folders GLOBAL PROPERTY PROF_PART_FOLDERS)
    list(REMOVE_DUPLICATES folders)
    list(REVERSE parts) # users before what they use
    add_library(prof_all_parts INTERFACE)
    target_link_libraries(prof_all_parts INTERFACE ${parts})
    target_include_directories(prof_all_parts INTERFACE ${folders})
endfunction()
