import { GateRefusal } from './gate-refusal.ts';

const WANTED = [
  'record request { params: string, }',
  'record response { output: option<string>, error: option<string>, }',
  'export execute: func(request: request) -> response;',
  'export schema: func() -> string;',
  'export description: func() -> string;',
];

/** Compares the component's own world, as wasm-tools prints it, with ours. More exports than ours do no harm. */
export function checkExports(wit: string): void {
  const world = wit.replaceAll(/\s+/g, ' ');
  const missing = WANTED.filter((line) => !world.includes(line));
  if (missing.length === 0) return;
  throw new GateRefusal(
    `The component lacks \`${missing.join('` and `')}\`. Build it for the world \`tool\` of reborn:tool.`,
  );
}
