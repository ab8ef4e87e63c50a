import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cutBytes } from '#domain/text/cut.ts';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import type { McpServer } from '#domain/tool/mcp-server.ts';
import { shortSchemaOf } from '../../builtin/short-schema.ts';
import type { Tool, ToolFlow } from '../../tool.ts';
import { callServer, type McpHost, parseObject, serverFields } from '../call-server.ts';
import { offeredName } from '../clean-tools.ts';
import { limited, renderError } from '../render-result.ts';
import { listResources, type McpContent, type McpResource, readResource } from './server-offers.ts';

/** The part of its name after the server's. A tool of the server with this name takes precedence. */
export const RESOURCES = 'resources';

const MAX_BYTES = 256 * 1024;

const fields = z.strictObject({ uri: z.string().optional().describe('Of the resource; leave it out to list them.') });

/** Reads the resources of a server. Their addresses and contents are foreign text, like the output of any tool. */
export function createResourceTool(server: McpServer, host: McpHost): Tool {
  const name = offeredName(server.name, RESOURCES);
  return {
    definition: {
      name,
      description: `Lists the resources of ${server.name}, such as files and records, or reads one.`,
      parameters: shortSchemaOf(fields),
      strict: null,
    },
    ...resourceRights(server),
    revision: createHash('sha256').update(`${RESOURCES} ${server.url}`).digest('hex'),
    ...serverFields(server, host),
    async call(argumentsJson, context) {
      const asked = fields.safeParse(parseObject(argumentsJson));
      if (!asked.success) return renderError('uri must be the address of a resource, or be left out.');
      const { uri } = asked.data;
      return callServer(server, name, host, context, async (endpoint) => {
        if (uri === undefined) return renderList(await listResources(host, endpoint, context.signal));
        return renderContents(await readResource(host, endpoint, uri, context.signal), limited(context.onFile));
      });
    },
  };
}

/** What it may do without a question. The address goes to the server, so reading is also sending. */
export function resourceRights({ trustAnnotations }: Pick<McpServer, 'trustAnnotations'>) {
  const flow: ToolFlow = { reads: FOREIGN_AND_PRIVATE, from: 'server', runs: trustAnnotations ? 'always' : 'clean' };
  return { repeatable: trustAnnotations, level: trustAnnotations ? 'allow' : 'ask', flow } as const;
}

function renderList(resources: readonly McpResource[]): string {
  const lines = resources.map(({ uri, name, description, mediaType, isTemplate }) =>
    [isTemplate ? `${uri} (fill in the parts in braces)` : uri, name, mediaType, description]
      .filter(Boolean)
      .join(' | '),
  );
  return bounded(lines.join('\n') || 'No resources.');
}

function renderContents(contents: readonly McpContent[], show: ReturnType<typeof limited>): string {
  const parts = contents.map(({ uri, text, base64 = '', mediaType }) => text ?? show({ base64, mediaType, name: uri }));
  return bounded(parts.join('\n') || 'The resource is empty.');
}

function bounded(text: string): string {
  const { kept, note } = cutBytes(text.toWellFormed(), MAX_BYTES);
  return kept + note;
}
