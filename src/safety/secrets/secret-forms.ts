export type Range = { readonly start: number; readonly end: number; readonly name: string };

/** Forms that secretlint lacks. Each starts with a rare prefix and is bounded, so a search takes linear time. */
const FORMS: readonly (readonly [name: string, form: RegExp])[] = [
  ['aws-key-id', /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/g],
  ['google-api-key', /(?<![\w-])AIza[\w-]{35}(?![\w-])/g],
  ['github-token', /(?<!\w)(?:github_pat_\w{22,100}|gh[pousr]_[A-Za-z0-9]{36,100})(?!\w)/g],
  ['api-key', /(?<![\w-])sk-(?:proj-|svcacct-|ant-|or-)?[\w-]{32,256}(?![\w-])/g],
  ['json-web-token', /(?<![\w-])eyJ[\w-]{10,4096}\.eyJ[\w-]{10,4096}\.[\w-]{20,1024}(?![\w-])/g],
  ['bearer-token', /(?<=\bauthorization["']?\s{0,9}[:=]\s{0,9}["']?bearer\s{1,3})[\w.~+/-]{20,2048}/gi],
  ['private-key', /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{16,16384}-----END [A-Z ]{0,30}PRIVATE KEY-----/g],
];

export function findSecretForms(text: string): Range[] {
  return FORMS.flatMap(([name, form]) =>
    Array.from(text.matchAll(form), (match) => ({ name, start: match.index, end: match.index + match[0].length })),
  );
}
