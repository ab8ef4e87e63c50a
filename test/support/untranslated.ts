/* Replaces the macros of Lingui, which the build compiles: unit tests see the texts as the code has them. */

export const t = (strings: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: strings }, ...values);

type Forms = { readonly one: string; readonly other: string };

export const plural = (count: number, { one, other }: Forms): string =>
  (count === 1 ? one : other).replaceAll('#', count.toLocaleString('en'));

export const Trans = ({ children }: { readonly children: unknown }) => children;
