# bash completion for betcode
_betcode() {
  local value
  COMPREPLY=()
  while IFS= read -r value; do
    COMPREPLY+=("$value")
  done < <(betcode __complete_bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -F _betcode betcode
