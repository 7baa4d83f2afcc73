# Completion of profdump for fish. profdump lists its commands and options itself: see help.h.

function __profdump_command --description 'the command that the words name, - if none'
    set -l name -
    for word in (commandline -opc)[2..-1]
        if test $name = -; and string match -q -- "command	$word	*" $argv
            set name $word
        else if test $name != -; and string match -q -- "command	$name $word	*" $argv
            set name "$name $word"
        end
    end
    echo $name
end

function __profdump_options --description 'option, tab, help'
    set -l list (profdump --list-options 2>/dev/null)
    set -l command (__profdump_command $list)
    for line in $list
        set -l part (string split \t -- $line)
        if test $part[1] = option; and test "$part[2]" = "$command"; and test $part[5] = shown
            printf '%s\t%s\n' $part[3] "$part[7]"
        end
    end
end

function __profdump_values --description 'values of the option before'
    set -l list (profdump --list-options 2>/dev/null)
    set -l command (__profdump_command $list)
    set -l before (commandline -opc)[-1]
    for line in $list
        set -l part (string split \t -- $line)
        if test $part[1] = option; and test "$part[2]" = "$command"; and test "$part[3]" = "$before"; and test "$part[6]" != -
            string split ' ' -- $part[6]
        end
    end
end

function __profdump_words --description 'command, tab, summary'
    set -l list (profdump --list-options 2>/dev/null)
    set -l command (__profdump_command $list)
    for line in $list
        set -l part (string split \t -- $line)
        test $part[1] = command; and test $part[3] = shown; or continue
        if test $command = -; and not string match -q '* *' -- $part[2]
            printf '%s\t%s\n' $part[2] "$part[4]"
        else if string match -q -- "$command *" $part[2]
            printf '%s\t%s\n' (string replace -- "$command " '' $part[2]) "$part[4]"
        end
    end
end

complete -c profdump -n 'string match -q -- "-*" (commandline -ct)' -a '(__profdump_options)'
complete -c profdump -n 'not string match -q -- "-*" (commandline -ct)' -a '(__profdump_values)'
complete -c profdump -n 'test (count (commandline -opc)) -le 2' -a '(__profdump_words)'
