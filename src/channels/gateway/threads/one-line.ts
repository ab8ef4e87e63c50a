/** PostgreSQL can't store lone surrogates and U+0000, and titles and names are one line. */
export const toOneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Control}+/gu, ' ')
    .trim();
