# Completion of profrun for fish: options and commands as --help lists them.

function __prof_lines --description 'option or command, tab, what --help says of it'
    $argv[1] --help 2>/dev/null | string match -rg '^ {2,6}(?:-[a-zA-Z], )?(--[a-z0-9-]+|[a-z]+)(?:[ =\[][^ ]*)? {2,}(.*)' |
        while read -L option
            read -L help
            printf '%s\t%s\n' $option $help
        end
end

complete -c profrun -n 'string match -q -- "-*" (commandline -ct)' -a '(__prof_lines profrun | string match -- "--*")'
complete -c profrun -a '(__fish_complete_subcommand)'
