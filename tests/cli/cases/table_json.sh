# Every table as JSON passes a strict reader.
. "$CASES/every_table.sh" json
