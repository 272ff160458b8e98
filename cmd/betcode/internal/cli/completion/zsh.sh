#compdef betcode
# zsh completion for betcode
_betcode() {
  local line value
  local -a found
  while IFS= read -r line; do
    value=${line%%$'\t'*}
    value=${value//\\/\\\\}
    found+=("${value//:/\\:}:${line#*$'\t'}")
  done < <(betcode __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
  if (( $#found )); then
    _describe betcode found
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _betcode ]]; then
  _betcode "$@"
else
  compdef _betcode betcode
fi
