# bash completion for betcode
_betcode() {
  local value rest
  COMPREPLY=()
  while IFS=$'\t' read -r value rest; do
    COMPREPLY+=("$(printf '%q' "$value")")
  done < <(betcode __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _betcode betcode
