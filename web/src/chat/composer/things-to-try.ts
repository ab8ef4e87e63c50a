import type { AgentTool } from '@reborn-agent/client/api';

const ANYTIME = [
  'Explain what you can do here, and what you cannot.',
  'Write a short plan for learning SQL in two weeks, as a table.',
  'Draft a friendly mail that moves our meeting to Thursday.',
];

/** By the tools that are there, so that each of them works. */
const BY_TOOL: readonly (readonly [RegExp, string])[] = [
  [/weather/, 'What will the weather be in Oslo over the next five days?'],
  [/time|clock/, 'What time is it in Tokyo?'],
  [/memory_write|remember|note/, 'Remember that I prefer short answers.'],
  [/http|fetch/, 'Fetch https://example.com and tell me what it says.'],
];

/** Three things to try that work with what is installed. */
export function thingsToTry(tools: readonly AgentTool[], demo: boolean): string[] {
  const fitting = BY_TOOL.filter(([name]) => tools.some((tool) => name.test(tool.name))).map(([, words]) => words);
  const plain = demo ? ANYTIME.slice(0, 1).concat(ANYTIME.slice(2)) : ANYTIME;
  return [...fitting, ...plain, ...ANYTIME].filter((words, index, all) => all.indexOf(words) === index).slice(0, 3);
}
