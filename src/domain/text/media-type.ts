/** A media type that a stranger has given, such as `image/png`; that of any bytes if it is malformed. */
export const cleanMediaType = (given = ''): string =>
  /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/.test(given) ? given : 'application/octet-stream';

/** Whether a model can read a file of this media type as text: plain text and its kinds, JSON, XML, YAML. */
export const isTextType = (mediaType: string): boolean =>
  /^text\/|[/+](?:x-)?(?:nd)?(?:json|xml|yaml)\b/i.test(mediaType);
