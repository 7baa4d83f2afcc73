# find_package(prof) gives prof::prof: link it to call the functions of prof/prof.h; and prof::trace, for those of
# prof/trace.h. Components: prof, trace; both are there.
include("${CMAKE_CURRENT_LIST_DIR}/prof-targets.cmake")
foreach(component IN LISTS prof_FIND_COMPONENTS)
    if(TARGET prof::${component})
        set(prof_${component}_FOUND ON)
    elseif(prof_FIND_REQUIRED_${component})
        set(prof_FOUND OFF)
        set(prof_NOT_FOUND_MESSAGE "there is no component ${component}")
    endif()
endforeach()
