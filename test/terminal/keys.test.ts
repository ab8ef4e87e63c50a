import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { compiledProgram } from '../support/compiled-program.ts';
import { waitFor } from '../support/wait-for.ts';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

const TEXTS: Record<string, string> = {
  'tell lines': Array.from({ length: 60 }, (_, index) => `line ${index}.`).join('\n\n'),
  'tell steering': 'red \x1b[31m and \x1b]0;title\x07 and \u202egnp.exe',
};

let chat: Awaited<ReturnType<typeof startChatService>>;
let terminal: Awaited<ReturnType<typeof openTerminal>>;

beforeAll(async () => {
  chat = await startChatService({
    answer: (message) => (TEXTS[message] === undefined ? undefined : { pieces: [TEXTS[message]] }),
  });
});
afterAll(() => chat.close());

beforeEach(() => {
  chat.model.seen.length = 0;
});
afterEach(async () => {
  await terminal.close();
  await chat.forgetDraft();
});

async function open(more: Partial<Parameters<typeof openTerminal>[0]> = {}) {
  terminal = await openTerminal({ ...more, env: { ...chat.env, ...more.env } });
  await terminal.sees('live');
  return terminal;
}

const FOCUSED = '\x1b[7m> Ran weather';

const expectReceived = (text: string) =>
  waitFor(`the message ${JSON.stringify(text)}`, async () => chat.received().includes(text)).catch((error: unknown) => {
    throw new Error(`${(error as Error).message} There came ${JSON.stringify(chat.received())}`);
  });

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
    expect(chat.received()).toHaveLength(1);
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
    expect(left).toMatch(/Continue with: reborn --thread [0-9a-f-]{36}\n/);
  });

  test('Ctrl+L clears the screen, and the thread continues', async () => {
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
    await sees('> Ran weather');
    await press('Tab');
    await press('Enter');
    expect(await sees('"sky": "clear"')).toContain('v Ran weather');
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
    await sees('> Ran weather');
    await press('Tab');
    await waitFor('the focus', async () => (await styled()).includes(FOCUSED));
    await press('Tab');
    await waitFor('the focus to leave', async () => !(await styled()).includes(FOCUSED));
  });

  test('Esc stops the turn that runs', async () => {
    const { type, press, sees } = await open();
    await type('count 500 every 50');
    await press('Enter');
    await sees('0 1 2');
    await press('Escape');
    await sees('Stopped by you.');
  });

  test('Page Up scrolls the history, and Up and Down scroll on', async () => {
    const { type, press, sees, loses } = await open();
    await type('tell lines');
    await press('Enter');
    await sees('line 59.');
    await press('PPage');
    await loses('line 59.');
    await press('Up');
    for (let times = 0; times < 12; times++) await press('Down');
    await sees('line 59.');
  });

  test('a second message that is typed at once belongs to the new thread, and Up brings both back', async () => {
    const { type, press, sees, loses } = await open();
    await type('say one');
    await press('Enter');
    await type('say two');
    await press('Enter');
    await sees(/Reborn\none\s+You\nsay two\s+Reborn\ntwo/);
    await press('Up', 'Up');
    await sees('❯ say one');
    await press('Down', 'Down');
    await loses('❯ say two');
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

describe('messages that wait behind a running answer', () => {
  test('Esc stops the running answer; waiting messages are visible, and can be edited and withdrawn', async () => {
    const { type, press, sees, loses, styled } = await open();
    await type('count 900 every 50');
    await press('Enter');
    await sees('0 1 2');
    for (const message of ['say second', 'say third', 'say fourth']) {
      await type(message);
      await press('Enter');
      await sees(`You  read after this step\n${message}`);
    }

    await press('Tab');
    await waitFor('the focus', async () => (await styled()).includes('Delete withdraws'));
    await press('DC');
    await loses('say fourth');

    await press('Tab', 'Enter');
    await loses('You  read after this step\nsay third');
    await type(' changed');
    await press('Enter');
    await sees('You  read after this step\nsay third changed');

    await press('Escape');
    await sees(/Stopped by you\.\n\nYou\nsay second\n[^]*You\nsay third changed\n\nReborn\nthird changed/);
    expect(chat.received()).toEqual(['count 900 every 50', 'say third changed']); // with both in its prompt
  });
});

test('Ctrl+P and Ctrl+N bring back earlier messages, and Ctrl+D quits only while nothing is typed', async () => {
  const { type, press, sees, exited } = await open();
  for (const word of ['first', 'second']) {
    await type(`say ${word}`);
    await press('Enter');
    await sees(new RegExp(`Reborn\\n${word}`));
  }
  await type('draft');
  await press('C-p', 'C-p', 'C-n', 'C-p');
  await type(' again');
  await press('Enter');
  await expectReceived('say first again');
  await sees(/Reborn\nfirst again/);
  await type('x');
  await press('Left', 'C-d', 'C-d');
  expect(await exited()).toEqual({ code: 0 });
});

test('Ctrl+G opens the editor with the message, and what was saved is back in the composer', async () => {
  const { type, press, sees } = await open({ env: { EDITOR: "printf ' by hand' >>" } });
  await type('say written');
  await press('C-g');
  await sees('❯ say written by hand');
  await press('Enter');
  await sees(/Reborn\nwritten by hand/);
});

test('Ctrl+Z suspends the chat, and fg brings it back as it was', async () => {
  const reborn = (await compiledProgram()).join(' ');
  terminal = await openTerminal({ env: { ...chat.env, PS1: 'shell: ' }, program: ['bash', '--norc', '-i'] });
  const { type, press, sees, loses } = terminal;
  await sees('shell:');
  await type(reborn);
  await press('Enter');
  await sees('live');
  await type('say before');
  await press('Enter');
  await sees(/Reborn\nbefore/);
  await type('say and after');
  await sees('❯ say and after');
  await press('C-z');
  await sees('Stopped');
  await type('fg');
  await press('Enter');
  expect(await sees('❯ say and after')).toMatch(/Reborn\nbefore/);
  await loses('Stopped');
  await press('Enter');
  await sees(/Reborn\nand after/);
});

test('Ctrl+R finds an earlier message by its words, and Esc goes back to what was typed', async () => {
  const { type, press, sees } = await open();
  for (const word of ['apple', 'banana', 'cherry']) {
    await type(`say ${word}`);
    await press('Enter');
    await sees(new RegExp(`Reborn\\n${word}`));
  }
  await type('draft');
  await press('C-r');
  await sees('Search:');
  await press('Escape');
  await sees('❯ draft');
  await press('C-u', 'C-r');
  await type('nan');
  await sees('→ say banana');
  await press('Enter');
  await sees('❯ say banana');
  await press('Enter');
  await sees(/Reborn\nbanana[^]*Reborn\nbanana/);
});

test('@ completes the name of a file and attaches it', async () => {
  const { type, press, sees } = await open();
  await type('say @package-l');
  await sees('package-lock.json');
  await press('Tab');
  await sees('❯ say @package-lock.json');
  await press('C-u');
  await type('say done @biome.json ');
  await press('Enter');
  await waitFor('the file', async () =>
    chat.received().some((text) => text.includes('say done @biome.json') && text.includes('organizeImports')),
  );
});

test('an unsent text is in the composer at the next start', async () => {
  const first = await open();
  await first.type('say kept');
  await first.sees('say kept');
  await first.press('C-c');
  await first.exited();
  await first.close();

  const second = await open();
  await second.press('Enter');
  await expectReceived('say kept');
  await second.press('C-c');
  await second.exited();
  await second.close();
  expect(await (await open()).screen()).not.toContain('say kept');
});

describe('typing and pasting', () => {
  test('many pasted lines are one message', async () => {
    const { paste, press } = await open();
    const text = Array.from({ length: 200 }, (_, index) => `pasted ${index} 漢字 👩‍👩‍👧`).join('\n');
    await paste(text);
    await press('Enter');
    await expectReceived(text);
    expect(chat.received()).toHaveLength(1);
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

  test("a model's text cannot steer the terminal", async () => {
    const { type, press, sees } = await open();
    await type('tell steering');
    await press('Enter');
    await sees('red [31m and ]0;title and gnp.exe');
  });

  test('without colour the words stay, and no colour is used', async () => {
    const { type, press, sees, styled } = await open({ env: { NO_COLOR: '1' } });
    await type('use weather {"a":1}');
    await press('Enter');
    await sees('> Ran weather');
    expect((await styled()).split('\x1b').filter((piece) => /^\[(3[0-7]|9[0-7]|[34]8)/.test(piece))).toEqual([]);
  });
});

describe('when the line breaks', () => {
  test('the answer continues where it was, with nothing lost or doubled', async () => {
    const { type, press, sees } = await open();
    await type('count 100 every 40');
    await press('Enter');
    await sees('0 1 2 3 4');
    chat.line.cut();
    await sees('Connected again');
    const shown = await sees(/98\s+99/);
    const said = /Reborn\n([\d\s]+?)\n\n/.exec(shown)?.[1]?.trim().split(/\s+/);
    expect(said).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  });

  test('a message that is sent meanwhile is shown as not sent, goes out when the line is back, and is a draft if the person quits before', async () => {
    const { type, press, sees, loses, exited, scrollback } = await open();
    chat.line.break();
    onTestFinished(() => chat.line.repair());
    await sees('not connected');
    await type('say once more');
    await press('Enter');
    await sees('You  not sent yet\nsay once more');
    chat.line.repair();
    await sees(/You\nsay once more\n\n(Connected again .*\n\n)?Reborn\nonce more/);
    await loses('not sent yet');
    expect(chat.received()).toEqual(['say once more']);

    chat.line.break();
    await sees('not connected');
    await type('say too late');
    await press('Enter');
    await sees('You  not sent yet\nsay too late');
    await press('C-c');
    await exited();
    const left = await scrollback();
    expect(left).toContain('You  not sent yet\nsay too late');
    chat.line.repair();
    await terminal.close();
    const [, threadId = ''] = /reborn --thread (\S+)/.exec(left) ?? [];
    await (await open({ args: ['--thread', threadId] })).sees('❯ say too late');
  });

  test('a message whose acceptance was lost is sent again, and counts once', async () => {
    const { type, press, sees } = await open();
    void chat.line.loseAnswerTo('POST /api/chat/send');
    await type('say only once');
    await press('Enter');
    await sees(/Reborn\nonly once/);
    expect(chat.received()).toEqual(['say only once']);
  });
});
