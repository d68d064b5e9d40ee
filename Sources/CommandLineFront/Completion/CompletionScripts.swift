/// The scripts that make a shell ask `blastoise __complete`.
///
/// What may stand where is the program's own knowledge; the scripts only carry it over, so they
/// never fall behind the program.
enum CompletionScripts {
  /// The shells there is a script for.
  static let shells = ["bash", "zsh", "fish"]

  /// The script for a shell, without its last line end; nil for another shell.
  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private static let bash = #"""
    # Completion of blastoise for bash: source <(blastoise completions bash)
    _blastoise() {
      local line
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          :file) compopt -o default ;;
          :folder) compopt -o dirnames ;;
          *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
      done < <("${1/#\~/$HOME}" __complete --line "${COMP_LINE:0:COMP_POINT}" \
        "$COMP_WORDBREAKS" 2>/dev/null)
      return 0
    }
    complete -F _blastoise blastoise
    """#

  private static let zsh = #"""
    #compdef blastoise
    # Completion of blastoise for zsh: in a file _blastoise of a folder of $fpath.
    _blastoise() {
      # The word being typed may have a quote open: it is closed to be read.
      local line typed="${(Q):-$QIPREFIX$PREFIX${QIPREFIX[-1]}}"
      local -a words_found help_found
      for line in "${(@f)$(${~words[1]} __complete "${(@Q)words[2,CURRENT-1]}" "$typed" \
        2>/dev/null)}"; do
        case $line in
          '') ;;
          :file) _files; return ;;
          :folder) _files -/; return ;;
          *) words_found+=("${line%%$'\t'*}"); help_found+=("${line//$'\t'/  }") ;;
        esac
      done
      (( $#words_found )) &&
        compadd -l -M 'm:{[:lower:]}={[:upper:]}' -d help_found -a words_found
    }
    if [[ $funcstack[1] == _blastoise ]]; then _blastoise "$@"; else compdef _blastoise blastoise; fi
    """#

  private static let fish = #"""
    # Completion of blastoise for fish: blastoise completions fish | source
    function __blastoise_complete
      set -l words (commandline -opc)
      set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
      set -l typed (commandline -ot)
      for line in (command $program __complete $words[2..] "$typed" 2>/dev/null)
        switch $line
          case :file; __fish_complete_path (commandline -ct)
          case :folder; __fish_complete_directories (commandline -ct)
          case '*'; printf '%s\n' $line
        end
      end
    end
    complete -c blastoise -f -a '(__blastoise_complete)'
    """#
}
