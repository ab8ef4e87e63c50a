import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The published schema of an image or a file. */
export const dataUrl = z.string().regex(DATA_URL);

export function parseDataUrl(url: unknown, param: string): { mediaType: string; base64: string } {
  const parts = typeof url === 'string' ? DATA_URL.exec(url) : null;
  if (!parts?.[1] || !parts[2])
    throw new InvalidRequest(
      'invalid_request',
      param,
      'Send the bytes as a data URL: data:<media type>;base64,<bytes>.',
    );
  return { mediaType: parts[1], base64: parts[2] };
}
