import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startModernServer } from '../support/mcp-modern-server.ts';
import { runReborn } from '../support/run-reborn.ts';
import { isSummaryPrompt } from '../support/scripted-model.ts';
import { waitFor } from '../support/wait-for.ts';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

let chat: Awaited<ReturnType<typeof startChatService>>;
let terminal: Awaited<ReturnType<typeof openTerminal>> | undefined;

beforeAll(async () => {
  chat = await startChatService();
  await Promise.all([chat.installMail('mail'), chat.installMail('letter')]);
});
afterAll(() => chat.close());
afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
  await chat.forgetDraft();
});

async function open(...args: string[]) {
  const opened = await openTerminal({ env: chat.env, args, columns: 100 });
  terminal = opened;
  await opened.sees('live');
  const say = async (text: string) => {
    await opened.type(text);
    await opened.press('Enter');
  };
  /** Only Tab leads to a question. */
  const focus = async (keys: string) => {
    await opened.sees('Tab to answer');
    await opened.press('Tab');
    await opened.sees(keys);
  };
  return { ...opened, say, focus };
}

describe('a question of the agent', () => {
  test('an MCP server asks: y answers field by field, and the call continues', async () => {
    const server = await startModernServer();
    try {
      const added = await runReborn(['mcp', 'add', 'travel', server.url, '--private-network'], { env: chat.env });
      expect(added.stdout).toContain('travel__book');
      const { say, type, press, sees, focus } = await open();
      await say('use travel__book {"to":"Oslo"}');
      await focus('y approve once');
      await press('y');
      await sees('travel__book asks: How many seats to Oslo?');
      await focus('y answer   n decline');
      await press('y');
      await sees('seats (Enter continues');
      await type('2');
      await press('Enter');
      await sees('meal (Enter chooses');
      await press('Enter');
      await sees('travel__book: answered');
      await sees('result: Oslo: 2 with fish');
    } finally {
      server.close();
    }
  });

  test('all calls of an answer are on one card: digits tick them, and y approves those with a tick', async () => {
    const { type, press, sees, focus } = await open();
    await type('use erase {"path":"/tmp/c1"}');
    await press('C-j');
    await type('use erase {"path":"/tmp/c2"}');
    await press('Enter');
    await sees('2 things wait for you.');
    await focus('y approve both   a always…   n deny all   e exact arguments   1-2 tick');
    await press('1');
    await sees('[ ] 1 Run erase?');
    await sees('y approve 1, deny the rest   n deny all');
    await press('y');
    await sees(/> Not run: Run erase {2}\/tmp\/c1 {2}denied by you, \d\d:\d\d/);
    await sees(/> Ran erase {2}\/tmp\/c2 {2}approved by you, \d\d:\d\d/);
    await waitFor('the approved call', async () => chat.erased.includes('{"path":"/tmp/c2"}'));
    expect(chat.erased).not.toContain('{"path":"/tmp/c1"}');
    chat.erased.length = 0;
  });

  test('y approves once, a always, and n denies with a reason for the model', async () => {
    const { say, press, sees, loses, focus } = await open();
    await say('use erase {"path":"/tmp/y"}');
    await sees('Run erase?');
    await sees(/path +\/tmp\/y/);
    await sees('> Run erase  /tmp/y  waits');
    await focus('y approve once   a always…   n deny');
    await press('y');
    await sees(/> Ran erase {2}\/tmp\/y {2}approved by you, \d\d:\d\d/);
    await sees('result: erased');
    expect(chat.erased).toEqual(['{"path":"/tmp/y"}']);

    await say('use erase {"path":"/tmp/a"}');
    await focus('y approve once   a always…   n deny');
    await press('e');
    await sees('"path": "/tmp/a"');
    await press('a');
    await sees('Exactly this: every value stays the same');
    await press('Enter');
    await sees('approved, and from now on for calls like it');
    await waitFor('the second call', async () => chat.erased.length === 2);
    await press('C-l');
    await say('use erase {"path":"/tmp/a"}'); // without asking again
    await sees(/allowed by a rule, /);
    await waitFor('the third call', async () => chat.erased.length === 3);

    await press('C-l');
    await say('use erase {"path":"/tmp/n"}');
    await focus('y approve once   a always…   n deny');
    await press('n');
    await sees('Why not? The model reads the reason.');
    await press('Escape');
    await loses('Why not?');
    await press('n');
    await sees('Why not? The model reads the reason.');
    await say('It is still needed.');
    await sees(/Not run: Run erase {2}\/tmp\/n {2}“It is still needed\.”, denied by you, \d\d:\d\d/);
    await sees('Not run: denied. It is still needed.');
    expect(chat.erased).toHaveLength(3);
  });

  test('what is typed answers nothing, and Ctrl+C quits also while a reason is asked for', async () => {
    const { say, type, press, sees, exited, scrollback } = await open();
    await say('use erase {"path":"/tmp/typed"}');
    await sees('Tab to answer');
    await say('and say it');
    await sees('read after you answer');
    await type('yan');
    await sees(/─\n❯ yan/);
    await sees('Tab to answer');
    await press('C-u');
    await press('Tab'); // the question
    await press('Tab'); // the message that waits
    await sees('Delete withdraws');
    await press('BTab');
    await sees('y approve once');
    await press('n');
    await sees('Why not?');
    await type('because');
    await press('C-c');
    expect(await exited()).toEqual({ code: 0 });
    expect(chat.erased).not.toContain('{"path":"/tmp/typed"}');
    const [, threadId = ''] = /reborn --thread (\S+)/.exec(await scrollback()) ?? [];
    await terminal?.close();
    await (await open('--thread', threadId)).sees('❯ because');
  });

  test('Esc and /stop stop the turn that waits, and the message behind it is read', async () => {
    const { say, press, sees, loses } = await open();
    await say('use erase {"path":"/tmp/stopped"}');
    await sees('Tab to answer');
    await sees('Esc stops');
    await press('Escape');
    await sees('Stopped by you.');
    await loses('Tab to answer');
    await say('use erase {"path":"/tmp/stopped"}');
    await sees('Tab to answer');
    await say('say behind');
    await sees('read after you answer');
    await say('/stop');
    await sees(/Stopped by you\.\s+You\nsay behind\s+Reborn\nbehind/);
    await say('/stop');
    await sees('Nothing is running.');
    expect(chat.erased).not.toContain('{"path":"/tmp/stopped"}');
  });

  test('a secret is typed without being shown, and the call continues', async () => {
    const { say, type, press, sees, focus, screen } = await open();
    await say('use mail {"to":"ann"}');
    await sees('mail needs a sign-in');
    await focus('y enter the secret');
    await press('y');
    expect(await sees('Mail token (hidden')).toContain('Make one in the settings.');
    await type('hunter2');
    await sees('*******');
    expect(await screen()).not.toContain('hunter2');
    await press('Enter');
    await sees('result: {"to":"ann"}');
    expect((await listedTool('mail')).needs_sign_in).toBe(false);
  });
});

