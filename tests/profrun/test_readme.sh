#!/usr/bin/env bash
# The README's table of variables is what `profrun --help-env` prints.
set -euo pipefail

"$BIN_DIR/profrun" --help-env | python3 "$SOURCE_DIR/tests/profrun/readme_table.py" >wanted.txt
sed -n '/^| variable | value/,/^$/p' "$SOURCE_DIR/README.md" | sed '/^$/d' >found.txt
diff wanted.txt found.txt || {
    echo "README.md: renew the table: profrun --help-env | python3 tests/profrun/readme_table.py"
    exit 1
}
