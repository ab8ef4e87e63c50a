import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seedCited } from '../test/browser/seed-cited.ts';
import { startModernServer } from '../test/support/mcp-modern-server.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { startChatService } from '../test/terminal/chat-service.ts';
import { openTerminal } from '../test/terminal/tmux.ts';
import { paneToSvg } from './pictures/pane-to-svg.ts';

/** `npm run pictures:terminal`: captures the terminal in a real pane, into docs/pictures. */
const FOLDER = path.resolve('docs/pictures');
const COLUMNS = 92;

const CODE = `Read the file line by line, so that its size does not matter:

\`\`\`ts
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

for await (const line of createInterface({ input: createReadStream('access.log') }))
  if (line.includes(' 500 ')) console.log(line);
\`\`\`

- \`createInterface\` splits the stream into **lines** as they come.
- Nothing but one line is ever held in memory.`;

const QUESTIONS = {
  code: 'How do I print the failed requests of a huge log?',
  weather: 'Do I need a coat in Oslo today?',
  erase: 'Remove the old drafts.',
  travel: 'Book a trip to Oslo.',
  years: 'Compare the costs of the last ten years.',
  thisYear: 'Only this year and the last, please.',
  offers: 'Compare the three offers for the kitchen, one subagent for each.',
} as const;

const TASKS = {
  read: 'Read the offer of Nordlys: price, delivery and guarantee.',
  remove: 'Put the offers of Fjell into one file.',
  check: 'Check the offer of Vik against our floor plan.',
} as const;

const travel = await startModernServer();
const chat = await startChatService({ modelName: 'gpt-5-mini', answer });
try {
  await mkdir(FOLDER, { recursive: true });
  await drawChat();
  await drawSteering();
  await drawSubagents();
  await drawCited();
  await drawMcp();
  await drawDoctor();
} finally {
  await chat.close();
  travel.close();
}

function answer(message: string, isAfterTool: boolean) {
  switch (message) {
    case QUESTIONS.code:
      return { pieces: CODE.split(/(?<= )/) };
    case QUESTIONS.weather:
      return isAfterTool
        ? { pieces: ['Yes, a light one: it is **7 °C** and clear, with little wind.'] }
        : { calls: [{ name: 'weather', arguments: '{"city":"Oslo","days":1}' }] };
    case QUESTIONS.erase:
      return { calls: [{ name: 'erase', arguments: '{"path":"notes/drafts","recursive":true}' }] };
    case QUESTIONS.years:
      return { calls: [{ name: 'step', arguments: '{"year":2016}' }] };
    case QUESTIONS.thisYear:
      return { pieces: ['The costs rose by **4 %**, from 11,200 to 11,650 kroner.'] };
    case QUESTIONS.offers:
      return isAfterTool
        ? { pieces: ['**Nordlys** is the cheapest: 84,000 kroner, with ten years of guarantee.'] }
        : {
            calls: Object.values(TASKS).map((task) => ({
              name: 'reborn_agent_run',
              arguments: JSON.stringify({ task }),
            })),
          };
    case TASKS.read:
      return { pieces: ['84,000 kroner, delivered in March, ten years of guarantee.'] };
    case TASKS.remove:
      return isAfterTool
        ? { pieces: ['They are in offers/fjell.md.'] }
        : { calls: [{ name: 'erase', arguments: '{"path":"offers/drafts","recursive":true}' }] };
    case TASKS.check:
      return isAfterTool
        ? { pieces: ['It fits, but the oven is in front of the window.'] }
        : { calls: [{ name: 'step', arguments: '{"plan":"kitchen"}' }] };
    case QUESTIONS.travel:
      return isAfterTool
        ? { pieces: ['Your trip to **Oslo** is booked: 2 seats, with fish.'] }
        : { calls: [{ name: 'travel__book', arguments: '{"to":"Oslo"}' }] };
    default:
      return undefined;
  }
}

async function drawChat(): Promise<void> {
  const terminal = await openTerminal({ env: chat.env, columns: COLUMNS, rows: 24 });
  const ask = async (question: string) => {
    await terminal.type(question);
    await terminal.press('Enter');
  };
  const keep = async (name: string, title: string) => save(name, title, await terminal.styled());
  try {
    await terminal.sees('In a browser');
    await keep('terminal-first', 'The chat in a terminal, just opened');
    await ask(QUESTIONS.code);
    await terminal.sees('live');
    await terminal.sees('held in memory');
    await keep('terminal-code', 'An answer with code');
    await terminal.press('C-l');
    await ask(QUESTIONS.weather);
    await terminal.sees('a light one');
    await terminal.press('Tab', 'Enter');
    await terminal.sees('"celsius": 7');
    await terminal.sees('live');
    await keep('terminal-tool', 'A tool call, unfolded');
    await terminal.press('Escape');
    await waitFor('the focus to leave', async () => !(await terminal.styled()).includes('\x1b[7mv Ran weather')); // else Esc is Alt
    await terminal.press('C-l');
    await terminal.loses('a light one');
    await ask(QUESTIONS.erase);
    await terminal.sees('Tab to answer');
    await terminal.press('Tab');
    await terminal.sees('y approve once');
    await keep('terminal-approval', 'A call that waits for an approval');
    await terminal.press('C-c');
    await terminal.exited();
  } finally {
    await terminal.close();
  }
}

