/** A media type that a stranger has given, such as `image/png`; the type of any bytes if it is malformed. */
export const cleanMediaType = (given = ''): string =>
  /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/.test(given) ? given : 'application/octet-stream';

/** Whether a model can read a file of this media type as text: plain text and its kinds, JSON, XML, YAML. */
export const isTextType = (mediaType: string): boolean =>
  /^text\/|[/+](?:x-)?(?:nd)?(?:json|xml|yaml)\b/i.test(mediaType);

/** Pictures that browsers and chat apps show, and that can't contain scripts. */
export const isShownPicture = (mediaType: string): boolean => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(mediaType);

/** The type of a picture that models can look at, by its bytes. */
export function pictureTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1];
}

const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
];

/** How the name of a file of this media type usually ends. */
export function extensionOf(mediaType: string): string {
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1).toLowerCase();
  return EXTENSIONS[subtype] ?? (/^[a-z\d]{2,5}$/.test(subtype) ? `.${subtype}` : '.bin');
}

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: '.jpg', mpeg: '.mp3', plain: '.txt', markdown: '.md' };

/** The media type of a file by the end of its name. Nothing may rely on it: the bytes can be anything. */
export const mediaTypeOf = (name: string): string =>
  TYPES[/\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';

const TYPES: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  css: 'text/css',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odt: 'application/vnd.oasis.opendocument.text',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  sqlite: 'application/vnd.sqlite3',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  ts: 'text/x-typescript',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'text/xml',
  yaml: 'text/yaml',
  yml: 'text/yaml',
  zip: 'application/zip',
};

/** The rest is useless, and the name may be as long as a whole answer of a server. */
const MAX_GIVEN = 400;

/** A name that a stranger has given to a file, reduced to its last part and to plain characters. */
export function cleanFileName(given: string): string {
  const end = given.slice(-MAX_GIVEN);
  return end
    .slice(Math.max(end.lastIndexOf('/'), end.lastIndexOf('\\')) + 1)
    .replaceAll(/[^\p{L}\p{N}.-]+/gu, '_')
    .replace(/^\.+/, '')
    .slice(-80);
}
