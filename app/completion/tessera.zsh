#compdef tessera
# SPDX-License-Identifier: Apache-2.0
# Completion of tessera in zsh: source <(tessera completion zsh) after compinit, or this text as the
# file _tessera in a folder of fpath.
#
# 'tessera completion words' computes the candidates from the command's own tables. Its first line
# says what else fits: nothing (words), files or folders.

_tessera() {
  local -a found open closed
  local kind candidate
  found=("${(@f)$("${words[1]/#\~/$HOME}" completion words "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  kind=$found[1]
  shift found
  for candidate in "${found[@]}"; do
    case $candidate in
      '') ;;
      *[=./]) open+=("$candidate") ;;
      *) closed+=("$candidate") ;;
    esac
  done
  (($#open)) && compadd -S '' -- "${open[@]}"
  (($#closed)) && compadd -- "${closed[@]}"
  if [[ $kind == files || $kind == folders ]]; then
    local -a only
    [[ $kind == folders ]] && only=(-/)
    # An option's value can follow '=', and a list's last name a comma.
    if [[ $PREFIX == -*=* ]]; then
      compset -P '*='
      _files $only
    else
      _files $only || { compset -P '*,' && _files $only }
    fi
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _tessera "$@"
else
  compdef _tessera tessera
fi
