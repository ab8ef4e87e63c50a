/** What the browser shows at the end of a sign-in. */
export function renderCallbackPage(failure: string | undefined): string {
  const [title, text] =
    failure === undefined
      ? ['Signed in', 'You can close this window and go back to the terminal.']
      : ['The sign-in failed', failure];
  return [
    '<!doctype html>',
    `<html lang="en"><meta charset="utf-8"><title>${title}</title>`,
    `<h1>${title}</h1><p>${escapeHtml(text)}</p></html>`,
    '',
  ].join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
