mkdir job none && cp rank0.prof rank1.prof job
diff <(profdump job) <(profdump job/rank0.prof job/rank1.prof) && echo same
profdump none
