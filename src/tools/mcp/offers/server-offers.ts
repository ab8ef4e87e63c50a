import type { Client, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { isTextType } from '#domain/text/media-type.ts';
import type { McpOffers, McpPrompt, McpServer } from '#domain/tool/mcp-server.ts';
import { cleanText } from '../clean-text.ts';
import { McpFailure } from '../mcp-failure.ts';
import type { McpEndpoint } from '../mcp-fetch.ts';
import { type McpNetwork, priorOf, type RequestLimits, withClient } from '../with-client.ts';

/** A resource of a server, or a pattern for addresses of resources. */
export type McpResource = {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mediaType: string | null;
  /** The address has places to fill in, such as `{id}`. */
  readonly isTemplate: boolean;
};

/** The content of a resource: text, or bytes in base64. */
export type McpContent = {
  readonly uri: string;
  readonly mediaType: string;
  readonly text: string | undefined;
  readonly base64: string | undefined;
};

type Endpoint = McpEndpoint & Pick<McpServer, 'discovery'>;

const MAX_PROMPTS = 50;
const MAX_ARGUMENTS = 10;
const MAX_RESOURCES = 200;
const MAX_CONTENTS = 20;
const MAX_NAME = 128;
const MAX_TEXT_BYTES = 500;
const MAX_URI = 2000;
const MAX_PROMPT_BYTES = 64 * 1024;
const CALL_MS = 30_000;

/** What a server offers besides tools, over the connection that lists its tools. A list that fails is empty. */
export async function listOffers(client: Client, options: RequestLimits): Promise<McpOffers> {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  if (!prompts) return { resources: resources !== undefined, prompts: [] };
  const listed = await client.listPrompts(undefined, { ...options, cacheMode: 'bypass' }).catch(() => undefined);
  return { resources: resources !== undefined, prompts: cleanPrompts(listed?.prompts ?? []) };
}

function cleanPrompts(listed: readonly Listed[]): McpPrompt[] {
  const named = listed.filter(({ name }) => NAME.test(name)).map((prompt) => [prompt.name, prompt] as const);
  return [...new Map(named).values()].slice(0, MAX_PROMPTS).map((prompt) => ({
    name: prompt.name,
    description: shown(prompt.description ?? prompt.title),
    arguments: (prompt.arguments ?? [])
      .filter(({ name }) => NAME.test(name))
      .slice(0, MAX_ARGUMENTS)
      .map(({ name, description, required }) => ({
        name,
        description: shown(description),
        required: required === true,
      })),
  }));
}

type Listed = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
};

const NAME = /^[\w.-]{1,64}$/;
const shown = (text: string | undefined) => cleanText(text ?? '', MAX_TEXT_BYTES).replace(/\s+/g, ' ');

/** The text of a prompt, which a person reads before it is sent. Throws `McpFailure`. */
export async function getPromptText(
  network: McpNetwork,
  server: Endpoint,
  asked: { readonly name: string; readonly arguments: Record<string, string> },
  signal?: AbortSignal,
): Promise<string> {
  const { messages } = await withClient(network, server, limitsOf(server, signal), (client, options) =>
    client.getPrompt(asked, options),
  );
  const texts = messages.slice(0, MAX_CONTENTS).map(textOfMessage).filter(Boolean);
  const text = cleanText(texts.join('\n\n'), MAX_PROMPT_BYTES);
  if (text === '') throw new McpFailure('refused', 'The prompt has no text.');
  return text;
}

function textOfMessage({ content }: GetPromptResult['messages'][number]): string {
  if (content.type === 'text') return content.text;
  if (content.type === 'resource' && 'text' in content.resource) return content.resource.text;
  return content.type === 'resource_link' ? content.uri : '';
}

/** Throws `McpFailure`. */
export function listResources(network: McpNetwork, server: Endpoint, signal?: AbortSignal): Promise<McpResource[]> {
  return withClient(network, server, limitsOf(server, signal), async (client, options) => {
    const fresh = { ...options, cacheMode: 'bypass' as const };
    const { resources } = await client.listResources(undefined, fresh);
    // Many servers have no templates and answer with an error.
    const { resourceTemplates } = await client
      .listResourceTemplates(undefined, fresh)
      .catch(() => ({ resourceTemplates: [] }));
    const found = [
      ...resources.map((each) => ({ ...each, isTemplate: false })),
      ...resourceTemplates.map((each) => ({ ...each, uri: each.uriTemplate, isTemplate: true })),
    ];
    return found
      .filter(({ uri }) => isUri(uri))
      .slice(0, MAX_RESOURCES)
      .map(({ uri, name, description, mimeType, isTemplate }) => ({
        uri,
        name: cleanText(name, MAX_NAME).replace(/\s+/g, ' '),
        description: shown(description),
        mediaType: mediaTypeOf(mimeType) ?? null,
        isTemplate,
      }));
  });
}

/** Throws `McpFailure`. */
export async function readResource(
  network: McpNetwork,
  server: Endpoint,
  uri: string,
  signal?: AbortSignal,
): Promise<McpContent[]> {
  if (!isUri(uri)) throw new McpFailure('refused', `The address of a resource has up to ${MAX_URI} characters.`);
  const { contents } = await withClient(network, server, limitsOf(server, signal), (client, options) =>
    client.readResource({ uri }, { ...options, cacheMode: 'bypass' }),
  );
  return contents.slice(0, MAX_CONTENTS).map(toContent);
}

function toContent(content: ReadResourceResult['contents'][number]): McpContent {
  const { uri, mimeType } = content;
  if ('text' in content)
    return { uri, mediaType: mediaTypeOf(mimeType) ?? 'text/plain', text: content.text, base64: undefined };
  const mediaType = mediaTypeOf(mimeType) ?? 'application/octet-stream';
  if (!isTextType(mediaType)) return { uri, mediaType, text: undefined, base64: content.blob };
  return { uri, mediaType, text: Buffer.from(content.blob, 'base64').toString('utf8'), base64: undefined };
}

/** Printable ASCII, so that an address is shown as it is sent. */
const isUri = (uri: string) => uri.length <= MAX_URI && /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7E]*$/.test(uri);

const mediaTypeOf = (type: string | undefined) => (type && /^[\w.+-]+\/[\w.+-]{1,100}$/.test(type) ? type : undefined);

const limitsOf = ({ discovery }: Pick<McpServer, 'discovery'>, signal: AbortSignal | undefined) => ({
  timeoutMs: CALL_MS,
  prior: priorOf(discovery),
  signal,
});
