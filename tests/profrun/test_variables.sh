#!/usr/bin/env bash
# The table of docs/variables.md is what `profrun --help-env` prints.
set -euo pipefail

"$BIN_DIR/profrun" --help-env | python3 "$SOURCE_DIR/tests/profrun/variables_table.py" >wanted.txt
sed -n '/^| variable | value/,/^$/p' "$SOURCE_DIR/docs/variables.md" | sed '/^$/d' >found.txt
diff wanted.txt found.txt || {
    echo "docs/variables.md: renew the table: profrun --help-env | python3 tests/profrun/variables_table.py"
    exit 1
}
