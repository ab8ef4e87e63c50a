type Service = { readonly version: string; readonly model: { readonly demo: boolean } };

/** What the first screen says: where the browser finds the same, and how to begin. */
export function greetingOf({ version, model }: Service, loginUrl: string | null | undefined): string {
  return [
    `Reborn ${version}`,
    ...(loginUrl ? [`In a browser: ${loginUrl}`] : []),
    ...(model.demo ? ['The demo model answers. `reborn init` sets a real one.'] : []),
    'Type a message, and Enter sends it. / lists the commands, Ctrl+C quits.',
  ].join('\n');
}
