# A reader that goes away is no news: quiet, and not a success.
mkfifo pipe
true <pipe &
exec 8>pipe
wait # the reader has gone
for arguments in demo.prof '--json demo.prof' '--chrome - demo.prof'; do
    (trap '' PIPE; profdump $arguments >&8; echo "exit $?" >&2)
    (profdump $arguments >&8; [ $? != 0 ] && echo "ended" >&2)
done
