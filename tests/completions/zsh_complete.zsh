# zsh_complete.zsh FOLDER WORDS EXPECTED: types WORDS and a tab into a zsh that has FOLDER's functions; prints what the terminal
# shows from there on, until EXPECTED is in it. BIN_DIR has the programs: Debian's zsh sets PATH anew.
emulate -L zsh
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "stty -echo; PATH=$BIN_DIR:$PATH; PS1= RPROMPT=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; echo read''y"
local line='' seen=''
while zpty -r shell line && [[ $line != *ready* ]]; do :; done
zpty -wn shell "$2"$'\t'
local -i left=50
while (( left-- )); do
    sleep 0.1
    while zpty -rt shell line; do seen+=$line; done
    [[ $seen == *${3:-?}* ]] && break
done
print -r -- "$seen"
zpty -d shell
