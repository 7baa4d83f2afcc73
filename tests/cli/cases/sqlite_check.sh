profdump check nsys.sqlite nsys_2019.sqlite nvprof.nvvp nvprof_9.nvvp
