profdump skill | head -n 2
profdump skill compare | head -n 1
for words in exlain elsewhere "read explain" "--json read"; do
    profdump skill $words
    echo $?
done 2>&1