describe('reborn gate', () => {
  test('lists what waits, and answers it: approve, always, deny with a reason', async () => {
    const first = await waitAt('use erase {"path":"/tmp/one"}');
    const listed = await reborn('gate', 'list');
    expect(listed.stdout).toContain('Run erase? path: /tmp/one');
    expect((await reborn('gate', 'show', first.slice(-8))).stdout).toContain(
      'Run erase?\n  path: /tmp/one\n  Exactly: erase {"path":"/tmp/one"}\n',
    );
    expect(await reborn('gate', 'answer', first, 'approve')).toMatchObject({ code: 0, stdout: 'result: erased\n' });
    expect(chat.erased.at(-1)).toBe('{"path":"/tmp/one"}');
    expect(await reborn('gate', 'answer', first, 'approve')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was answered already'),
    });

    const second = await waitAt('use erase {"path":"/tmp/two"}');
    const denied = await reborn('gate', 'answer', second, 'deny', '--reason', 'Ask Ann.', '--json');
    expect(JSON.parse(denied.stdout)).toMatchObject({
      status: 'completed',
      message: expect.stringContaining('denied. Ask Ann.'),
    });

    const both = await waitAt('use erase {"path":"/tmp/b1"}\nuse erase {"path":"/tmp/b2"}');
    expect((await reborn('gate', 'list')).stdout).toContain('2: Run erase? path: /tmp/b2');
    expect((await reborn('gate', 'answer', both, 'approve', '--calls', '3')).stderr).toContain(
      'The gate has no call "3"',
    );
    expect((await reborn('gate', 'answer', both, 'approve', '--calls', '2')).code).toBe(0);
    expect(chat.erased.at(-1)).toBe('{"path":"/tmp/b2"}');
    expect(chat.erased).not.toContain('{"path":"/tmp/b1"}');

    const third = await waitAt('use erase {"path":"/tmp/three"}');
    expect((await reborn('gate', 'answer', third, 'always')).code).toBe(0);
    expect((await reborn('ask', 'use erase {"path":"/tmp/three"}')).stdout).toBe('result: erased\n');
    expect((await reborn('gate', 'answer', third, 'perhaps')).stderr).toContain('Choose approve, always, deny.');
  });

  test('a secret comes from stdin, and is shown nowhere', async () => {
    const gate = await waitAt('use letter {"to":"ben"}');
    expect(await reborn('gate', 'answer', gate, 'approve')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the call still waits'),
    });
    const { code, stdout, stderr } = await runReborn(['gate', 'answer', gate, 'approve'], {
      env: chat.env,
      input: 'swordfish\n',
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'result: {"to":"ben"}\n' });
    expect(stderr).not.toContain('swordfish');
    expect((await listedTool('letter')).needs_sign_in).toBe(false);
  });

  test('text from a model cannot control the terminal of the person who approves', async () => {
    await waitAt('use erase {"path":"\u202egnp.exe","x":"\u009b31m"}');
    const { stdout } = await reborn('gate', 'list');
    expect(stdout).toContain('gnp.exe');
    expect(stdout).not.toMatch(/[\u202e\u009b]/);
  });
});

