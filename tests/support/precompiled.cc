/* precompiled.cc - holds nothing: CMake precompiles headers for a target, and a target needs a source. */
