# find_package(prof) gives prof::prof: link it to call the functions of prof/prof.h.
include("${CMAKE_CURRENT_LIST_DIR}/prof-targets.cmake")
