import { useState } from 'preact/hooks';
import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { Action } from '../../ui/action.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { type Json as JsonValue, SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { Notice } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import type { Tool } from './tool-calls.ts';

const callTool = (name: string, input: JsonObject) => (api: Client) =>
  api.tools[':name'].call.$post({ param: { name }, json: { input } });

type Outcome = Answered<ReturnType<typeof callTool>>;

/** A form that calls a tool as messages and workflows do. It does what it does, and says so before. */
export function TryTool({ tool, onTried }: { readonly tool: Tool; readonly onTried: () => void }) {
  const [input, setInput] = useState<JsonValue>({});
  const [outcome, setOutcome] = useState<Outcome>();
  const call = callTool(tool.name, isJsonObject(input) ? input : {});
  const acts = tool.effect !== 'read';
  return (
    <div class="stack">
      <h3>Try it</h3>
      {acts && (
        <Notice tone="warn">
          This tool changes something. Trying it does what it does, as if a workflow had called it.
        </Notice>
      )}
      <SchemaForm schema={tool.input_schema} value={input} onChange={setInput} />
      <div>
        <Action
          label={`Call ${tool.name}`}
          tone="main"
          call={call}
          disabled={!isJsonObject(input)}
          {...(acts && { confirm: <p>{tool.name} changes something. It acts as soon as you confirm.</p> })}
          onDone={(value) => {
            setOutcome(value);
            onTried();
          }}
        />
      </div>
      {outcome && (
        <div class="stack" role="status">
          <p>
            <Status of={outcome.status === 'success' ? 'completed' : 'failed'} /> in{' '}
            {formatDuration(outcome.duration_ms)}, {outcome.attempts}{' '}
            {outcome.attempts === 1 ? 'attempt' : 'attempts'}
          </p>
          {outcome.error !== null && <p class="tone-bad">{outcome.error}</p>}
          <Json value={outcome.output} label="Output of the tool" />
        </div>
      )}
    </div>
  );
}