test('a message that is sent while the agent works is read after the step, and /now stops it', async () => {
  const { say, sees } = await open();
  await say('use step {"n":1}');
  await chat.step.begun();
  await say('say instead');
  await sees(/You {2}read after this step\nsay instead/);
  chat.step.release();
  await sees(/Stopped here to read your next message\.\n+You\nsay instead\n+Reborn\ninstead/);

  await say('use step {"n":2}');
  await chat.step.begun();
  await say('/now say at once');
  await sees(/Stopped here to read your next message\.\n+You\nsay at once\n+Reborn\nat once/);
  expect(chat.step.stopped).toEqual(['{"n":2}']);
});

test('with --plain the chat is lines: a message, its question, the answer, and the end', async () => {
  const plain = await openTerminal({ env: chat.env, args: ['--plain'], columns: 100 });
  try {
    await plain.sees('You:');
    await plain.type('use erase {"path":"/tmp/plain"}');
    await plain.press('Enter');
    await plain.sees('Step: Run erase /tmp/plain');
    await plain.sees('Run erase?\n  path: /tmp/plain\n  Exactly: erase {"path":"/tmp/plain"}');
    await plain.sees('Approve? Type yes, no, or no and the reason:');
    await plain.type('what is it?');
    await plain.press('Enter');
    await plain.sees(/Approve\?[^]*Approve\?/); // no clear answer
    await plain.type('yes');
    await plain.press('Enter');
    await plain.sees('Reborn: result: erased');
    expect(chat.erased.at(-1)).toBe('{"path":"/tmp/plain"}');
    await plain.paste('say @/bin/ls\nsay pasted too\n');
    await plain.sees('Reborn: pasted too');
    await plain.type('/new');
    await plain.press('Enter');
    await plain.sees('New thread.');
    await plain.press('C-d');
    expect(await plain.exited()).toEqual({ code: 0 });
    expect(await plain.styled()).not.toContain('\x1b[');
  } finally {
    await plain.close();
  }
});

