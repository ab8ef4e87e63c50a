import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ThreadItem, TurnInspection } from '@reborn-agent/client/api';

type Citations = NonNullable<Extract<ThreadItem, { type: 'message' }>['citations']>;
type Check = Citations['marks'][number]['check'] | 'unchecked';

/** Each place where the answer names a page or a document, and what the service found about it. */
export function CheckedCitations({ items }: { readonly items: TurnInspection['items'] }) {
  const checked = items.flatMap((item) => (item.type === 'message' && item.citations ? listed(item.citations) : []));
  if (checked.length === 0) return null;
  return (
    <section className="border-t border-line pt-4">
      <h2 className="mb-2 font-semibold">
        <Trans>Citations</Trans>
      </h2>
      <ul className="flex flex-col gap-2 text-meta">
        {checked.map(({ marker, name, check, quotation }, index) => (
          <li key={index} className="break-words">
            <span className="tabular-nums text-soft">{marker}</span> {name}
            <span className={isDoubtful(check) ? 'block text-waiting' : 'block text-soft'}>{checks()[check]}</span>
            {quotation && <q className="block border-s-2 border-rule ps-2 text-soft">{quotation}</q>}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Listed = {
  readonly marker: string;
  readonly name: string;
  readonly check: Check;
  readonly quotation: string | undefined;
};

function listed({ marks, sources, files = [] }: Citations): Listed[] {
  const pages = marks.map(({ number, page, check, quotation }) => {
    const source = sources.find((each) => each.number === number);
    const marker = page === undefined ? `s${number}` : `s${number}, p. ${page}`;
    return { marker, name: source ? `${source.title} – ${source.url}` : '', check, quotation };
  });
  const documents = files.map(({ file, page, check, quotation }) => {
    return { marker: `p. ${page}`, name: file, check, quotation };
  });
  return [...pages, ...documents];
}

const isDoubtful = (check: Check): boolean => check === 'unknown' || check === 'missing' || check === 'unchecked';

const checks = (): Record<Check, string> => ({
  unknown: t`There is no such source or page.`,
  missing: t`These words are not on the page.`,
  unchecked: t`The page has no text, so these words were not checked.`,
  quoted: t`These words are on the page.`,
  read: t`The page was read. Nothing is quoted.`,
  found: t`From the search result. The page was not read.`,
});
