profdump explain --json demo.prof | python3 -m json.tool --indent 1 | head -60
