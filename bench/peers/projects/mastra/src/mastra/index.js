import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';

const assistant = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You are a helpful assistant.',
  model: { id: 'scripted/scripted', url: process.env.MODEL_URL, apiKey: 'none' },
  memory: new Memory(),
});

export const mastra = new Mastra({
  agents: { assistant },
  storage: new LibSQLStore({ id: 'storage', url: process.env.STORE_URL }),
});
