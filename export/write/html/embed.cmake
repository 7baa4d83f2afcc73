# embed.cmake - writes OUTPUT, a C source with a style and a script as strings, and their hashes.
#
#     cmake -DSTYLE=report.css "-DSCRIPTS=a.js b.js" -DFOLDER=... -DOUTPUT=... -P embed.cmake
#
# The scripts are one, in that order. The base64 of the SHA-256 of what stands between the tags is what a
# Content-Security-Policy asks for.

include("${CMAKE_CURRENT_LIST_DIR}/../../../libprof/cmake/embed_bytes.cmake")

# The base64 of a hexadecimal number of bytes.
function(base64 hex out)
    set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    set(text "")
    string(LENGTH "${hex}" left)
    while(left GREATER 0)
        string(SUBSTRING "${hex}00000" 0 6 group)
        set(number 0x${group})
        set(characters 4)
        if(left LESS 6)
            math(EXPR characters "${left} / 2 + 1")
        endif()
        foreach(shift IN ITEMS 18 12 6 0)
            math(EXPR digit "(${number} >> ${shift}) & 63")
            string(SUBSTRING "${digits}" ${digit} 1 character)
            if(characters GREATER 0)
                string(APPEND text "${character}")
            else()
                string(APPEND text "=")
            endif()
            math(EXPR characters "${characters} - 1")
        endforeach()
        if(left GREATER 6)
            string(SUBSTRING "${hex}" 6 -1 hex)
        endif()
        math(EXPR left "${left} - 6")
    endwhile()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Appends `const char NAME[]` and `const char NAME_hash[]` to the source.
function(embed name file)
    embed_bytes("${file}" bytes)
    file(SHA256 "${file}" hash)
    base64("${hash}" hash)
    set(source "${source}\nconst char ${name}[] = {\n${bytes}};\nconst char ${name}_hash[] = \"${hash}\";\n" PARENT_SCOPE)
endfunction()

separate_arguments(SCRIPTS)
set(whole "")
foreach(script IN LISTS SCRIPTS)
    file(READ "${FOLDER}/${script}" text)
    string(APPEND whole "${text}")
endforeach()
file(WRITE "${OUTPUT}.js" "${whole}")

set(source "/* Made by embed.cmake. */\n#include \"html_page.h\"\n")
embed(html_style "${FOLDER}/${STYLE}")
embed(html_script "${OUTPUT}.js")
file(WRITE "${OUTPUT}" "${source}")
