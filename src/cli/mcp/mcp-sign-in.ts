import { signInHere, stoppedByPerson } from '../connect/sign-in-here.ts';
import { withClient } from '../connect/with-client.ts';
import { printLine } from '../print.ts';

/** `reborn mcp signin`: a user signs in to their own server of this name, or to everyone's. */
export function signIn(name: string, { user: holder = 'everyone' }: { readonly user?: string }): Promise<void> {
  return withClient(async (client) => {
    const { url, done } = await signInHere({
      signal: stoppedByPerson(),
      begin: async (redirectUri) => {
        const call = { params: { name }, query: { for: holder, redirect_uri: redirectUri } };
        return (await client.call('POST /api/mcp/{name}/sign-in', call)).url;
      },
      finish: (body) => client.call('POST /api/mcp/sign-in/finish', { query: { for: holder }, body }),
    });
    printLine(`To sign in to ${name}, open this address in a browser on this machine:\n\n  ${url}\n`);
    await done;
    const { servers } = await client.call('GET /api/mcp', { query: { for: holder } });
    const server = servers.find((each) => each.name === name && !each.hidden);
    printLine(server?.problem ?? `Signed in. ${name} has ${server?.tools ?? 0} tools.`);
  });
}
