/** Endings of files whose language has another name than its ending. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  zsh: 'sh',
  csharp: 'cs',
  dockerfile: 'Dockerfile',
  elixir: 'ex',
  golang: 'go',
  haskell: 'hs',
  javascript: 'js',
  jsonc: 'json',
  kotlin: 'kt',
  latex: 'tex',
  markdown: 'md',
  mermaid: 'mmd',
  perl: 'pl',
  plaintext: 'txt',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  text: 'txt',
  typescript: 'ts',
  yaml: 'yml',
};

/** A file for code in `language`, which a model has written and may be anything. */
export function fileNameOf(language: string): string {
  const name = language.toLowerCase();
  const ending = Object.hasOwn(ENDINGS, name) ? ENDINGS[name] : name;
  return `code.${ending && /^[a-z\d]{1,10}$/i.test(ending) ? ending : 'txt'}`;
}
