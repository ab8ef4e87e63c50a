type SkillFile = { readonly path: string; readonly text: string };

/** The texts of a chosen folder, by their paths within it. What is hidden or no text is left out. */
export async function readFolder(files: readonly File[]): Promise<SkillFile[]> {
  const read = files.map(async (file): Promise<SkillFile[]> => {
    const path = file.webkitRelativePath.split('/').slice(1).join('/') || file.name;
    if (path.split('/').some((part) => part.startsWith('.') || part === 'node_modules')) return [];
    const text = await readText(file);
    return text === undefined ? [] : [{ path, text }];
  });
  return (await Promise.all(read)).flat();
}

async function readText(file: File): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
