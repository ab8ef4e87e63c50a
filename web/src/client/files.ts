import { client } from './client.ts';

/** A file of the service as an address that pages and downloads can use. Revoke it when it is no longer needed. */
export async function requestFile(path: string): Promise<{ readonly url: string; readonly name: string | undefined }> {
  const response = await client.fetch(path);
  return { url: URL.createObjectURL(await response.blob()), name: nameIn(response.headers.get('content-disposition')) };
}

/** The name in its own letters, or else the plain one. */
function nameIn(header: string | null): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/.exec(header ?? '') ?? [];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="([^"]+)"/.exec(header ?? '')?.[1];
}

/** Saves a file of the service on the person's machine. */
export async function download(path: string, name?: string): Promise<void> {
  const file = await requestFile(path);
  save(file.url, name ?? file.name ?? '');
}

/** Saves what the page itself has. */
export function saveFile(content: Blob, name: string): void {
  save(URL.createObjectURL(content), name);
}

function save(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
