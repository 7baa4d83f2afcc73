# git: commits, branches, a merge, a rebase, packing, a clone, a bundle
# packages: git
# commands: git
# set: quick
# ignore: .*/\.git/index

version() { git --version; }

workload() {
    export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' GIT_CONFIG_NOSYSTEM=1
    local number
    git config --global user.name guest
    git config --global user.email guest@localhost
    git config --global init.defaultBranch main
    git config --global pack.threads 1
    git config --global gc.auto 0
    git config --global gc.cruftPacks false # it keeps times
    git init -q repository && cd repository || return
    for number in {1..12}; do
        seq "$number" 200 >"file$number"
        git add . && git commit -q -m "commit $number"
    done
    git checkout -q -b side HEAD~4
    echo changed >>file1 && git commit -q -a -m "side"
    git merge -q -m merged main
    git checkout -q -b moved main~6
    echo other >file30 && git add file30 && git commit -q -m moved
    git rebase -q main
    git log --graph --oneline --all --stat
    git diff main~3 side | git patch-id
    git blame file1 | tail -n 2
    git tag -a -m tagged v1 && git describe
    git stash list
    git gc -q && git fsck
    git bundle create -q ../all.bundle --all
    git clone -q ../all.bundle ../clone
    git -C ../clone log --oneline -n 3
    git archive --format=tar main | tar t | sort | tail -n 3
    git grep -c 77 | head -n 4
    git show nothing
    echo "status $?"
}
