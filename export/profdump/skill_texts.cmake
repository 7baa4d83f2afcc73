# skill_texts.cmake - writes OUTPUT, a C source with the texts of skill/: see skill_texts.h.
#
#     cmake "-DFILES=.../SKILL.md|.../references/read.md" -DOUTPUT=... -P skill_texts.cmake

include("${CMAKE_CURRENT_LIST_DIR}/../../libprof/cmake/embed_bytes.cmake")

string(REPLACE "|" ";" FILES "${FILES}")
set(texts "")
set(rows "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    embed_bytes("${file}" bytes)
    string(APPEND texts "\nstatic const char text_${name}[] = {\n${bytes}};\n")
    string(APPEND rows "    {\"${name}\", text_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by skill_texts.cmake. */\n#include \"skill_texts.h\"\n\n#include <stddef.h>\n${texts}
const struct skill_text skill_texts[] = {\n${rows}    {NULL, NULL},\n};\n")
