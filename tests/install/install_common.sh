# Sourced by the tests that install the build tree.
#
#   install_into PREFIX     writes the list of what was installed to ./notes, not to the build tree: the list there
#                           belongs to the user's own installation

install_into() {
    mkdir -p notes
    sed -e "s|\"$BUILD_DIR/\(\${CMAKE_INSTALL_MANIFEST}\)\"|\"$PWD/notes/\1\"|" \
        -e "s|^prof_note_directories(\[\[$BUILD_DIR\]\]|prof_note_directories([[$PWD/notes]]|" \
        "$BUILD_DIR/cmake_install.cmake" >notes/install.cmake
    "$CMAKE" "-DCMAKE_INSTALL_PREFIX=$1" -P notes/install.cmake >install.log
    [ -s notes/install_manifest.txt ] || { echo "FAILED: notes of the installation are in the build tree"; exit 1; }
}
