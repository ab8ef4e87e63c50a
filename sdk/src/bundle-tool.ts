import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { rolldown } from 'rolldown';

const HOST = 'reborn:tool/host@1.0.0';
const ENTRY = '\0component';

/** One JavaScript module for the component's engine: `src/tool.ts` and all its imports, connected to the host. */
export async function bundleTool(folder: string): Promise<string> {
  const missing: string[] = [];
  await using bundle = await rolldown({
    cwd: folder,
    input: ENTRY,
    external: [HOST],
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    plugins: [bindToHost(folder)],
    onLog: (_level, { code, message }) => void (code === 'UNRESOLVED_IMPORT' && missing.push(firstLine(message))),
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false }).catch(explain);
  if (missing.length > 0) throw new Error(`${missing.join('\n')}\n${NO_NODE_INSIDE}`);

  return output[0].code;
}

const NO_NODE_INSIDE =
  'Node is not available inside a component: import only files of the tool and packages that need nothing but the language.';

function bindToHost(folder: string) {
  const entry = JSON.stringify(join(folder, 'src/tool.ts'));
  const source = `
    import * as host from '${HOST}';
    import { tool } from ${entry};
    export const { execute, schema, description } = tool.connect(host);`;

  return {
    name: 'bind-to-host',
    resolveId: (id: string) => (id === ENTRY ? ENTRY : null),
    load: (id: string) => (id === ENTRY ? source : null),
  };
}

function explain(error: Error): never {
  const message = stripVTControlCharacters(error.message);
  if (!message.includes('[MISSING_EXPORT] "tool"')) throw new Error(message, { cause: error });

  throw new Error('src/tool.ts exports no tool. Add: export const tool = defineTool({ … })', { cause: error });
}

function firstLine(message: string): string {
  return stripVTControlCharacters(message).split('\n', 1)[0] ?? message;
}
