# embed.cmake - writes OUTPUT, a C source with the texts of FOLDER's *.txt files.
#
#     cmake -DFOLDER=... "-DNAMES=a b c" -DOUTPUT=... -P embed.cmake

separate_arguments(NAMES)
set(source "/* Made by embed.cmake. */\n#include \"member_texts.h\"\n")
set(table "")
foreach(name IN LISTS NAMES)
    file(READ "${FOLDER}/${name}.txt" hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND source "\nstatic const char text_of_${name}[] = {\n${hex}\n0};\n")
    string(APPEND table "    {\"${name}\", text_of_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "${source}\nconst struct member_text member_texts[] = {\n${table}    {0},\n};\n")
