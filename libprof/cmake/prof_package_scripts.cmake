# Removes the maintainer scripts that CPack adds to a package with libraries: its trigger already runs ldconfig. CPack
# runs this when the packages are written. Also removes its notes of an installation, which `uninstall` would follow.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
    set(directory "${CPACK_TEMPORARY_DIRECTORY}/unpacked")
    file(REMOVE_RECURSE "${directory}")
    execute_process(COMMAND dpkg-deb --raw-extract "${package}" "${directory}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${directory}/DEBIAN/postinst" "${directory}/DEBIAN/postrm")
    execute_process(COMMAND dpkg-deb --root-owner-group --build "${directory}" "${package}" COMMAND_ERROR_IS_FATAL ANY
        OUTPUT_QUIET)
endforeach()

list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build_directory)
file(GLOB manifests "${build_directory}/install_manifest_*.txt")
if(manifests)
    file(REMOVE ${manifests})
endif()
