/** A way a secret can be written; `before` and `after` tell how many characters next to it hold bits of it as well. */
export type Spelling = { readonly bytes: Buffer; readonly before: number; readonly after: number };

/** How `secret` looks when somebody passes it on: as it is, encoded, and quoted in JSON, a URL or HTML. */
export function spellingsOf(secret: string): Spelling[] {
  const found = new Map<string, Spelling>();
  const values = new Set([secret, secret.trim()].map((value) => value.toWellFormed()).filter((value) => value !== ''));
  for (const value of values)
    for (const { text, before, after } of [...plainForms(value), ...base64Forms(value)])
      for (const quoted of quotedForms(text)) found.set(quoted, { bytes: Buffer.from(quoted), before, after });
  return [...found.values()];
}

type Form = { text: string; before: number; after: number };

function plainForms(value: string): Form[] {
  const hex = Buffer.from(value).toString('hex');
  const percent = hex.replace(/../g, '%$&');
  return [value, hex, hex.toUpperCase(), percent, percent.toUpperCase()].map((text) => ({ text, before: 0, after: 0 }));
}

/** In base64 a secret looks different by where in the encoded bytes it begins; there are three ways. */
function base64Forms(value: string): Form[] {
  return [0, 1, 2].flatMap((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(value)]);
    const [begin, end] = [Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    const edges = { before: lead === 0 ? 0 : 1, after: bytes.length % 3 === 0 ? 0 : 1 };
    return (['base64', 'base64url'] as const).map((kind) => ({
      text: bytes.toString(kind).slice(begin, end),
      ...edges,
    }));
  });
}

function quotedForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const strictUrl = url.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [url, strictUrl, url.replaceAll('%20', '+'), strictUrl.replaceAll('%20', '+'), encodeURI(text)];
  return [
    text,
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&'\u007f-\uffff]/g, toUnicodeEscape),
    json.replaceAll('/', '\\/').replace(/[<>&'\u007f-\uffff]/g, toUnicodeEscape),
    ...urls,
    ...urls.map((escaped) => escaped.replace(/%../g, (escape) => escape.toLowerCase())),
    ...quotedInHtml(text),
  ];
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function quotedInHtml(text: string): string[] {
  const angles = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quotes = angles.replaceAll('"', '&quot;');
  return [angles, quotes, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quotes.replaceAll("'", quote))];
}
