/** The words of a search, as a full-text index has them. */
export const searchWordsOf = (search: string): string[] =>
  search.toLowerCase().match(/[\p{Letter}\p{Number}\p{Mark}]+/gu) ?? [];
