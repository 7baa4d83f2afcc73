profdump nvprof_9.nvvp
