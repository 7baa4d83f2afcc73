# Removes what `cmake --install` installed: cmake -DBUILD_DIR=<build directory> -P prof_uninstall.cmake
#
# Removes the files in the build directory's manifest, then those directories that the installation created and that
# are empty. The manifest does not list directories, so the installation includes this file and first notes which ones
# it will create. Both follow DESTDIR.

# Appends to install_directories.txt each of the directories and their parents that does not exist yet.
function(prof_note_directories build_directory)
    set(made)
    foreach(directory IN LISTS ARGN)
        get_filename_component(directory "${directory}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
        set(directory "$ENV{DESTDIR}${directory}")
        while(NOT EXISTS "${directory}")
            list(APPEND made "${directory}")
            get_filename_component(directory "${directory}" DIRECTORY)
        endwhile()
    endforeach()
    list(REMOVE_DUPLICATES made)
    foreach(directory IN LISTS made)
        file(APPEND "${build_directory}/install_directories.txt" "${directory}\n")
    endforeach()
endfunction()

function(prof_remove_files manifest)
    file(STRINGS "${manifest}" files ENCODING UTF-8)
    foreach(file IN LISTS files)
        set(file "$ENV{DESTDIR}${file}")
        if(EXISTS "${file}" OR IS_SYMLINK "${file}")
            message(STATUS "Removing: ${file}")
            file(REMOVE "${file}")
        endif()
        if(EXISTS "${file}" OR IS_SYMLINK "${file}")
            message(FATAL_ERROR "cannot remove ${file}")
        endif()
    endforeach()
    file(REMOVE "${manifest}")
endfunction()

# Directories that are not empty stay, and stay in the list.
function(prof_remove_directories list)
    file(STRINGS "${list}" directories ENCODING UTF-8)
    file(REMOVE "${list}")
    list(SORT directories ORDER DESCENDING) # a directory comes after those in it
    list(REMOVE_DUPLICATES directories)
    foreach(directory IN LISTS directories)
        execute_process(COMMAND rmdir -- "${directory}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
        if(NOT failed)
            message(STATUS "Removing: ${directory}")
        elseif(IS_DIRECTORY "${directory}")
            file(APPEND "${list}" "${directory}\n")
        endif()
    endforeach()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    file(GLOB manifests "${BUILD_DIR}/install_manifest*.txt") # also of components that were installed separately
    if(NOT manifests)
        message(FATAL_ERROR "nothing was installed from ${BUILD_DIR}: it has no install_manifest.txt")
    endif()
    foreach(manifest IN LISTS manifests)
        prof_remove_files("${manifest}")
    endforeach()
    if(EXISTS "${BUILD_DIR}/install_directories.txt")
        prof_remove_directories("${BUILD_DIR}/install_directories.txt")
    endif()
endif()