/** A message that corrects the agent while it works: as it waits, and once it was read. */
async function drawSteering(): Promise<void> {
  const terminal = await openTerminal({ env: chat.env, columns: COLUMNS, rows: 20 });
  const say = async (text: string) => {
    await terminal.type(text);
    await terminal.press('Enter');
  };
  try {
    await terminal.sees('In a browser');
    await terminal.press('C-l');
    await say(QUESTIONS.years);
    await chat.step.begun();
    await say(QUESTIONS.thisYear);
    await terminal.sees('read after this step');
    await save('terminal-steering', 'A message that is read after the present step', await terminal.styled());
    chat.step.release();
    await terminal.sees('rose by');
    await terminal.sees('live');
    await save('terminal-steered', 'The agent has read it and goes on', await terminal.styled());
    await terminal.press('C-c');
    await terminal.exited();
  } finally {
    await terminal.close();
  }
}

/** A task in three parts: one is done, one waits for an approval, and one is at work. Then the answer. */
async function drawSubagents(): Promise<void> {
  const terminal = await openTerminal({ env: chat.env, columns: COLUMNS, rows: 30 });
  try {
    await terminal.sees('In a browser');
    await terminal.press('C-l');
    await terminal.type(QUESTIONS.offers);
    await terminal.press('Enter');
    await chat.step.begun();
    await terminal.sees('waits for you');
    await terminal.sees('done');
    await terminal.sees('Tab to answer');
    await terminal.press('Tab');
    await terminal.sees('y approve once');
    await save('terminal-subagents', 'Three subagents, one of which waits for an approval', await terminal.styled());
    await terminal.press('y');
    chat.step.release();
    await terminal.sees('is the cheapest');
    await terminal.press('C-c');
    await terminal.exited();
  } finally {
    await terminal.close();
  }
}

/** An answer from a PDF and a web page. */
async function drawCited(): Promise<void> {
  const thread = await seedCited({ home: chat, service: chat.service });
  const terminal = await openTerminal({ env: chat.env, args: ['--thread', thread], columns: COLUMNS, rows: 26 });
  try {
    await terminal.sees('There is no page 7');
    await terminal.sees('live');
    await save('terminal-cited', 'An answer with its sources', await terminal.styled());
    await terminal.press('C-c');
    await terminal.exited();
  } finally {
    await terminal.close();
  }
}

/** From `mcp add` to the result: a server that asks for details before it can finish. */
async function drawMcp(): Promise<void> {
  const args = ['mcp', 'add', 'travel', travel.url, '--private-network'];
  const adding = await openTerminal({ env: chat.env, args, columns: COLUMNS, rows: 24 });
  try {
    await adding.sees('travel__book', 60_000);
    await save('terminal-mcp', 'reborn mcp add', withoutEnd(await adding.styled()));
  } finally {
    await adding.close();
  }
  const terminal = await openTerminal({ env: chat.env, columns: COLUMNS, rows: 24 });
  try {
    await terminal.sees('In a browser');
    await terminal.type(QUESTIONS.travel);
    await terminal.press('Enter');
    await answerYes(terminal, 'y approve once');
    await terminal.sees('How many seats to Oslo?');
    await answerYes(terminal, 'y answer');
    await terminal.sees('seats');
    await terminal.type('2');
    await terminal.press('Enter');
    await terminal.sees('meal');
    await save('terminal-question', 'An MCP server asks for details', await terminal.styled());
    await terminal.press('Enter');
    await terminal.sees('is booked');
    await save('terminal-booked', 'The result of its call', await terminal.styled());
    await terminal.press('C-c');
    await terminal.exited();
  } finally {
    await terminal.close();
  }
}

/** Only Tab leads to a question. */
async function answerYes(terminal: Awaited<ReturnType<typeof openTerminal>>, hint: string): Promise<void> {
  await terminal.sees('Tab to answer');
  await terminal.press('Tab');
  await terminal.sees(hint);
  await terminal.press('y');
}

/** With one problem, to show how problems are reported. */
async function drawDoctor(): Promise<void> {
  const settings = path.join(chat.home, 'settings.env');
  await writeFile(settings, '');
  await chmod(settings, 0o644);
  const terminal = await openTerminal({ env: chat.env, args: ['doctor'], columns: COLUMNS, rows: 28 });
  try {
    await terminal.sees('Problems: 1, warnings: 0.', 60_000);
    await save('terminal-doctor', 'reborn doctor', withoutEnd(await terminal.styled()));
  } finally {
    await terminal.close();
  }
}

/** Removes tmux's message that the command has ended. */
function withoutEnd(pane: string): string {
  return pane.replace(/\n[^\n]*Pane is dead[\s\S]*$/, '').trimEnd();
}

async function save(name: string, title: string, pane: string): Promise<void> {
  const usual = pane
    .replaceAll(chat.home, '~/.reborn')
    .replaceAll(travel.url, 'http://127.0.0.1:8000/mcp')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]+/g, 'http://127.0.0.1:3000/login?code=kX3v9QpT');
  await writeFile(path.join(FOLDER, `${name}.svg`), paneToSvg(usual, COLUMNS, title));
}
