profdump --chrome - cpu.prof >a.json
profdump --chrome /dev/stdout cpu.prof >b.json
profdump --chrome /dev/stdout cpu.prof | cat >c.json
profdump --chrome d.json cpu.prof
sed -i 's/"traceName":.*/"traceName":"x"}/' ?.json
cmp a.json b.json && cmp a.json c.json && cmp a.json d.json && echo same
