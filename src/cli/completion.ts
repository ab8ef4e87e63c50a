import type { Command } from 'commander';
import { printLine } from './print.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `reborn completion`: what a shell needs in order to complete our commands, made from the commands themselves. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .argument('<shell>', SHELLS.join(', '))
    .description('Print a script that lets the shell complete commands and options.')
    .addHelpText(
      'after',
      '\nExamples:\n  echo \'source <(reborn completion bash)\' >> ~/.bashrc\n  reborn completion zsh > "${fpath[1]}/_reborn"\n  reborn completion fish > ~/.config/fish/completions/reborn.fish',
    )
    .action((shell: string) => {
      if (!isShell(shell))
        return program.error(`reborn: no completion for ${shell} is available; choose ${SHELLS.join(', ')}.`);
      printLine(SCRIPTS[shell](placesOf(program)));
    });
}

/** A command by the words that lead to it, and what may follow. */
type Place = { readonly words: string; readonly next: readonly string[]; readonly options: readonly string[] };

function placesOf(command: Command, above = ''): Place[] {
  const words = `${above} ${command.name()}`.trim();
  const place = {
    words,
    next: command.commands.map((each) => each.name()),
    options: ['--help', ...command.options.flatMap(({ long }) => long ?? [])],
  };
  const arguments_ = command.name() === 'completion' ? SHELLS : [];
  return [
    { ...place, next: [...place.next, ...arguments_] },
    ...command.commands.flatMap((each) => placesOf(each, words)),
  ];
}

/** Bash and zsh walk the words in the same way: a word that names a command below the present one leads to it. */
const walk = (places: readonly Place[]) => `
  local at=reborn word
  for word in "\${before[@]}"; do
    case "$at $word" in
      ${places.map(({ words }) => `'${words}'`).join('|')}) at="$at $word" ;;
    esac
  done
  local found=''
  case "$at" in
${places.map(({ words, next, options }) => `    '${words}') found='${[...next, ...options].join(' ')}' ;;`).join('\n')}
  esac`;

const SCRIPTS: Record<Shell, (places: readonly Place[]) => string> = {
  bash: (places) => `_reborn() {
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")${walk(places)}
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _reborn reborn`,

  zsh: (places) => `#compdef reborn
_reborn() {
  local -a before=("\${(@)words[2,CURRENT-1]}")${walk(places)}
  compadd -- \${(z)found}
  [[ $compstate[nmatches] -gt 0 ]] || _files
}
if [ "$funcstack[1]" = _reborn ]; then _reborn "$@"; else compdef _reborn reborn; fi`,

  fish: (places) => `function __reborn_at
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
  .map(
    ({ words, next, options }) =>
      `complete -c reborn -n "__reborn_at ${words}" -a '${[...next, ...options].join(' ')}'`,
  )
  .join('\n')}`,
};

const isShell = (shell: string): shell is Shell => SHELLS.some((each) => each === shell);
