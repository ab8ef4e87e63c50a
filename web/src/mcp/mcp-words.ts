import { plural } from '@lingui/core/macro';

type Tools = { readonly tools: number; readonly reading: number; readonly trust_annotations: boolean };

/** What the tools may do, in sentences. Whether a tool only reads is a claim, which counts if the operator trusts it. */
export function describeTools({ tools, reading, trust_annotations: isTrusted }: Tools): string[] {
  const other = tools - reading;
  const trusted = plural(reading, {
    one: '# tool only reads. It runs without approval.',
    other: '# tools only read. They run without approval.',
  });
  const claimed = plural(reading, {
    one: 'The server says that # tool only reads. Its calls need your approval.',
    other: 'The server says that # tools only read. Their calls need your approval.',
  });
  const changing = plural(other, {
    one: '# tool can change or delete something. Its calls need your approval.',
    other: '# tools can change or delete something. Their calls need your approval.',
  });
  return [...(reading > 0 ? [isTrusted ? trusted : claimed] : []), ...(other > 0 ? [changing] : [])];
}
