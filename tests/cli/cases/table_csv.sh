# Every table as csv passes a strict reader, and names read from it are those that were shown.
. "$CASES/every_table.sh" csv names
