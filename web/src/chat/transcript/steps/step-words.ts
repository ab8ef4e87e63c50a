import { didSentence, type Part, plainText, type Reader, type ShownCall } from '@reborn-agent/client/call-card';

/** Several calls in one sentence: "Read a.txt, b.txt, searched the web". Verbs that follow each other are said once. */
export function foldedWords(calls: readonly ShownCall[], reader: Reader): string {
  const said: { readonly verb: string; readonly objects: readonly string[] }[] = [];
  for (const call of calls) {
    const { verb, object } = splitVerb(didSentence(call, reader));
    const last = said.at(-1);
    if (last && last.verb === verb && object !== '') {
      if (!last.objects.includes(object)) said[said.length - 1] = { verb, objects: [...last.objects, object] };
    } else said.push({ verb, objects: object === '' ? [] : [object] });
  }
  return said
    .map(({ verb, objects }, at) =>
      [at === 0 ? verb : inMidSentence(verb, reader), objects.join(', ')].join(' ').trim(),
    )
    .join(', ');
}

function splitVerb(parts: readonly Part[]): { readonly verb: string; readonly object: string } {
  const [first, ...rest] = parts;
  if (first?.kind !== 'strong') return { verb: plainText([...parts]), object: '' };
  return { verb: first.text, object: plainText(rest).trim() };
}

/** German sentences begin with a noun, which keeps its capital. */
const inMidSentence = (verb: string, { language }: Reader): string =>
  language === 'de' ? verb : `${verb.charAt(0).toLocaleLowerCase(language)}${verb.slice(1)}`;
