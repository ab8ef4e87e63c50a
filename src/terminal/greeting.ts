import type { ServiceStatus } from '@reborn-agent/client/api';

/** What the first screen says: where the browser finds the same, and how to begin. */
export function greetingOf({ version, model }: ServiceStatus, link: string | undefined): string {
  return [
    `Reborn ${version}`,
    ...(link ? [`In a browser: ${link} (works once, for 15 minutes)`] : []),
    ...(model.demo ? ['The demo model answers. `reborn init` sets a real one.'] : []),
    'Type a message, and Enter sends it. / lists the commands, Ctrl+C quits.',
  ].join('\n');
}
