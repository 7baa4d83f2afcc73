# A reader that goes away is no news: quiet, and not a success.
for arguments in demo.prof '--json demo.prof' '--chrome - demo.prof'; do
    (trap '' PIPE; sleep 0.3; profdump $arguments; echo "exit $?" >&2) | true
    (sleep 0.3; profdump $arguments; [ $? != 0 ] && echo "ended" >&2) | true
done
