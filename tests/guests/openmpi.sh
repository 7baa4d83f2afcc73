# Open MPI: four ranks, collectives, one-sided memory, spawned ranks, an abort, a rank that is killed
# packages: openmpi-bin libopenmpi-dev gcc
# commands: mpirun mpicc

version() { mpirun --version | head -n 1; }

prepare() {
    cat >guest.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, provided, total, inter;
    MPI_Comm parent, children;
    static double sent[200000], received[200000];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < 300; i++)
        MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 200000; i++)
        sent[i] = rank + i;
    MPI_Sendrecv(sent, 200000, MPI_DOUBLE, (rank + 1) % size, 1, received, 200000, MPI_DOUBLE, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int *shared;
    MPI_Win window;
    MPI_Win_allocate(sizeof *shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    *shared = 0;
    MPI_Win_fence(0, window);
    for (int i = 0; i < 100; i++)
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    printf("rank %d of %d: %d %.0f %d\n", rank, size, total, received[199999], rank ? 0 : *shared);
    fflush(stdout);
    MPI_Win_free(&window);
    if (argc > 1 && !strcmp(argv[1], "spawn")) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Reduce(NULL, &inter, 1, MPI_INT, MPI_SUM, rank ? MPI_PROC_NULL : MPI_ROOT, children);
        if (!rank)
            printf("children %d\n", inter);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && !strcmp(argv[1], "abort") && rank == 2)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (argc > 1 && !strcmp(argv[1], "kill") && rank == 1)
        raise(SIGKILL);
    if (argc > 1 && !strcmp(argv[1], "exit"))
        exit(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
    mpicc -O1 guest.c -o guest
}

workload() {
    local kind
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
    for kind in plain spawn abort kill; do
        timeout 120 mpirun --oversubscribe -np 4 ./guest "$kind" >"$GUEST_DATA/out" 2>"$GUEST_DATA/err"
        echo "$kind $?"
        sort "$GUEST_DATA/out"
        grep -oE 'exited on signal [0-9]+|libprof.*' "$GUEST_DATA/err" | sort -u
    done
}
