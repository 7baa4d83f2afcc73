# What `cmake --install` puts where. The tree keeps the build tree's shape: profrun finds the library and
# the simulated CUDA relative to itself.
#
# The components are the Debian packages (prof_package.cmake): recorder, reader, dev, tools.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/prof")
set(completions_of_bash "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
set(completions_of_fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
set(completions_of_zsh "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
set(skill_dir "${CMAKE_INSTALL_DATADIR}/libprof/skills/libprof") # a skill has the name of its directory
if(NOT PROJECT_IS_TOP_LEVEL) # the default is the other project's, where LICENSE would replace that project's
    set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATAROOTDIR}/doc/libprof")
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(script "${PROJECT_SOURCE_DIR}/libprof/cmake/prof_uninstall.cmake")
    set(directories ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBDIR}/libprof/sim
        ${package_dir} ${CMAKE_INSTALL_LIBDIR}/cmake/libprof ${CMAKE_INSTALL_INCLUDEDIR}/prof ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man3
        ${CMAKE_INSTALL_DOCDIR} ${completions_of_bash} ${completions_of_fish} ${completions_of_zsh} ${skill_dir}/references ${CMAKE_INSTALL_DATADIR}/libprof/schemas)
    install(CODE "include([[${script}]])\nprof_note_directories([[${PROJECT_BINARY_DIR}]] ${directories})")
    add_custom_target(prof_uninstall VERBATIM
        COMMAND "${CMAKE_COMMAND}" "-DBUILD_DIR=${PROJECT_BINARY_DIR}" -P "${script}")
    add_custom_target(uninstall DEPENDS prof_uninstall)
endif()

install(TARGETS prof_library prof_format EXPORT prof_targets LIBRARY COMPONENT recorder NAMELINK_COMPONENT dev)
install(TARGETS prof_trace EXPORT prof_targets LIBRARY COMPONENT reader NAMELINK_COMPONENT dev)
install(TARGETS profrun profdump RUNTIME COMPONENT tools)
install(DIRECTORY libprof/include/prof TYPE INCLUDE COMPONENT dev FILES_MATCHING PATTERN "*.h")
file(GLOB man_pages CONFIGURE_DEPENDS libprof/profrun/*.1 export/profdump/*.1)
install(FILES ${man_pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR) # profdump writes those of its commands, and the schemas of their JSON
    install(DIRECTORY "${PROJECT_BINARY_DIR}/man1/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/schemas" DESTINATION "${CMAKE_INSTALL_DATADIR}/libprof" COMPONENT tools)
endif()

# Pages of the interface, and for each other name that a page has a page that sends the reader there.
file(GLOB interface_pages CONFIGURE_DEPENDS libprof/include/prof/*.3)
install(FILES ${interface_pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man3" COMPONENT dev)
foreach(page IN LISTS interface_pages)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
    get_filename_component(page_name "${page}" NAME_WE)
    file(STRINGS "${page}" names REGEX "^\\.Nm [a-z_]+")
    foreach(line IN LISTS names)
        string(REGEX REPLACE "^\\.Nm ([a-z_]+).*" "\\1" name "${line}")
        if(NOT name STREQUAL page_name)
            file(WRITE "${PROJECT_BINARY_DIR}/man3/${name}.3" ".so man3/${page_name}.3\n")
            install(FILES "${PROJECT_BINARY_DIR}/man3/${name}.3" DESTINATION "${CMAKE_INSTALL_MANDIR}/man3"
                COMPONENT dev)
        endif()
    endforeach()
endforeach()
foreach(program IN ITEMS profdump profrun)
    install(FILES export/profdump/completions/prof.bash RENAME ${program} DESTINATION "${completions_of_bash}" COMPONENT tools)
    install(FILES export/profdump/completions/${program}.fish DESTINATION "${completions_of_fish}" COMPONENT tools)
endforeach()
install(FILES export/profdump/completions/_profdump DESTINATION "${completions_of_zsh}" COMPONENT tools)
install(DIRECTORY skill/ DESTINATION "${skill_dir}" COMPONENT tools)
install(FILES LICENSE TYPE DOC COMPONENT license)
if(PROF_BUILD_SIM)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/sim" USE_SOURCE_PERMISSIONS
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/libprof" COMPONENT tools)
endif()

# A directory of the installation as prof.pc writes it.
function(prof_pc_directory variable directory)
    if(NOT IS_ABSOLUTE "${directory}")
        set(directory "\${prefix}/${directory}")
    endif()
    set(${variable} "${directory}" PARENT_SCOPE)
endfunction()

file(RELATIVE_PATH PROF_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
prof_pc_directory(PROF_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
prof_pc_directory(PROF_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(package IN ITEMS prof prof-trace libprof)
    configure_file(libprof/cmake/${package}.pc.in ${package}.pc @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endforeach()

set_target_properties(prof_format PROPERTIES EXPORT_NAME headers)
set_target_properties(prof_trace PROPERTIES EXPORT_NAME trace)
install(EXPORT prof_targets NAMESPACE prof:: FILE prof-targets.cmake DESTINATION "${package_dir}" COMPONENT dev)
foreach(name IN ITEMS prof libprof) # people try either
    write_basic_package_version_file(${name}-config-version.cmake COMPATIBILITY SameMajorVersion)
    install(FILES "${PROJECT_BINARY_DIR}/${name}-config-version.cmake" DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/${name}"
        COMPONENT dev)
    install(FILES libprof/cmake/prof-config.cmake RENAME ${name}-config.cmake
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/${name}" COMPONENT dev)
endforeach()
install(FILES libprof/cmake/prof-how-to-record.cmake DESTINATION "${package_dir}" COMPONENT dev)
