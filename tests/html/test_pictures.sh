#!/usr/bin/env bash
# The pictures of the documentation: docs/pictures.py makes each of them, they are small, and the SVG is as today's writer draws.
set -euo pipefail
: "${BIN_DIR:?}" "${SOURCE_DIR:?}"
docs=$SOURCE_DIR/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for picture in "$docs"/*.png "$docs"/*.svg; do
    name=$(basename "$picture")
    grep -q "\b${name%.*}\b" "$docs/pictures.py" || { echo "docs/pictures.py does not make $name"; exit 1; }
    grep -q "($name)" "$docs"/*.md || { echo "no page shows $name"; exit 1; }
    size=$(stat -c %s "$picture")
    [ "$size" -lt 150000 ] || { echo "$name has $size bytes"; exit 1; }
done

python3 "$SOURCE_DIR/tests/html/make_kineto.py" usual.json usual
"$BIN_DIR/profdump" -o usual.svg usual.json
if ! cmp <(grep -o '<style>.*</style>' usual.svg) <(grep -o '<style>.*</style>' "$docs/demo_ranges.svg"); then
    echo "docs/demo_ranges.svg is an old picture: ./dev pictures makes it again"
    exit 1
fi
