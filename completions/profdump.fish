# Completion of profdump for fish: options and commands as --help lists them.

function __prof_lines --description 'option or command, tab, what --help says of it'
    $argv[1] --help 2>/dev/null | string match -rg '^ {2,6}(?:-[a-zA-Z], )?(--[a-z0-9-]+|[a-z]+)(?:[ =\[][^ ]*)? {2,}(.*)' |
        while read -L option
            read -L help
            printf '%s\t%s\n' $option $help
        end
end

complete -c profdump -n 'string match -q -- "-*" (commandline -ct)' -a '(__prof_lines profdump | string match -- "--*")'
complete -c profdump -n 'test (count (commandline -opc)) -eq 1' -a '(__prof_lines profdump | string match -v -- "--*")'
