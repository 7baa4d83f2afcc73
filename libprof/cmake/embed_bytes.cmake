# embed_bytes(<file> <out>): the bytes of a file as the elements of a C array, a zero at the end.
function(embed_bytes file out)
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    set(${out} "${hex}\n0" PARENT_SCOPE)
endfunction()
