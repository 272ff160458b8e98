# fish completion for betcode
function __betcode_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    # fish compares the others itself, with what its quotes mean
    string match -q -- '-*' $word; or set word ''
    set -l found (betcode __complete $words[2..-1] $word 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c betcode -f -a '(__betcode_complete)'
