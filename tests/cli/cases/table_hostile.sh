# Names must neither drive the terminal nor break the layout.
profdump hostile.prof
