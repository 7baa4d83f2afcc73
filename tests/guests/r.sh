# R: forked workers, commands, sockets, time limits, linear algebra
# packages: r-base-core
# commands: Rscript
# ignore: \.RData

version() { R --version | head -n 1; }

prepare() {
    cat >script.R <<'R'
library(parallel)
cat(sum(unlist(mclapply(1:60, function(n) n * n, mc.cores = 3))), "\n")
failed <- suppressWarnings(mclapply(1:2, function(n) if (n == 2) stop("in a child") else n, mc.cores = 2))
cat(class(failed[[2]]), "\n")
job <- mcparallel({ Sys.sleep(0.2); "later" })
cat(mccollect(job)[[1]], "\n")
cluster <- makeCluster(2)
cat(unlist(parLapply(cluster, 1:6, function(n) n^3)), "\n")
stopCluster(cluster)
cat(system("echo words; exit 3"), system("cat", input = "through", intern = TRUE), "\n")
cat(system2("sleep", "60", timeout = 1), "\n")
limited <- tryCatch({ setTimeLimit(elapsed = 0.3, transient = TRUE); repeat sqrt(2) }, error = conditionMessage)
setTimeLimit()
cat(limited, "\n")
tools::pskill(Sys.getpid(), tools::SIGUSR1) # saves and quits, unless it is caught while evaluating
R
    cat >numbers.R <<'R'
set.seed(7)
m <- matrix(rnorm(160000), 400)
cat(dim(solve(m)), round(sum(solve(m) %*% m), 3), "\n")
cat(nchar(paste(sort(as.character(1:200000)), collapse = "")), "\n")
invisible(gc())
connection <- pipe("sort -n | head -n 2", "w")
writeLines(as.character(9:1), connection)
close(connection)
f <- function(n) f(n + 1)
cat(class(tryCatch(f(1), error = function(e) e))[1], "\n")
saveRDS(1:100000, "saved.rds")
cat(sum(readRDS("saved.rds")), "\n")
pdf(NULL); plot(1:10); invisible(dev.off())
q(status = 6)
R
}

workload() {
    Rscript --vanilla numbers.R
    echo "status $?"
    Rscript --vanilla script.R
    echo "status $?"
    R --vanilla --no-echo -e 'tools::pskill(Sys.getpid(), tools::SIGTERM); Sys.sleep(60)' 2>&1
    echo "status $?"
} 2>&1
