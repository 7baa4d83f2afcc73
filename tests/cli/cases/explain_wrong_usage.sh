try() { profdump explain "$@" demo.prof; echo "$?"; }
try --rule no-such
try --rule ''
try --limits ''
try --limits nowhere.ini
try --limits .
printf 'least_share = 0.1\n[tiny-kernels]\nleast_share = much\n' >limits.ini
try --limits limits.ini
printf '[\033[31mred]\n' >limits.ini
try --limits limits.ini
