import { t } from '@lingui/core/macro';
import type { AgentTool } from '@reborn-agent/client/api';

const anytime = () => [
  t`Explain what you can do here, and what you cannot.`,
  t`Write a short plan for learning SQL in two weeks, as a table.`,
  t`Draft a friendly mail that moves our meeting to Thursday.`,
];

/** By the tools that are there, so that each of them works. */
const byTool = (): readonly (readonly [RegExp, string])[] => [
  [/weather/, t`What will the weather be in Oslo over the next five days?`],
  [/time|clock/, t`What time is it in Tokyo?`],
  [/memory_write|remember|note/, t`Remember that I prefer short answers.`],
  [/http|fetch/, t`Fetch https://example.com and tell me what it says.`],
];

/** Three things to try that work with what is installed. */
export function thingsToTry(tools: readonly AgentTool[], demo: boolean): string[] {
  const fitting = byTool()
    .filter(([name]) => tools.some((tool) => name.test(tool.name)))
    .map(([, words]) => words);
  const plain = demo ? anytime().slice(0, 1).concat(anytime().slice(2)) : anytime();
  return [...fitting, ...plain, ...anytime()].filter((words, index, all) => all.indexOf(words) === index).slice(0, 3);
}
