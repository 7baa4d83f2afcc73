# A range that was never popped lasts until the recording ends, and is one call of its thread.
profdump --group-by name,thread --columns min,p50,max killed.prof | sed -n '/Name/,/Self CPU time/p'
profdump --tree killed.prof | sed -n '/Name/,/Self CPU time/p'
