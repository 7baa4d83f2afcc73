# Sourced by the tests that install the build tree.
#
#   install_into PREFIX     with the notes of what was installed in ./notes: those in the build tree are about the
#                           installation of whoever built it, which uninstall is to take back

install_into() {
    mkdir -p notes
    sed -e "s|\"$BUILD_DIR/\(\${CMAKE_INSTALL_MANIFEST}\)\"|\"$PWD/notes/\1\"|" \
        -e "s|^prof_note_directories(\[\[$BUILD_DIR\]\]|prof_note_directories([[$PWD/notes]]|" \
        "$BUILD_DIR/cmake_install.cmake" >notes/install.cmake
    "$CMAKE" "-DCMAKE_INSTALL_PREFIX=$1" -P notes/install.cmake >install.log
    [ -s notes/install_manifest.txt ] || { echo "FAILED: notes of the installation are in the build tree"; exit 1; }
}
