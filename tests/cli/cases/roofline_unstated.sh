# Nothing is known of what a program's own kernels do: roofline says how to state it.
profdump roofline graphs.prof
