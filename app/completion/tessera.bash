# SPDX-License-Identifier: Apache-2.0
# Completion of tessera in bash: source <(tessera completion bash)
#
# 'tessera completion words' computes the candidates from the command's own tables. Its first line
# says what else fits: nothing (words), files or folders.

_tessera() {
  local line="${COMP_LINE:0:COMP_POINT}" current kind IFS=$' \t\n'
  local -a words
  read -r -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=${words[-1]}

  local -a found
  mapfile -t found < <("${COMP_WORDS[0]/#\~/$HOME}" completion words "${words[@]:1}" 2>/dev/null)
  kind=${found[0]}
  COMPREPLY=("${found[@]:1}")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=./] ]] && compopt -o nospace

  # An option's value can follow '=', and a list's last name a comma.
  local before=''
  [[ $current == -*=* ]] && before=${current%%=*}=
  if [[ $kind == files || $kind == folders ]]; then
    local path option=-f
    [[ $kind == folders ]] && option=-d
    compopt -o filenames
    while IFS= read -r path; do
      COMPREPLY+=("$before$path")
    done < <(compgen "$option" -- "${current#"$before"}")
  fi

  # Bash replaces what follows the last character of COMP_WORDBREAKS only.
  local break prefix=''
  for break in = :; do
    [[ $COMP_WORDBREAKS == *"$break"* && $current == *"$break"* ]] || continue
    [[ ${current%"$break"*}$break == "$prefix"* ]] && prefix=${current%"$break"*}$break
  done
  local i
  for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$prefix"}; done
}
complete -F _tessera tessera
