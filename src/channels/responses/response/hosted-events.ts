import type { FunctionCallBody, FunctionCallOutputBody, NewItem } from '#domain/thread/item.ts';
import { renderFileSearch } from './file-search-calls.ts';
import { type HostedView, hostedToolOf, renderCode, renderShell, renderShellOutput } from './hosted-calls.ts';
import type { StreamEvent } from './stream-event.ts';
import { renderWebSearch } from './web-search-calls.ts';

type Call = NewItem & FunctionCallBody;
type Output = NewItem & FunctionCallOutputBody;
type Place = (item: NewItem) => { readonly output_index: number };

/** Renders the events of hosted tools: a call when the model has written it, and its end when it has run. */
export function createHostedEvents(view: HostedView | undefined, placeOf: Place) {
  const open: Call[] = [];

  return {
    /** Whether the item is shown here, and not as another one. */
    takes(item: NewItem): boolean {
      if (item.type === 'function_call') return hostedToolOf(view, item) !== undefined;
      return item.type === 'function_call_output' && open.some(({ callId }) => callId === item.callId);
    },

    *show(item: NewItem): Generator<StreamEvent> {
      if (!view) return;
      if (item.type === 'function_call') {
        open.push(item);
        yield* start(view, item);
      }
      if (item.type !== 'function_call_output') return;
      const [call] = open.splice(
        open.findIndex(({ callId }) => callId === item.callId), // the first output answers the first call
        1,
      );
      if (call) yield* finish(view, call, item);
    },

    /** The turn has ended before these calls: they wait for a person. */
    *end(): Generator<StreamEvent> {
      for (const call of view ? open.splice(0) : [])
        if (view && hostedToolOf(view, call) !== 'shell')
          yield { type: 'response.output_item.done', ...placeOf(call), item: renderUnfinished(view, call) };
    },
  };

  function start(shown: HostedView, call: Call): Generator<StreamEvent> {
    const tool = hostedToolOf(shown, call);
    if (tool === 'shell') return startShell(shown, call);
    return tool === 'code_interpreter' ? startCode(shown, call) : startSearch(shown, call, placeOf(call));
  }

  function finish(shown: HostedView, call: Call, output: Output): Generator<StreamEvent> {
    const tool = hostedToolOf(shown, call);
    if (tool === 'shell') return endShell(output, placeOf(output));
    return tool === 'code_interpreter' ? endCode(shown, call, output) : endSearch(shown, call, output, placeOf(call));
  }

  function* startCode(shown: HostedView, call: Call): Generator<StreamEvent> {
    const item = renderCode(shown, call, 'in_progress');
    const place = { item_id: item.id, ...placeOf(call) };
    yield { type: 'response.output_item.added', ...placeOf(call), item: { ...item, code: '' } };
    yield { type: 'response.code_interpreter_call.in_progress', ...place };
    if (item.code) yield { type: 'response.code_interpreter_call_code.delta', ...place, delta: item.code };
    yield { type: 'response.code_interpreter_call_code.done', ...place, code: item.code };
    yield { type: 'response.code_interpreter_call.interpreting', ...place };
  }

  function* endCode(shown: HostedView, call: Call, output: Output): Generator<StreamEvent> {
    const item = renderCode(shown, call, 'completed', output);
    yield { type: 'response.code_interpreter_call.completed', item_id: item.id, ...placeOf(call) };
    yield { type: 'response.output_item.done', ...placeOf(call), item };
  }

  function* startShell(shown: HostedView, call: Call): Generator<StreamEvent> {
    const item = renderShell(shown, call, 'completed');
    const [command = ''] = item.action.commands;
    const place = { ...placeOf(call), command_index: 0 as const };
    const empty = { ...item, status: 'in_progress' as const, action: { ...item.action, commands: [] } };
    yield { type: 'response.output_item.added', ...placeOf(call), item: empty };
    yield { type: 'response.shell_call_command.added', ...place, command: '' };
    if (command) yield { type: 'response.shell_call_command.delta', ...place, delta: command };
    yield { type: 'response.shell_call_command.done', ...place, command };
    yield { type: 'response.output_item.done', ...placeOf(call), item };
  }
}

function* endShell(output: Output, at: ReturnType<Place>): Generator<StreamEvent> {
  const item = renderShellOutput(output);
  const place = { item_id: item.id, ...at, command_index: 0 as const };
  const [result] = item.output;
  const empty = { ...item, status: 'in_progress' as const, output: [] };
  yield { type: 'response.output_item.added', ...at, item: empty };
  if (result?.stdout)
    yield { type: 'response.shell_call_output_content.delta', ...place, delta: { stdout: result.stdout } };
  yield { type: 'response.shell_call_output_content.done', ...place, output: item.output };
  yield { type: 'response.output_item.done', ...at, item };
}

/** A search of the web, or of vector stores. */
function renderSearch(
  view: HostedView,
  call: Call,
  status: 'in_progress' | 'completed' | 'incomplete',
  output?: Output,
) {
  const render = hostedToolOf(view, call) === 'file_search' ? renderFileSearch : renderWebSearch;
  return render(view, call, status, output);
}

function* startSearch(view: HostedView, call: Call, place: ReturnType<Place>): Generator<StreamEvent> {
  const item = renderSearch(view, call, 'in_progress');
  yield { type: 'response.output_item.added', ...place, item };
  yield { type: `response.${item.type}.in_progress`, item_id: item.id, ...place };
  yield { type: `response.${item.type}.searching`, item_id: item.id, ...place };
}

/** The format has no event for a search that has failed: its status says it. */
function* endSearch(view: HostedView, call: Call, output: Output, place: ReturnType<Place>): Generator<StreamEvent> {
  const item = renderSearch(view, call, 'completed', output);
  if (item.status === 'completed') yield { type: `response.${item.type}.completed`, item_id: item.id, ...place };
  yield { type: 'response.output_item.done', ...place, item };
}

const renderUnfinished = (view: HostedView, call: Call) =>
  hostedToolOf(view, call) === 'code_interpreter'
    ? renderCode(view, call, 'incomplete')
    : renderSearch(view, call, 'incomplete');
