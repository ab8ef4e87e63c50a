import { t } from '@lingui/core/macro';
import type { McpServer } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import { ToolPolicyInList } from '../tools/tool-policy.tsx';

/** The tools of a server, each with what it does and whether its calls run. */
export function ServerTools({ server }: { readonly server: McpServer }) {
  const { data } = useQuery({ queryKey: ['tools'], queryFn: () => client.call('GET /api/tools') });
  const known = new Map(
    data?.tools.filter((tool) => tool.mcp_server === server.name).map((tool) => [tool.name, tool] as const),
  );
  return (
    <ul className="mt-4 flex flex-col gap-4">
      {server.tools.map((tool) => {
        const listed = known.get(`${server.name}__${tool.name}`);
        return (
          <li key={tool.name} className="flex flex-wrap items-start gap-x-4 gap-y-1">
            <div className="min-w-0 flex-1 basis-56">
              <div className="flex flex-wrap items-baseline gap-x-3">
                <span className="min-w-0 break-words font-medium">{tool.name}</span>
                <StatusMark
                  mark={tool.read_only ? 'done' : 'idle'}
                  words={tool.read_only ? t`only reads` : tool.destructive ? t`can destroy` : t`writes`}
                />
              </div>
              <p className="break-words text-meta text-soft">{tool.description}</p>
            </div>
            {listed && <ToolPolicyInList tool={listed} />}
          </li>
        );
      })}
    </ul>
  );
}
