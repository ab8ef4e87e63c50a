import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../../scripts/repository.ts';

const PAGE = 'docs/operate/runbooks.md';

const alerts = readFileSync('deploy/prometheus/rules.yml', 'utf8')
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text }));
const sections = readFileSync(PAGE, 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ name: text.split('\n', 1)[0], text }));

test('each alert has a runbook, in the order of the rules, and no runbook is about anything else', () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(sections.map(({ name }) => name)).toEqual(alerts.map(({ name }) => name));
});

test.each(alerts)('$name links to its runbook', ({ name, text }) => {
  expect(text).toContain(`runbook_url: ${REPOSITORY}/blob/main/${PAGE}#${name.toLowerCase()}\n`);
});

test.each(sections)(
  'the runbook of $name has the command that shows the cause, and what to do about each',
  ({ text }) => {
    expect(text).toMatch(/```sh\n[^`]*\b(?:reborn|grep|psql|curl)\b/);
    expect(text.match(/^- \*\*[^*]+:\*\* /gm)?.length).toBeGreaterThan(1);
  },
);
