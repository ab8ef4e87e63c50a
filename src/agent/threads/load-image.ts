import { InvalidRequest } from '#domain/errors.ts';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { isShownPicture } from '#domain/text/media-type.ts';
import type { FetchLinks } from '../attachments/fetch-links.ts';
import type { Threads } from './threads.ts';

export type LoadedImage = { readonly mediaType: string; readonly bytes: Buffer };

/** Fetches an image that a message of the owner's thread names. Throws `InvalidRequest` for all other addresses. */
export type LoadImage = (owner: Principal, id: ThreadId, item: ItemId, url: string) => Promise<LoadedImage>;

/**
 * Browsers don't load the images of an answer, because an address can carry away what was said. The owner decides, and
 * the service fetches the image, so the host sees neither the person's browser nor their network.
 */
export function createLoadImage(threads: Pick<Threads, 'getText'>, fetchLinks: FetchLinks): LoadImage {
  return async (owner, id, item, url) => {
    if (!names(await threads.getText(owner, id, item), url)) throw refuse('The message does not have this image.');
    const [image] = await fetchLinks([{ url, kind: 'image', param: 'url' }]);
    if (!image || !isShownPicture(image.mediaType)) throw refuse('The image must be a PNG, JPEG, GIF, WebP or AVIF.');
    return { mediaType: image.mediaType, bytes: Buffer.from(image.base64, 'base64') };
  };
}

/** Markdown encodes what an address can't contain, and HTML entities may stand for its characters. */
function names(text: string, url: string): boolean {
  const decoded = text.replaceAll('&amp;', '&');
  return decoded.includes(url) || decoded.includes(decode(url));
}

function decode(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

const refuse = (message: string) => new InvalidRequest('invalid_request', 'url', message);
