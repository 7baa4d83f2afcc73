cp demo.prof future.prof
printf '\377' | dd of=future.prof bs=1 seek=8 conv=notrunc status=none
profdump future.prof; echo "exit $?"
cp demo.prof swapped.prof
printf '\001\002\003\004' | dd of=swapped.prof bs=1 seek=12 conv=notrunc status=none
profdump swapped.prof; echo "exit $?"
