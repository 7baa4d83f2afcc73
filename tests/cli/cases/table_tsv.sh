# Every table as tsv passes a strict reader, and names read from it are those that were shown.
. "$CASES/every_table.sh" tsv names
