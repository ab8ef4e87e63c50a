import { fileList } from '#channels/gateway/files/file-shape.ts';
import { checkCitations } from '#domain/search/citations.ts';
import type { ItemBody } from '#domain/thread/item.ts';
import { makePdf } from '../support/document-files.ts';
import type { Service } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { said, seedThread } from './seed-thread.ts';

const PAGES = [
  ['Lease', 'Harbour Street 12, third floor', '', 'Between Ines Holm (landlord) and Per Lund (tenant).'],
  [
    '2. Rent and deposit',
    '',
    '2.1 The rent is 900 euros a month, due on the third working day.',
    '2.2 The tenant pays a deposit of 2,700 euros before the keys',
    'are handed over. The landlord keeps it on an account of its own.',
    '2.3 The deposit is paid back within six months after the end.',
  ],
  [
    '3. Repairs',
    '',
    '3.1 The landlord repairs the flat and what belongs to it.',
    '3.2 The tenant pays for small repairs up to 90 euros each.',
  ],
];

const ANSWER = `The deposit is three months' rent: “The tenant pays a deposit of 2,700 euros before the keys are handed over” [lease.pdf, p. 2]. That is the most that the law allows [s1].

You pay for small repairs up to 90 euros each [lease.pdf, p. 3]. After a larger one, “the landlord may keep the whole deposit” [lease.pdf, p. 3]. Pets are allowed [lease.pdf, p. 7].`;

const SOURCE = {
  number: 1,
  url: 'https://www.tenants.example/deposit',
  title: 'How high may a deposit be?',
  published: '2026-03-09',
  how: 'read' as const,
  text: 'A deposit is at most three times the rent of a month.',
};

type Stage = { readonly home: Parameters<typeof seedThread>[0]; readonly service: Pick<Service, 'request'> };

/** A thread with a PDF, and an answer that cites its pages and a web page: well, with words that are not there, and wrongly. */
export async function seedCited({ home, service }: Stage): Promise<string> {
  const pages = PAGES.map((lines, index) => ({ file: 'lease.pdf', page: index + 1, text: lines.join('\n') }));
  const citations = checkCitations(ANSWER, [SOURCE], pages);
  const body = { ...said(ANSWER), citations } as ItemBody;
  const id = await seedThread(home, {
    title: 'Deposit of the flat',
    turns: [{ asked: 'How high is the deposit, and who pays for repairs?', made: [{ body }] }],
  });
  await service.request(`/api/threads/${id}/files/lease.pdf`, {
    method: 'PUT',
    body: Buffer.from(makePdf(PAGES)),
    headers: { 'content-type': 'application/octet-stream' },
  });
  await waitFor('the text of the PDF', async () => {
    const { files } = fileList.parse(await (await service.request(`/api/threads/${id}/files`)).json());
    return files[0]?.document?.state === 'ready';
  });
  return id;
}
