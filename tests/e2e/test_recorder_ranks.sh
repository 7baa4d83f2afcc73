#!/usr/bin/env bash
# Each launcher of parallel jobs names its ranks by variables of its own: the file's name and its header have the rank.
. "$(dirname "$0")/common.sh"

cat >rank.c <<'PROGRAM'
#include <prof/prof.h>
int main(void)
{
    prof_range_push("rank");
    prof_range_pop();
    return 0;
}
PROGRAM
"$CC" -I"$include" rank.c -o rank

# ranks LAUNCHER RANK_VARIABLE LOCAL_VARIABLE SIZE_VARIABLE: three ranks, each with its variables, the default file name.
ranks() {
    mkdir "$1"
    cd "$1"
    for rank in 0 1 2; do
        env "$2=$rank" "$3=$((rank % 2))" "$4=3" LD_PRELOAD="$lib" ../rank
    done
    cd ..
    same "files of $1" 3 "$(find "$1" -name 'rank-rank[012]-*.prof' | wc -l)"
    for rank in 0 1 2; do
        expect "$1"/rank-rank$rank-*.prof "process['rank'] == $rank" "process['local_rank'] == $((rank % 2))" \
            "process['world_size'] == 3" 'count == {"rank": 1}'
    done
    # read together they stay apart
    "$PROF_BIN/profdump" --json "$1" >all.json
    python3 -c '
import json
facts = json.load(open("all.json"))
assert sorted(p["rank"] for p in facts["processes"]) == [0, 1, 2]
assert {row["name"]: row["count"] for row in facts["key_averages"]} == {"rank": 3}'
}

ranks torchrun RANK LOCAL_RANK WORLD_SIZE
ranks openmpi OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_SIZE
ranks pmix PMIX_RANK PMIX_LOCAL_RANK PMIX_SIZE
ranks mpich PMI_RANK MPI_LOCALRANKID PMI_SIZE
ranks slurm SLURM_PROCID SLURM_LOCALID SLURM_NTASKS

# Outside of a job there is no rank in the name.
mkdir alone
cd alone
LD_PRELOAD=$lib ../rank
same "file of one process" 1 "$(find . -name 'rank-[0-9]*.prof' | wc -l)"
