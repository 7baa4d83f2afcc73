# Takes back what `cmake --install` did: cmake -DBUILD_DIR=<build directory> -P prof_uninstall.cmake
#
# Removes the files that the build directory's manifest lists, and then the directories that the installation made, as
# far as they are empty. The manifest says nothing of directories, so the installation itself, which includes this
# file, notes them first. Both work below DESTDIR.

# Appends to install_directories.txt those of the directories, and of those above them, that are not there yet.
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

# Directories that hold something stay, and stay noted.
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
    file(GLOB manifests "${BUILD_DIR}/install_manifest*.txt") # one for each component that was installed alone
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
