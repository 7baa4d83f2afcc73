for words in "" "--range=" "--range step --fail-if-slower 5%" "--range step --against forward --fail-if-slower 5" \
    "--range step --max-relative-error 0" "--range step --max-relative-error x" "--range step --allow-varying=1"; do
    profdump bench $words sample.prof
    echo "status $?"
done
