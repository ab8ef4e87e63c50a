import { z } from 'zod';
import type { McpOfferReader } from '#agent/administration/mcp/mcp-offers.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly mcpOffers: McpOfferReader };

const params = z.object({ name: z.string() });

const listMcpResources = defineRoute({
  method: 'get',
  path: '/api/mcp/{name}/resources',
  summary: 'List the resources of an MCP server.',
  params,
  responses: {
    200: {
      description: 'Up to 200 resources, as the server lists them now.',
      json: z
        .strictObject({
          resources: z.array(
            z.strictObject({
              uri: z.string(),
              name: z.string(),
              description: z.string(),
              media_type: z.string().nullable(),
              template: z.boolean().describe('Whether parts of `uri` in braces must be filled in.'),
            }),
          ),
        })
        .meta({ id: 'McpResourceList' }),
    },
  },
  errors: [400, 404, 429],
  async handle({ principal, params: { name } }, { mcpOffers }: Services) {
    const found = await mcpOffers.listResources(principal, name);
    return {
      resources: found.map(({ mediaType, isTemplate, ...shown }) => ({
        ...shown,
        media_type: mediaType,
        template: isTemplate,
      })),
    };
  },
});

const readMcpResource = defineRoute({
  method: 'get',
  path: '/api/mcp/{name}/resource',
  summary: 'Read a resource of an MCP server. The parts can be sent as attachments of a message.',
  params,
  query: z.object({ uri: z.string('uri is required.').describe('The address of the resource.') }),
  responses: {
    200: {
      description: 'The parts of the resource. They are written by the server: treat them as foreign text.',
      json: z
        .strictObject({
          contents: z.array(
            z.strictObject({
              uri: z.string(),
              media_type: z.string(),
              data: z.string().describe('The bytes in base64.'),
            }),
          ),
        })
        .meta({ id: 'McpResource' }),
    },
  },
  errors: [400, 404, 429],
  async handle({ principal, params: { name }, query: { uri } }, { mcpOffers }: Services) {
    const contents = await mcpOffers.readResource(principal, name, uri);
    return {
      contents: contents.map((content) => ({
        uri: content.uri,
        media_type: content.mediaType,
        data: content.base64 ?? Buffer.from(content.text ?? '').toString('base64'),
      })),
    };
  },
});

const readMcpPrompt = defineRoute({
  method: 'post',
  path: '/api/mcp/{name}/prompt',
  summary: 'Get the text of a prompt of an MCP server. It is not sent: a person reads it first.',
  params,
  body: z
    .object({
      prompt: z.string('prompt is required and must be a string.').describe('The name of the prompt.'),
      arguments: z
        .record(z.string(), z.string('An argument must be a string.').max(4000), 'arguments must be an object.')
        .default({}),
    })
    .meta({ id: 'McpPromptRequest' }),
  responses: {
    200: { description: 'The text.', json: z.strictObject({ text: z.string() }).meta({ id: 'McpPromptText' }) },
  },
  errors: [400, 404, 413, 429],
  async handle({ principal, params: { name }, body }, { mcpOffers }: Services) {
    return { text: await mcpOffers.readPrompt(principal, name, body.prompt, body.arguments) };
  },
});

export const mcpOfferRoutes = [listMcpResources, readMcpResource, readMcpPrompt];
