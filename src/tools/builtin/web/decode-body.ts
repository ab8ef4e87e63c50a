/** Bytes as text, by what the header says, or the first bytes, or the page itself. UTF-8 when nobody says anything we know. */
export function decodeBody(body: Uint8Array, contentType: string): string {
  const label =
    bomOf(body) ?? charsetIn(contentType) ?? charsetIn(Buffer.from(body.subarray(0, 1024)).toString('latin1'));
  return decoderFor(label ?? 'utf-8').decode(body);
}

function bomOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetIn(text: string): string | undefined {
  return /(?:charset|encoding)\s{0,5}=\s{0,5}["']?([\w:.-]{2,40})/i.exec(text)?.[1];
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
