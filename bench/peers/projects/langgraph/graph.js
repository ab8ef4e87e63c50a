import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: 'scripted',
  apiKey: 'none',
  configuration: { baseURL: process.env.MODEL_URL },
});

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'model')
  .addEdge('model', END)
  .compile();
