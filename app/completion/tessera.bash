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

  if [[ $kind == files || $kind == folders ]]; then
    # An option's value can follow '=', and a list's last name a comma.
    local before='' path option=-f
    local -a paths
    [[ $kind == folders ]] && option=-d
    [[ $current == -*=* ]] && before=${current%%=*}=
    mapfile -t paths < <(compgen "$option" -- "${current#"$before"}")
    if [[ ${#paths[@]} -eq 0 && $current != -* && $current == *,* ]]; then
      before=${current%,*},
      mapfile -t paths < <(compgen "$option" -- "${current##*,}")
    fi
    compopt -o filenames
    for path in "${paths[@]}"; do
      # Readline adds the slash only if the whole word is a folder.
      [[ -n $before && -d $path ]] && path+=/
      COMPREPLY+=("$before$path")
    done
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=./] ]] && compopt -o nospace

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
