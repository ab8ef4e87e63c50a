import { defineTool } from '@reborn-agent/tool';
import { InvalidParameters } from '@reborn-agent/tool/invalid-parameters';

export const tool = defineTool({
  description: 'Returns the number of stars of a GitHub repository.',
  schema: {
    type: 'object',
    properties: { repository: { type: 'string', description: 'Owner and name, for example nodejs/node' } },
    required: ['repository'],
    additionalProperties: false,
  },
  execute(params, { httpRequest, log }) {
    const repository = parseRepository(params);
    const response = httpRequest({
      url: `https://api.github.com/repos/${repository}`,
      headers: { Accept: 'application/vnd.github+json', 'User-Agent': 'reborn-tool' },
    });
    if (response.status === 404) throw new Error(`${repository} does not exist or is not public`);
    if (response.status !== 200) throw new Error(`GitHub answered ${response.status}: ${response.text()}`);

    const { stargazers_count: stars } = response.json() as { stargazers_count: number };
    log.info(repository, 'has', stars);
    return { repository, stars };
  },
});

/** The model may send anything: the error thrown here says what to send instead. */
function parseRepository(params: unknown): string {
  const { repository } = (params ?? {}) as { repository?: unknown };
  if (typeof repository === 'string' && /^[\w.-]+\/[\w.-]+$/.test(repository)) return repository;

  throw new InvalidParameters("'repository' must be an owner and a name, for example nodejs/node");
}
