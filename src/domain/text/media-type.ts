/** Whether a model can read a file of this media type as text: plain text and its kinds, JSON, XML, YAML. */
export const isTextType = (mediaType: string): boolean =>
  /^text\/|[/+](?:x-)?(?:nd)?(?:json|xml|yaml)\b/i.test(mediaType);
