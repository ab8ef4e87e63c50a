/** A form of a secret that no quoting undoes, to be searched for in the decoded views of a text. */
export type Spelling = {
  readonly bytes: Uint8Array;
  /** How many bytes next to it, on either side, hold some bits of the secret, too. */
  readonly before: number;
  readonly after: number;
};

const MAX_PIECE = 1024;

/** Nobody sends more in a request. What follows in a longer secret is not searched for. */
const MAX_PIECES = 8;

/** How `secret` looks when somebody passes it on: as it is, in hex, or in base64. */
export function spellingsOf(secret: string): Spelling[] {
  const values = [...new Set([secret, secret.trim()])].map((value) => value.toWellFormed());
  return values.flatMap(cut).flatMap((piece) => [...plain(piece), ...base64(piece)]);
}

/** A long secret is searched for piece by piece. The last one goes back to be no shorter than the others. */
function cut(value: string): string[] {
  const characters = Array.from(value);
  const pieces = Math.min(MAX_PIECES, Math.ceil(characters.length / MAX_PIECE));
  return Array.from({ length: pieces }, (_, index) => {
    const begin = Math.max(0, Math.min(index * MAX_PIECE, characters.length - MAX_PIECE));
    return characters.slice(begin, begin + MAX_PIECE).join('');
  });
}

function plain(value: string): Spelling[] {
  const hex = Buffer.from(value).toString('hex');
  return [value, hex, hex.toUpperCase()].map((text) => ({ bytes: Buffer.from(text), before: 0, after: 0 }));
}

/** In base64 a secret looks different by where in the encoded bytes it begins; there are three ways, in two alphabets. */
function base64(value: string): Spelling[] {
  return [0, 1, 2].flatMap((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(value)]);
    const text = bytes.toString('base64').slice(Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const ways = new Set([text, text.replaceAll('+', '-').replaceAll('/', '_')]);
    const [before, after] = [lead > 0 ? 1 : 0, bytes.length % 3 > 0 ? 1 : 0];
    return [...ways].filter(Boolean).map((way) => ({ bytes: Buffer.from(way), before, after }));
  });
}
