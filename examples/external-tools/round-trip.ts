// A tool that runs here, not in the service: the turn stops at its call, and the result starts the next turn.
//   node examples/external-tools/round-trip.ts 'call stock_of {"product": "tea"}'
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env['REBORN_URL'] ?? 'http://127.0.0.1:3000'}/api/v1`,
  apiKey: process.env['REBORN_TOKEN'],
});
const tools: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'stock_of',
    description: 'Returns how many pieces of a product are in stock.',
    parameters: { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] },
    strict: false,
  },
];

let response = await client.responses.create({
  model: 'default',
  input: process.argv[2] ?? 'How much tea is left?',
  tools,
});
for (let call = findCall(response); call; call = findCall(response)) {
  const output = stockOf(JSON.parse(call.arguments) as { product: string });
  console.log(`${call.name}(${call.arguments}) = ${output}`);
  response = await client.responses.create({
    model: 'default',
    previous_response_id: response.id,
    input: [{ type: 'function_call_output', call_id: call.call_id, output }],
    tools,
  });
}
console.log(response.output_text);

function findCall({ output }: OpenAI.Responses.Response) {
  return output.find((item) => item.type === 'function_call');
}

function stockOf({ product }: { product: string }): string {
  return JSON.stringify({ product, pieces: product === 'tea' ? 12 : 0 });
}