const DELEGATED = (to: string) => `use reborn_agent_run ${JSON.stringify({ task: `use erase {"path":"${to}"}` })}`;

test('a subagent is a line below its call, and what it waits for is answered there', async () => {
  const { say, press, sees, focus } = await open();
  await say(DELEGATED('/tmp/sub'));
  await sees(/^ {2}use erase \{"path":"\/tmp\/sub"\} {2}waits for you/m);
  await sees('Asked by the subagent use erase');
  await focus('y approve once');
  await press('y');
  await sees(/^ {2}use erase \{"path":"\/tmp\/sub"\} {2}done · /m);
  await sees('result: result: erased');
  expect(chat.erased.at(-1)).toBe('{"path":"/tmp/sub"}');
});

test('/subagents stops one that works, opens another, and leads back', async () => {
  const { say, type, press, sees } = await open();
  const run = (n: number) => `use reborn_agent_run ${JSON.stringify({ task: `use step {"n":${n}}` })}`;
  await say('/subagents ');
  await sees('No subagent works for this thread.');
  await type(run(1));
  await press('C-j');
  await type(run(2));
  await press('Enter');
  await sees(/use step \{"n":2\} {2}working/);
  await say('/subagents ');
  await sees('Subagents at work (Enter opens, Delete stops, Esc goes back)');
  await press('DC');
  await sees('Stopped: use step {"n":1}');
  await sees(/→ use step \{"n":2\} +working/);
  await press('Enter');
  await sees(/You\nuse step \{"n":2\}/);
  await say('/subagents ');
  await sees('To the thread of the task');
  await press('Enter');
  await sees(/use step \{"n":1\} {2}stopped/);
  await sees(/use step \{"n":2\} {2}working/);
  chat.step.release();
  await sees(/use step \{"n":2\} {2}done/);
});

test('with --plain, what a subagent waits for is asked while its run goes on', async () => {
  const plain = await openTerminal({ env: chat.env, args: ['--plain'], columns: 100 });
  try {
    await plain.sees('You:');
    await plain.type(DELEGATED('/tmp/plain-sub'));
    await plain.press('Enter');
    await plain.sees('Approve? Type yes, no, or no and the reason:');
    await plain.type('yes');
    await plain.press('Enter');
    await plain.sees('result: result: erased');
    expect(chat.erased.at(-1)).toBe('{"path":"/tmp/plain-sub"}');
  } finally {
    await plain.close();
  }
});

