# Statements can only read, and what is wrong with one is said before the recording is read.
ask() {
    profdump query "$@"
    echo "exit $?"
}
ask
ask "SELEC 1" no-such-file.prof
ask "SELECT * FROM nope" no-such-file.prof
ask "SELECT nope FROM kernels" no-such-file.prof
ask "" demo.prof
ask " -- a comment" demo.prof
ask "SELECT 1; SELECT 2" demo.prof
ask "SELECT 1; -- a comment ;" demo.prof
ask "DELETE FROM kernels" demo.prof
ask "CREATE TABLE t(x)" demo.prof
ask "DROP VIEW TARGET_INFO_GPU" demo.prof
ask "INSERT INTO ENUM_CUDA_MEM_KIND VALUES(99, 'a', 'b')" demo.prof
ask "ATTACH 'other.sqlite' AS other" demo.prof
ask "VACUUM INTO 'other.sqlite'" demo.prof
ask "PRAGMA temp_store_directory = '/'" demo.prof
ask "SELECT load_extension('x.so')" demo.prof
ask "BEGIN" demo.prof
ask "SELECT percentile(duration, 101) FROM slices" demo.prof
ask "SELECT 1" no-such-file.prof
ask --chrome out.json "SELECT 1" demo.prof
ls other.sqlite 2>/dev/null
