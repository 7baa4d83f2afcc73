# Says once to those who build another project with libprof what makes a program record.
if(NOT ${CMAKE_FIND_PACKAGE_NAME}_FIND_QUIETLY)
    message(STATUS "libprof: to record a program, run 'profrun -o run.prof -- PROGRAM'. One linked with prof::prof can set PROF_START=now or call prof_start() instead")
endif()
