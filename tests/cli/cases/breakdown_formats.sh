profdump breakdown --json --kernel-wait 1000 --queue-full 1 demo.prof
profdump breakdown --format tsv --table idle demo.prof
profdump breakdown --format csv --table copies demo.prof
profdump breakdown --table sequences --sequences e demo.prof
profdump breakdown --json hostile.prof | python3 -m json.tool >valid.json && echo valid
