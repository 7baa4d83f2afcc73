# find_package(prof), or find_package(libprof), gives
#
#   prof::headers  prof/prof.h: the program is not linked with libprof, and is recorded where profrun preloads it
#   prof::prof     the library: the program records from prof_start() on
#   prof::trace    prof/trace.h, which reads recordings
#
# Components: prof, trace; both are there.
include("${CMAKE_CURRENT_LIST_DIR}/../prof/prof-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../prof/prof-how-to-record.cmake")
foreach(component IN LISTS ${CMAKE_FIND_PACKAGE_NAME}_FIND_COMPONENTS)
    if(TARGET prof::${component})
        set(${CMAKE_FIND_PACKAGE_NAME}_${component}_FOUND ON)
    elseif(${CMAKE_FIND_PACKAGE_NAME}_FIND_REQUIRED_${component})
        set(${CMAKE_FIND_PACKAGE_NAME}_FOUND OFF)
        set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "there is no component ${component}, only prof and trace")
    endif()
endforeach()
