/** A form of a secret that decoding does not change, to be searched for in the decoded views of a text. */
export type Spelling = {
  readonly bytes: Uint8Array;
  /** How many adjacent bytes on each side contain some bits of the secret, too. */
  readonly before: number;
  readonly after: number;
};

const MAX_PIECE = 1024;

/** No request contains more. The rest of a longer secret is not searched for. */
const MAX_PIECES = 8;

/** The forms that a passed-on `secret` may have: unchanged, in hex, or in base64. */
export function spellingsOf(secret: string): Spelling[] {
  const values = [...new Set([secret, secret.trim()])].map((value) => value.toWellFormed());
  return values.flatMap(cut).flatMap((piece) => [...plain(piece), ...base64(piece)]);
}

/** A long secret is searched for in pieces. The last piece overlaps the one before, so that it has full length. */
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

/** The base64 form of a secret depends on its offset in the encoded bytes; there are three forms, in two alphabets. */
function base64(value: string): Spelling[] {
  return [0, 1, 2].flatMap((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(value)]);
    const text = bytes.toString('base64').slice(Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const ways = new Set([text, text.replaceAll('+', '-').replaceAll('/', '_')]);
    const [before, after] = [lead > 0 ? 1 : 0, bytes.length % 3 > 0 ? 1 : 0];
    return [...ways].filter(Boolean).map((way) => ({ bytes: Buffer.from(way), before, after }));
  });
}
