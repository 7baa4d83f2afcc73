profdump bench --range outer nsys.sqlite
echo "status $?"
profdump bench --range work --json nsys.sqlite
echo "status $?"
profdump bench --range step nvprof.nvvp
echo "status $?"
