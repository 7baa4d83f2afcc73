profdump explain --rule cpu-only,tiny-kernels --rule tail-wave demo.prof
