# embed_texts.cmake - writes OUTPUT, a C source with text files in an array of HEADER, "struct <NAME> <NAME>s[]" of {name, text}.
#
#     cmake "-DFILES=.../SKILL.md|.../references/read.md" -DNAME=skill_text -DHEADER=skill_texts.h -DOUTPUT=... -P embed_texts.cmake

include("${CMAKE_CURRENT_LIST_DIR}/embed_bytes.cmake")

string(REPLACE "|" ";" FILES "${FILES}")
set(texts "")
set(rows "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    embed_bytes("${file}" bytes)
    string(APPEND texts "\nstatic const char text_${name}[] = {\n${bytes}};\n")
    string(APPEND rows "    {\"${name}\", text_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by embed_texts.cmake. */\n#include \"${HEADER}\"\n\n#include <stddef.h>\n${texts}
const struct ${NAME} ${NAME}s[] = {\n${rows}    {NULL, NULL},\n};\n")
