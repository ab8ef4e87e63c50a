/** How `npm run release:prepare` writes a changeset into CHANGELOG.md: its text as a list item, without the commit. */
export async function getReleaseLine({ summary }: { readonly summary: string }): Promise<string> {
  return `- ${summary.trim().replaceAll(/\n(?=.)/g, '\n  ')}`;
}

/** All packages have one version, so a new version of another one is not a change worth a line. */
export async function getDependencyReleaseLine(): Promise<string> {
  return '';
}
