echo hello >text.prof
: >empty.prof
head -c 100 demo.prof >header_cut.prof
mkdir folder.prof
head -c 100000 /dev/zero >zeros.prof
for file in text.prof empty.prof header_cut.prof folder.prof zeros.prof missing.prof /dev/null; do
    profdump $file; echo "exit $?"
done
