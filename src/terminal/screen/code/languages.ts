/** How the parts of a text in a language are recognised. Each part is the source of a regular expression with the flags `gmu`. */
export type Language = {
  readonly comments: readonly string[];
  readonly strings: readonly string[];
  /** Keys of data, sections, variables and the like. */
  readonly names: readonly string[];
  readonly keywords: ReadonlySet<string>;
  /** Whether keywords are also written in capitals. */
  readonly anyCase: boolean;
};

/** While a text grows, its last string or comment has no end yet. */
const END = '(?![^])';
/** It has a limit, so that no text makes the search slow. */
const INDENT = '^[\\t ]{0,80}';
const SLASHES = '//.*';
const BLOCK = `/\\*[^]*?(?:\\*/|${END})`;
const HASH = '(?<=^|\\s)#.*';
const DASHES = '--.*';
const DOUBLE = '"(?:\\\\.|[^"\\\\\\n])*"?';
const SINGLE = "'(?:\\\\.|[^'\\\\\\n])*'?";
const CHARACTER = "'(?:\\\\[^'\\n]+|[^'\\\\\\n])'";
const BACKTICKS = '`(?:\\\\[^]|[^`\\\\])*`?';
const TRIPLE = `"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})`;
const SHELL_STRINGS = ['"(?:\\\\[^]|[^"\\\\])*"?', "'[^']*'?"];
const VARIABLE = '\\$(?:\\{[^}\\n]*\\}?|[A-Za-z_]\\w*|[\\d@#?*!$])';

const COMMON = `break case catch class const continue default do else enum false finally for if import in instanceof
  interface new null private protected public return static super switch this throw true try void while`;
const C = `auto bool char const double extern float goto include inline int long nullptr operator short signed sizeof
  struct template typedef typename union unsigned using virtual volatile namespace define`;
const SCRIPT = `abstract as async await declare delete export extends from function get implements keyof let of
  readonly satisfies set type typeof undefined var with yield`;

