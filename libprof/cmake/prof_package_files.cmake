# What Debian wants in a package beside what is installed. CPack runs this between installing each component into a
# directory of its own and packing them. Strips programs and libraries, compresses manual pages, and adds the copyright
# and the changelog.

# For the best size, without a name and a time.
function(prof_compress)
    execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The mode of libraries is that of data; they are installed with the compiler's.
function(prof_strip)
    execute_process(COMMAND "${CPACK_PROF_STRIP}" --strip-unneeded --remove-section=.comment --remove-section=.note ${ARGN}
        COMMAND_ERROR_IS_FATAL ANY)
    list(FILTER ARGN INCLUDE REGEX "\\.so")
    if(ARGN)
        file(CHMOD ${ARGN} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
endfunction()

function(prof_add_documents doc)
    file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: libprof

Files: *
Copyright: 2026 the libprof maintainers
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
    string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE "${doc}/changelog" "libprof (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from the sources of this version: see NEWS.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
    configure_file("${CPACK_PROF_SOURCE_DIR}/CHANGELOG.md" "${doc}/NEWS" COPYONLY)
    prof_compress("${doc}/changelog" "${doc}/NEWS")
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" upper)
    set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr")
    prof_add_documents("${usr}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    file(GLOB pages "${usr}/share/man/man*/*.[1-9]")
    if(pages)
        prof_compress(${pages})
    endif()
    file(GLOB_RECURSE binaries "${usr}/bin/*" "${usr}/lib*/*.so.*")
    foreach(file IN LISTS binaries)
        if(NOT IS_SYMLINK "${file}")
            prof_strip("${file}")
        endif()
    endforeach()
endforeach()
