import * as restate from '@restatedev/restate-sdk';

/** A virtual object for each thread, with a handler of three steps. Its server calls the worker. */
export async function createEngine({ worker, body, restate: { ingress, admin, port } }) {
  const awakeables = new Map();
  const turns = restate.object({
    name: 'turns',
    handlers: {
      run: (context, input) =>
        body(input, {
          write: (n, make) => context.run(`write ${n}`, make),
          wait() {
            const { id, promise } = context.awakeable();
            awakeables.set(input.id, id);
            return promise;
          },
        }),
    },
    // A turn that waits leaves the worker after this time; the default of a minute keeps it open.
    options: { inactivityTimeout: 1000 },
  });
  await restate.serve({ services: [turns], port });

  async function send(path, options) {
    const response = await fetch(path, { method: 'POST', ...options });
    if (!response.ok) throw new Error(`${worker}: ${response.status} ${await response.text()}`);
    return response;
  }
  const request = (input) => ({
    headers: { 'content-type': 'application/json', 'idempotency-key': input.id },
    body: JSON.stringify(input),
  });
  async function ask(query) {
    const response = await send(`${admin}/query`, {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
    return (await response.json()).rows;
  }
  return {
    accept: async (input) =>
      void (await (await send(`${ingress}/turns/${input.thread}/run/send`, request(input))).json()),
    run: async (input) => void (await (await send(`${ingress}/turns/${input.thread}/run`, request(input))).json()),
    answer: async (id) => void (await send(`${ingress}/restate/awakeables/${awakeables.get(id)}/resolve`)),
    async countWaiting() {
      const [{ count }] = await ask("select count(*) as count from sys_invocation where status = 'suspended'");
      return Number(count);
    },
    async findWriters(id) {
      const [{ id: invocation }] = await ask(`select id from sys_invocation where idempotency_key = '${id}'`);
      const output = await fetch(`${ingress}/restate/invocation/${invocation}/output`);
      return (await output.json()).map(({ by }) => by);
    },
    stop: () => Promise.resolve(),
  };
}