const LANGUAGES: Readonly<Record<string, Language>> = {
  script: language({ keywords: `${COMMON} ${SCRIPT}`, strings: [BACKTICKS, DOUBLE, SINGLE] }),
  c: language({ keywords: `${COMMON} ${C}`, strings: [DOUBLE, SINGLE] }),
  java: language({
    keywords: `${COMMON} abstract async await boolean byte char data double extends final float fun implements int internal
      is lateinit let long namespace object open override package record sealed short string suspend throws typealias
      using val var when where guard func init nil protocol self struct extension foreach out ref virtual`,
    strings: [TRIPLE, DOUBLE, SINGLE],
  }),
  go: language({
    keywords: `break case chan const continue default defer else fallthrough false for func go goto if import interface
      map nil package range return select struct switch true type var`,
    strings: [BACKTICKS, DOUBLE, CHARACTER],
  }),
  rust: language({
    keywords: `as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod
      move mut pub ref return self Self static struct super trait true type unsafe use where while`,
    strings: [DOUBLE, CHARACTER],
  }),
  php: language({
    keywords: `${COMMON} abstract array as echo extends fn foreach function global implements match namespace php trait use`,
    comments: [SLASHES, BLOCK, HASH],
    strings: [DOUBLE, SINGLE],
    names: [VARIABLE],
  }),
  python: language({
    keywords: `and as assert async await break case class continue def del elif else except False finally for from global
      if import in is lambda match None nonlocal not or pass raise return self True try while with yield`,
    comments: [HASH],
    strings: [TRIPLE, DOUBLE, SINGLE],
    names: [`${INDENT}@[\\w.]+`],
  }),
  ruby: language({
    keywords: `alias and begin break case class def do else elsif end ensure false for if in module next nil not or
      redo require rescue retry return self super then true unless until when while yield`,
    comments: [HASH],
    strings: [DOUBLE, SINGLE],
    names: ['(?<=[\\s({\\[,])::?[a-z_]\\w*', '@{1,2}\\w+'],
  }),
  shell: language({
    keywords: `case do done elif else esac exit export fi for function if in local readonly return set shift source then
      until while`,
    comments: [HASH],
    strings: SHELL_STRINGS,
    names: [VARIABLE],
  }),
  docker: language({
    keywords: `add arg as cmd copy entrypoint env expose from healthcheck label onbuild run shell stopsignal user volume
      workdir`,
    anyCase: true,
    comments: [HASH],
    strings: [DOUBLE],
    names: [VARIABLE],
  }),
  sql: language({
    keywords: `add all alter and as asc begin between by case check column commit constraint create cross default delete
      desc distinct drop else end exists false foreign from full function group having if in index inner insert into is
      join key left like limit not null offset on or order outer primary references returning revoke right rollback
      select set table then true union unique update using values view when where with`,
    anyCase: true,
    comments: [DASHES, BLOCK],
    strings: ["'(?:''|[^'])*'?"],
  }),
  lua: language({
    keywords: `and break do else elseif end false for function if in local nil not or repeat return then true until while`,
    comments: [`--\\[\\[[^]*?(?:\\]\\]|${END})`, DASHES],
    strings: [DOUBLE, SINGLE],
  }),
  json: language({ keywords: 'true false null', strings: [DOUBLE], names: ['"(?:\\\\.|[^"\\\\\\n])*"(?=\\s*:)'] }),
  yaml: language({
    keywords: 'true false null yes no',
    comments: [HASH],
    strings: [DOUBLE, "(?<=[\\s\\[{,])'(?:''|[^'\\n])*'?"],
    names: [`(?<=${INDENT}(?:- )?)[\\w./-]+(?=:(?:\\s|$))`],
  }),
  toml: language({
    keywords: 'true false',
    comments: [HASH, `${INDENT};.*`],
    strings: [TRIPLE, DOUBLE, SINGLE],
    names: [`${INDENT}\\[[^\\n]*\\]`, `(?<=${INDENT})[\\w.-]+(?=[\\t ]*=)`],
  }),
  css: language({
    keywords: '',
    comments: [BLOCK, '(?<=^|\\s)//.*'],
    strings: [DOUBLE, SINGLE],
    names: ['@[\\w-]+', `(?<=${INDENT}|[{;][\\t ]?)[\\w-]+(?=[\\t ]*:\\s)`],
  }),
  markup: language({
    keywords: '',
    comments: [`<!--[^]*?(?:-->|${END})`],
    strings: ['(?<==)"[^"]*"?', "(?<==)'[^']*'?"],
    names: ['</?[\\w:.-]+', '/?>'],
  }),
};

const ALIASES: Readonly<Record<string, string>> = {
  script: 'js jsx ts tsx mjs cjs mts cts javascript typescript',
  c: 'c h cc cpp hpp cxx c++ objc arduino glsl proto protobuf',
  java: 'java kotlin kt scala swift cs csharp c# groovy dart gradle',
  go: 'go golang',
  rust: 'rust rs',
  php: 'php',
  python: 'py python python3 starlark',
  ruby: 'rb ruby',
  shell: 'sh bash zsh shell fish ksh make makefile',
  docker: 'dockerfile docker',
  sql: 'sql postgres postgresql psql mysql sqlite plpgsql',
  lua: 'lua',
  json: 'json jsonc json5 jsonl ndjson',
  yaml: 'yaml yml',
  toml: 'toml ini cfg conf env properties dotenv',
  css: 'css scss less',
  markup: 'html xml svg vue svelte xhtml',
};

const BY_NAME = new Map(
  Object.entries(ALIASES).flatMap(([kind, names]) => names.split(' ').map((name) => [name, LANGUAGES[kind]] as const)),
);

/** The language that the first word after the fence names, if we know it. */
export function findLanguage(info: string): Language | undefined {
  const [word = ''] = info
    .trim()
    .toLowerCase()
    .split(/[\s,{:]/, 1);
  return BY_NAME.get(word);
}

type Given = Partial<Omit<Language, 'keywords'>> & { readonly keywords: string };

function language({ keywords, ...given }: Given): Language {
  return {
    comments: [SLASHES, BLOCK],
    strings: [],
    names: [],
    anyCase: false,
    ...given,
    keywords: new Set(keywords.split(/\s+/)),
  };
}
