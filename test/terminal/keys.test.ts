import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startStandInGateway } from './stand-in-gateway.ts';
import { openTerminal } from './tmux.ts';

vi.setConfig({ testTimeout: 60_000 });

let home: string;
let gateway: Awaited<ReturnType<typeof startStandInGateway>>;
let terminal: Awaited<ReturnType<typeof openTerminal>>;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'reborn-keys-'));
  gateway = await startStandInGateway(home);
});
afterEach(async () => {
  await terminal.close();
  await gateway.close();
  await rm(home, { recursive: true, force: true });
});

async function open(more: Partial<Parameters<typeof openTerminal>[0]> = {}) {
  terminal = await openTerminal({ ...more, env: { REBORN_HOME: home, ...more.env } });
  await terminal.sees('live');
  return terminal;
}

const FOCUSED = '\x1b[7m> weather';

const expectReceived = (text: string) =>
  waitFor(`the message ${JSON.stringify(text)}`, async () => gateway.seen.messages.includes(text)).catch(
    (error: unknown) => {
      throw new Error(`${(error as Error).message} There came ${JSON.stringify(gateway.seen.messages)}`);
    },
  );

describe("the spec's keys", () => {
  test('Enter sends the message', async () => {
    const { type, press, sees } = await open();
    await type('say hello');
    await press('Enter');
    await expectReceived('say hello');
    await sees(/Reborn\nhello/);
  });

  test('Enter sends a message that ends in a backslash, too', async () => {
    const { type, press } = await open();
    await type('say C:\\');
    await press('Enter');
    await expectReceived('say C:\\');
  });

  test.each([
    ['Shift+Enter, with extended keys', 'S-Enter', true],
    ['Ctrl+J, with extended keys', 'C-j', true],
    ['Ctrl+J, without', 'C-j', false],
    ['Alt+Enter, with extended keys', 'M-Enter', true],
    ['Alt+Enter, without', 'M-Enter', false],
  ])('%s makes a new line', async (_, key, extendedKeys) => {
    const { type, press } = await open({ extendedKeys });
    await type('say one');
    await press(key);
    await type('two');
    await press('Enter');
    await expectReceived('say one\ntwo');
    expect(gateway.seen.messages).toHaveLength(1);
  });

  test('Ctrl+C quits, and leaves the last answer on the screen', async () => {
    const { type, press, sees, exited, scrollback } = await open();
    await type('say first');
    await press('Enter');
    await sees(/Reborn\nfirst/);
    await type('say goodbye');
    await press('Enter');
    await sees(/Reborn\ngoodbye/);
    await press('C-c');
    expect(await exited()).toEqual({ code: 0 });
    const left = await scrollback();
    expect(left).toContain('You\nsay goodbye\n\nReborn\ngoodbye');
    expect(left).not.toContain('first');
    expect(left).not.toContain('tokens');
  });

  test('Ctrl+L clears the screen, and the thread goes on', async () => {
    const { type, press, sees, loses } = await open();
    await type('say before');
    await press('Enter');
    await sees(/Reborn\nbefore/);
    await press('C-l');
    await loses('before');
    await type('say after');
    await press('Enter');
    await sees(/Reborn\nafter/);
  });

  test('Tab focuses the next element, Enter unfolds it, Esc goes back to the composer', async () => {
    const { type, press, sees, loses, styled } = await open();
    await type('use weather {"city":"Oslo"}');
    await press('Enter');
    await sees('> weather');
    await press('Tab');
    await press('Enter');
    expect(await sees('"sky": "clear"')).toContain('v weather');
    await press('Enter');
    await loses('"sky": "clear"');
    await press('Escape');
    await waitFor('the focus to leave', async () => !(await styled()).includes(FOCUSED)); // else Esc is Alt
    await type('say back');
    await press('Enter');
    await expectReceived('say back');
  });

  test('Tab goes round: after the last element the composer is next', async () => {
    const { type, press, sees, styled } = await open();
    await type('use weather {}');
    await press('Enter');
    await sees('> weather');
    await press('Tab');
    await waitFor('the focus', async () => (await styled()).includes(FOCUSED));
    await press('Tab');
    await waitFor('the focus to leave', async () => !(await styled()).includes(FOCUSED));
  });

  test('Esc cancels the turn that runs', async () => {
    const { type, press, sees } = await open();
    await type('count 500 every 50');
    await press('Enter');
    await sees('0 1 2');
    await press('Escape');
    await sees('Cancelled.');
    expect(gateway.seen.cancels).toHaveLength(1);
  });

  test('Up and Down scroll the history', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}.`).join('\n\n');
    const id = gateway.addThread(['tell me', lines]);
    const { press, sees, loses } = await open({ args: ['--thread', id] });
    await sees('line 59.');
    for (let times = 0; times < 5; times++) await press('Up');
    await loses('line 59.');
    for (let times = 0; times < 5; times++) await press('Down');
    await sees('line 59.');
  });

  test('Up and Down move inside a message of several lines before they scroll', async () => {
    const { type, press } = await open();
    await type('say one');
    await press('C-j');
    await type('two');
    await press('Up', 'End');
    await type('!');
    await press('Enter');
    await expectReceived('say one!\ntwo');
  });
});

describe('a question of the agent', () => {
  test.each([
    ['y', 'approve'],
    ['a', 'always'],
    ['n', 'deny'],
  ])('%s answers it with %s', async (key, answer) => {
    const { type, press, sees } = await open();
    await type('approve delete {"path":"/tmp/x"}');
    await press('Enter');
    expect(await sees('Approve: delete')).toContain('"path": "/tmp/x"');
    await sees('Tab to answer'); // a key that was just pressed was not meant for it
    await press('Tab');
    await sees('y approve once');
    await press(key);
    await sees(`it was ${answer}`);
    expect(gateway.seen.answers).toEqual([answer]);
  });

  test('what is being typed when it comes up answers nothing', async () => {
    const { type, press, sees } = await open();
    await type('approve delete {}');
    await press('Enter');
    await type('yan');
    await sees('Approve: delete');
    await sees(/─\nyan/);
    expect(gateway.seen.answers).toEqual([]);
  });

  test('a secret is asked for without showing it, and the call goes on', async () => {
    const { type, press, sees, screen } = await open();
    await type('approve mail {}');
    await press('Enter');
    await sees('needs a sign-in');
    await press('Tab');
    await sees('y enter the secret');
    await press('y');
    await sees('Mail token (hidden');
    await type('hunter2');
    await sees('*******');
    expect(await screen()).not.toContain('hunter2');
    await press('Enter');
    await sees('it was approve');
    expect(gateway.seen.secrets).toEqual([{ name: 'mail_token', value: 'hunter2' }]);
  });
});

describe('what people type and paste', () => {
  test('many pasted lines are one message', async () => {
    const { paste, press } = await open();
    const text = Array.from({ length: 30 }, (_, index) => `pasted ${index}`).join('\n');
    await paste(text);
    await press('Enter');
    await expectReceived(text);
    expect(gateway.seen.messages).toHaveLength(1);
  });

  test('a slash offers the commands, and the one that is picked runs', async () => {
    const { type, press, sees } = await open();
    await type('/too');
    await sees('List the tools');
    await press('Tab');
    await press('Enter');
    await sees('Sends mail.');
  });

  test('another thread is picked from a list', async () => {
    gateway.addThread(['plan the trip', 'To Oslo, then.']);
    gateway.addThread(['pay the bills', 'All paid.']);
    const { type, press, sees } = await open();
    await type('/threads');
    await press('Enter');
    await press('Enter');
    await sees('Go on with');
    await press('Down');
    await press('Enter');
    await sees('To Oslo, then.');
  });

  test('wide letters and emoji stay whole when the terminal becomes narrow', async () => {
    const { type, press, sees, resize, screen } = await open();
    await type(`say ${'漢字'.repeat(30)} 👩‍👩‍👧 end`);
    await press('Enter');
    await sees('end');
    await resize(31, 20);
    await sees('漢字漢字漢字漢字漢字漢字漢字漢');
    await sees('end');
    for (const line of (await screen()).split('\n')) expect(line).not.toContain('\ufffd');
  });

  test('what a model says cannot steer the terminal', async () => {
    const id = gateway.addThread(['x', 'red \x1b[31m and \x1b]0;title\x07 and \u202egnp.exe']);
    const { sees } = await open({ args: ['--thread', id] });
    await sees('red [31m and ]0;title and gnp.exe');
  });

  test('without colour the words stay, and no colour is used', async () => {
    const { type, press, sees, styled } = await open({ env: { NO_COLOR: '1' } });
    await type('use weather {"a":1}');
    await press('Enter');
    await sees('> weather');
    expect((await styled()).split('\x1b').filter((piece) => /^\[(3[0-7]|9[0-7]|[34]8)/.test(piece))).toEqual([]);
  });
});

describe('when the line breaks', () => {
  test('the answer goes on where it was, with nothing lost or doubled', async () => {
    const { type, press, sees } = await open();
    await type('count 100 every 40');
    await press('Enter');
    await sees('0 1 2 3 4');
    gateway.dropLines();
    await sees('Connected again');
    const shown = await sees(/98\s+99/);
    const said = /Reborn\n([\d\s]+?)\n\n/.exec(shown)?.[1]?.trim().split(/\s+/);
    expect(said).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  });

  test('a message whose acceptance was lost is sent again, and counts once', async () => {
    const { type, press, sees } = await open();
    gateway.loseNextAnswer();
    await type('say only once');
    await press('Enter');
    await sees(/Reborn\nonly once/);
    expect(gateway.seen.messages).toEqual(['say only once']);
  });
});
