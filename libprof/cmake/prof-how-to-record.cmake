# Says once to those who build another project with libprof what makes a program record.
if(NOT ${CMAKE_FIND_PACKAGE_NAME}_FIND_QUIETLY)
    message(STATUS "libprof: a program records under 'profrun -o run.prof -- PROGRAM'; linked with prof::prof, also with PROF_START=now or after prof_start()")
endif()
