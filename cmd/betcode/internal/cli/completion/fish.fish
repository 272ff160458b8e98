# fish completion for betcode
function __betcode_complete
    set -l words (commandline -opc)
    betcode __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c betcode -a '(__betcode_complete)'
