const MOST_LETTERS = 80;

/** The header of a download that is named after a title: `Supplier costs` becomes `supplier-costs.md`. */
export function attachedAs(title: string, otherwise: string, ending: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const name = shorten(words.join('-')) || otherwise;
  // Old clients read only the plain name.
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9-]/g, '')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-|-$/g, '');
  const full = encodeURIComponent(`${name}.${ending}`);
  return `attachment; filename="${plain || otherwise}.${ending}"; filename*=UTF-8''${full}`;
}

/** Whole words, as far as they fit. */
function shorten(name: string): string {
  if (name.length <= MOST_LETTERS) return name;
  const cut = name.slice(0, MOST_LETTERS + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf('-'), 0) || MOST_LETTERS).toWellFormed();
}