describe('a command that is typed', () => {
  test('/model lets another model answer from here on, and back', async () => {
    const { say, press, sees, loses } = await open();
    await say('/model');
    await sees('The only model is scripted by openai-compatible.');
    const route = { provider: 'openai-compatible', name: 'small', base_url: chat.model.urlFor('fast') };
    const body = JSON.stringify({ model_routes: { fast: route } });
    await chat.service.request('/api/settings', { method: 'PATCH', body });

    await say('/model fast');
    await sees('From here on small by openai-compatible answers.');
    await sees(/^fast {2}0 % of the context/m);
    await say('say swift');
    await sees(/Reborn\nswift/);
    expect(chat.model.seen.at(-1)?.by).toBe('fast');

    await say('/model slow');
    await sees('The model "slow" does not exist. Available models: fast, default.');
    await say('/model ');
    expect(await sees('Choose a model')).toMatch(/fast +small by openai-compatible, answers now/);
    await press('Down', 'Enter');
    await sees('From here on scripted by openai-compatible answers.');
    await loses('Choose a model');
    await say('say usual');
    await sees(/Reborn\nusual/);
    expect(chat.model.seen.at(-1)?.by).toBe('v1');
  });

  test('/project lets the next thread begin in a project, and takes it out again', async () => {
    const { say, sees } = await open();
    const made = await chat.service.request('/api/projects', { method: 'POST', body: '{"name":"Move to Oslo"}' });
    const { id } = (await made.json()) as { id: string };
    const threads = async () => {
      const listed = await chat.service.request(`/api/threads?project=${id}`);
      return ((await listed.json()) as { threads: { title: string }[] }).threads.map(({ title }) => title);
    };
    await say('/project move to oslo');
    await sees('The next message begins a thread in the project Move to Oslo.');
    await say('say boxes');
    await sees(/Reborn\nboxes/);
    expect(await threads()).toEqual(['say boxes']);
    await say('/status');
    await sees('project  Move to Oslo');
    await say('/project off');
    await sees('This thread is in no project.');
    expect(await threads()).toEqual([]);
  });

  test('/compact lets the next message begin with a summary', async () => {
    const { say, sees } = await open();
    await say('/compact');
    await sees('There is nothing to summarise yet.');
    for (const word of ['first', 'second']) {
      await say(`say ${word} ${'the tide is low '.repeat(70)}`);
      await sees(new RegExp(`Reborn\n${word}`));
    }
    await say('/compact');
    await sees('Your next message begins with a summary of what was said before.');
    await say('/compact off');
    await sees('Your next message begins without a summary.');
    await say('/compact');
    await say('/context');
    await sees(/in the last prompt and its answer\. Your next message begins with a\s+summary/);
    await say('say done');
    await sees(/Reborn\ndone/);
    expect(chat.model.seen.slice(-2).map(isSummaryPrompt)).toEqual([true, false]);
    await say('/compact');
    await sees('There is too little to summarise');
  });

  test('a slash offers the commands, and the one that is picked runs', async () => {
    const { type, press, sees } = await open();
    await type('/too');
    await sees('List the tools');
    await press('Tab');
    await press('Enter');
    expect(await sees('weather  Tells the weather.')).toContain('travel__book  Books a trip.  (asks first)');
  });

  test('/threads opens another thread, /memory finds a note, /usage shows the usage', async () => {
    await reborn('ask', 'say To Oslo, then.');
    await reborn('ask', 'say All paid.');
    await chat.service.request('/api/memory/people/ann', { method: 'PUT', body: '{"text":"Ann likes tea."}' });
    const { say, type, press, sees, loses, exited } = await open();
    await say('/threads ');
    await sees('Open a thread');
    await press('Down', 'Enter');
    await sees('To Oslo, then.');
    await say('/memory tea');
    await sees('people/ann: Ann likes tea.');
    await chat.service.request('/api/memory/people/ann', { method: 'PUT', body: '{"text":"Ann likes coffee."}' });
    await say('/memory history people/ann');
    await sees(/2 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}by you\s+Ann likes coffee\./);
    await say('/memory undo people/ann');
    await sees('people/ann: Ann likes tea.');
    await say('/memory history people/bob');
    await sees('There never was a note people/bob.');
    await say('/memory zebra');
    await sees('No note fits these words.');
    await say('/usage ');
    await sees(/\d{4}-\d\d-\d\d {2}scripted {2}[\d,]+ tokens {2}–/);
    await say('/threads ');
    await sees('Open a thread');
    await type('oslo');
    await sees('→ say To Oslo, then.');
    await press('C-t');
    await sees(/→ say To Oslo, then\. +pinned, /); // the first of all
    await press('DC');
    await sees('Delete “say To Oslo, then.” and everything in it?');
    await press('Down', 'Enter');
    await sees('Open a thread');
    await press('Escape');
    await sees('Deleted “say To Oslo, then.”.');
    await press('C-f');
    await sees('Find in the thread');
    await sees('Esc closes the search');
    await press('Escape');
    await loses('Find in the thread');
    await say('/threads ');
    await sees('Open a thread');
    await press('C-c');
    expect(await exited()).toEqual({ code: 0 });
  });

  test('Tab in a shell offers the threads of the service, with their titles', async () => {
    const asked = await runReborn(['ask', '--json', 'say tabbed'], { env: chat.env });
    const { thread_id: id } = JSON.parse(asked.stdout) as { thread_id: string };
    const { stdout } = await runReborn(['completion', 'values', 'thread'], { env: chat.env });
    expect(stdout.split('\n')).toContain(`${id.slice(-8)}\tsay tabbed`);
  });

  test('/context says how full the model is, and Up in a new chat brings back what was said in another', async () => {
    const first = await open();
    await first.say('say remembered');
    await first.sees(/Reborn\nremembered/);
    await waitFor('the size of the prompt, which is counted when the answer has ended', async () => {
      await first.say('/context');
      const screen = await first.sees(/No prompt was sent yet|were in the last prompt/);
      return /tokens? of [\d,]+ tokens were in the last prompt/.test(screen);
    });
    await first.close();

    const { press, sees } = await open();
    await waitFor('the earlier messages', async () => {
      await press('C-u', 'Up'); // always the newest, however often it is pressed
      return (await sees('❯')).includes('❯ say remembered');
    });
    await press('C-u');
  });

  test('a thread that continues has no greeting in its middle, and its last answer can be rated', async () => {
    const asked = await reborn('ask', '--json', 'say Take the ferry.');
    const { thread_id: id } = JSON.parse(asked.stdout) as { thread_id: string };
    const { say, sees } = await open('--thread', id.slice(-8));
    expect(await sees('Take the ferry.')).not.toContain('In a browser');
    const ratings = async () => {
      const found = await chat.service.request(`/api/threads/${id}/ratings`);
      return ((await found.json()) as { ratings: object[] }).ratings;
    };
    await say('/bad it was late');
    await sees('Rated as a bad answer. Operators see the rating and its reason');
    expect(await ratings()).toMatchObject([{ rating: 'bad', reason: 'it was late' }]);
    await say('/bad');
    await sees('The answer is no longer rated.');
    expect(await ratings()).toEqual([]);
  });

  test('/export writes the thread for its owner alone, and never over a file', async () => {
    const { say, sees } = await open();
    const file = path.join(chat.home, 'trip.md');
    await say('/export x.md');
    await sees('There is nothing to export yet.');
    await say('say Pack light.');
    await sees(/Reborn\nPack light\./);
    await say(`/export ${file}`);
    await sees('Written to');
    expect(await readFile(file, 'utf8')).toContain('Pack light.');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await say(`/export ${file}`);
    await sees('Name another file');
  });
});

const reborn = (...args: string[]) => runReborn(args, { env: chat.env });

/** Sends a message whose call waits, and returns the id of the gate. */
async function waitAt(script: string): Promise<string> {
  const { code, stdout, stderr } = await reborn('ask', '--json', script);
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('reborn gate') });
  const { thread_id: thread } = JSON.parse(stdout) as { thread_id: string };
  const gates = JSON.parse((await reborn('gate', 'list', '--json')).stdout) as { id: string; thread_id: string }[];
  return gates.find(({ thread_id }) => thread_id === thread)?.id ?? 'none';
}

async function listedTool(wanted: string): Promise<{ name: string; needs_sign_in: boolean }> {
  const response = await chat.service.request('/api/tools');
  const { tools } = (await response.json()) as { tools: { name: string; needs_sign_in: boolean }[] };
  return tools.find(({ name }) => name === wanted) ?? { name: 'none', needs_sign_in: true };
}
