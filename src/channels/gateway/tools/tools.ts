import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { ListedTool, ToolDesk } from '#agent/administration/tool-admin.ts';
import { operatorOnly } from '#http/caller/bearer.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import {
  signInAnswer,
  type signInBegun,
  toolInstall,
  type toolList,
  type toolPreview,
  toolSecret,
  type wireTool,
} from './wire-tools.ts';

type ByName = { Params: { name: string } };

/** `/api/tools`: what the agent can do. Everybody sees it and stores their own secrets; the operator installs and removes. */
export function toolRoutes(tools: ToolDesk, site: Site) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      '/tools',
      async ({ principal }): Promise<z.infer<typeof toolList>> => ({
        tools: (await tools.list(principal)).map(renderTool),
      }),
    );

    app.post('/tools', { onRequest: operatorOnly }, async ({ principal, body }, reply) => {
      const { name, wasm, capabilities, dry_run: isDry, replace } = parseBody(toolInstall, body);
      const upload = { name, wasm: Buffer.from(wasm, 'base64'), capabilities: capabilities ?? undefined };
      const { sentences, ...preview } = await tools.add(principal, upload, { install: !isDry, replace });
      const shown: z.infer<typeof toolPreview> = {
        ...preview,
        warnings: [...preview.warnings],
        capabilities: [...sentences],
        installed: !isDry,
      };
      return reply.code(isDry ? 200 : 201).send(shown);
    });

    app.delete<ByName>('/tools/:name', { onRequest: operatorOnly }, async ({ principal, params }, reply) => {
      await tools.remove(principal, params.name);
      return reply.code(204).send();
    });

    app.post<ByName>('/tools/:name/secret', async ({ principal, params, body }, reply) => {
      const { name, value, for: whom } = parseBody(toolSecret, body);
      await tools.putSecret(principal, params.name, { name, value, forEveryone: whom === 'everyone' });
      return reply.code(204).send();
    });

    app.post<ByName>('/tools/:name/sign-in', async (request): Promise<z.infer<typeof signInBegun>> => {
      const { principal, params } = request;
      return { url: await tools.beginSignIn(principal, params.name, addressOf(request, site, CALLBACK)) };
    });

    app.post<ByName>('/tools/:name/sign-in/finish', async ({ principal, params, body }, reply) => {
      await tools.finishSignIn(principal, params.name, parseBody(signInAnswer, body));
      return reply.code(204).send();
    });
  };
}

/** A page of the app: the browser sends no cookie along when another site sends it back here, but the page then can. */
const CALLBACK = '/tools/callback';

function renderTool(tool: ListedTool): z.infer<typeof wireTool> {
  const { name, description, parameters, needsSignIn, quarantinedUntil, installed } = tool;
  return {
    name,
    description,
    source: installed ? 'installed' : 'builtin',
    version: installed?.version ?? null,
    parameters,
    capabilities: [...(installed?.sentences ?? [])],
    auth: installed?.auth ? renderAuth(installed.auth) : null,
    needs_sign_in: needsSignIn,
    quarantined_until: quarantinedUntil?.toISOString() ?? null,
    secrets: [...(installed?.secrets ?? [])],
    installed_at: installed?.installedAt.toISOString() ?? null,
    updated_at: installed?.updatedAt.toISOString() ?? null,
  };
}

function renderAuth(auth: NonNullable<NonNullable<ListedTool['installed']>['auth']>): z.infer<typeof wireTool>['auth'] {
  return {
    secret_name: auth.secretName,
    display_name: auth.displayName ?? null,
    instructions: auth.instructions ?? null,
    setup_url: auth.setupUrl ?? null,
    token_hint: auth.tokenHint ?? null,
    oauth: auth.oauth !== undefined,
  };
}
