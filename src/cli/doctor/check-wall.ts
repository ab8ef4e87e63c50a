import { findMissingLayers, findWall, LAYERS, type RequiredLayers } from '#tools/component/jail/wall.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Which layers of the operating system stand around the processes of tools; each is tried. */
export async function checkWall(required: RequiredLayers, find = findWall): Promise<Finding[]> {
  const check = 'tool jail';
  const { layers, shortfall } = await find();
  const missing = await findMissingLayers(required, find);
  if (missing) return [problem(check, `No sandboxed tool runs. ${missing}`, MEND)];
  const held = layers.map((layer) => LAYERS[layer]).join('; ');
  if (!shortfall) return [ok(check, `The operating system confines the process of a tool: ${held}.`)];
  const said = held ? `The operating system confines a tool in part: ${held}.` : 'Only Node and V8 confine a tool.';
  return [warning(check, `${said} ${shortfall}`, MEND)];
}

const MEND =
  'Install util-linux 2.36 or later and allow user namespaces, in a container with deploy/docker/seccomp.json (docs/operate/containers.md), or run the service in a container without a route to anything private.';
