import type { Command } from 'commander';
import { type Place, placesOf, valuesOfOptions } from './places.ts';
import type { ValueKind } from './values.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** Lines of a value, a tab and words about it. A Tab of the person shows no errors. */
const ASK = 'reborn completion values';

/** What a shell runs to complete our commands, options and what the service knows, made from the commands themselves. */
export function scriptFor(shell: Shell, program: Command): string {
  return SCRIPTS[shell]({ places: placesOf(program), options: valuesOfOptions(program) });
}

type Known = { readonly places: readonly Place[]; readonly options: ReadonlyMap<string, ValueKind> };

const wordsOf = ({ next, options }: Place) => [...next, ...options].join(' ');

/** Bash and zsh walk the words in the same way: a word that names a command below the present one leads to it. */
const walk = ({ places, options }: Known) => `
  local at=reborn word found='' values=''
  for word in "\${before[@]}"; do
    case "$at $word" in
      ${places.map(({ words }) => `'${words}'`).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    '${place.words}') found='${wordsOf(place)}'${place.values ? ` values=${place.values}` : ''} ;;`).join('\n')}
  esac
  case "$last" in
${[...options].map(([option, kind]) => `    ${option}) found='' values=${kind} ;;`).join('\n')}
  esac
  [[ "$cursor" == -* ]] && values=''`;

const SCRIPTS: Record<Shell, (known: Known) => string> = {
  // With one value left, its words are cut off: they are only for the eye.
  bash: (known) => `_reborn() {
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}") last="\${COMP_WORDS[COMP_CWORD-1]}" cursor="\${COMP_WORDS[COMP_CWORD]}"${walk(known)}
  COMPREPLY=($(compgen -W "$found" -- "$cursor"))
  if [ -n "$values" ]; then
    while IFS=$'\\t' read -r value words; do
      [[ "$value" == "$cursor"* ]] && COMPREPLY+=("$value\${words:+  $words}")
    done < <(${ASK} "$values" 2>/dev/null)
    [ "\${#COMPREPLY[@]}" = 1 ] && COMPREPLY=("\${COMPREPLY[0]%%  *}")
  fi
}
complete -o default -F _reborn reborn`,

  zsh: (known) => `#compdef reborn
_reborn() {
  local -a before=("\${(@)words[2,CURRENT-1]}") values_now shown
  local last="\${words[CURRENT-1]}" cursor="\${words[CURRENT]}" line${walk(known)}
  if [[ -n "$values" ]]; then
    for line in "\${(@f)$(${ASK} "$values" 2>/dev/null)}"; do
      [[ -n "$line" ]] && values_now+=("\${line%%$'\\t'*}") && shown+=("\${line/$'\\t'/  }")
    done
    compadd -l -d shown -a values_now
  fi
  compadd -- \${(z)found}
  [[ $compstate[nmatches] -gt 0 ]] || _files
}
if [ "$funcstack[1]" = _reborn ]; then _reborn "$@"; else compdef _reborn reborn; fi`,

  fish: ({ places, options }) => `function __reborn_at
  set -l at reborn
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${places.map(({ words }) => `'${words}'`).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
${places
  .map((place) => {
    const values = place.values ? ` (${ASK} ${place.values} 2>/dev/null)` : '';
    return `complete -c reborn -n "__reborn_at ${place.words}" -a '${wordsOf(place)}${values}'`;
  })
  .join('\n')}
${[...options].map(([option, kind]) => `complete -c reborn -l ${option.slice(2)} -x -a '(${ASK} ${kind} 2>/dev/null)'`).join('\n')}`,

  powershell: ({ places, options }) => `Register-ArgumentCompleter -Native -CommandName reborn -ScriptBlock {
  param($cursor, $line, $position)
  $next = @{
${places.map((place) => `    '${place.words}' = '${wordsOf(place)}'`).join('\n')}
  }
  $kinds = @{
${[...places.flatMap(({ words, values }) => (values ? [[words, values] as const] : [])), ...options]
  .map(([words, kind]) => `    '${words}' = '${kind}'`)
  .join('\n')}
  }
  $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
  $at = 'reborn'
  foreach ($word in $before | Select-Object -Skip 1) { if ($next.ContainsKey("$at $word")) { $at = "$at $word" } }
  $last = if ($before.Count) { $before[-1] } else { '' }
  $kind = if ($kinds.ContainsKey($last)) { $kinds[$last] } elseif ($cursor -notlike '-*') { $kinds[$at] }
  $values = if ($kind) { ${ASK} $kind 2>$null }
  $words = if ($kinds.ContainsKey($last)) { @() } else { $next[$at] -split ' ' }
  foreach ($each in @($values) + $words) {
    if (-not $each) { continue }
    $value, $about = "$each" -split "\`t", 2
    if ($value -like "$cursor*") {
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $(if ($about) { $about } else { $value }))
    }
  }
}`,
};
