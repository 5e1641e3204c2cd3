import type { ComponentChildren } from 'preact';
import { formatDuration, formatTime } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Status } from '../../ui/status.tsx';
import type { Trace } from './trace.ts';
import { sourceWords } from './words.ts';

type ToolCall = Trace['tool_calls'][number];
type Decision = Trace['agent_decisions'][number];

/** The input and output of a tool call or a stage of a message, and all of it as it is stored. */
export function Inspector({ trace, sequence }: { readonly trace: Trace; readonly sequence: number }) {
  const call = trace.tool_calls.find((one) => one.sequence === sequence);
  const decision = trace.agent_decisions.find((one) => one.sequence === sequence);
  if (call !== undefined) return <CallParts call={call} />;
  if (decision !== undefined) return <DecisionParts decision={decision} />;
  return null;
}

function CallParts({ call }: { readonly call: ToolCall }) {
  const { tool_name, input, output, status, attempts, error, duration_ms, timestamp } = call;
  return (
    <Parts name={tool_name} entry={call}>
      <p class="messages-facts">
        <Status of={status === 'success' ? 'ok' : status} />
        <span>
          {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          {attempts === 0 && ': the call was not started'}
        </span>
        <span>{formatDuration(duration_ms)}</span>
        <span class="faint">ended {formatTime(timestamp)}</span>
      </p>
      {error !== null && <p class="tone-bad messages-text">{error}</p>}
      <div class="messages-halves">
        <div>
          <h4>Input</h4>
          <Json value={input} label={`${tool_name}: input`} />
        </div>
        <div>
          <h4>Output</h4>
          {output === null ? (
            <p class="faint">There is none.</p>
          ) : (
            <Json value={output} label={`${tool_name}: output`} />
          )}
        </div>
      </div>
    </Parts>
  );
}

function DecisionParts({ decision }: { readonly decision: Decision }) {
  const { agent, source, summary, data, timestamp } = decision;
  return (
    <Parts name={agent} entry={decision}>
      <p class="messages-text">{summary}</p>
      <p class="messages-facts">
        <span>by {sourceWords[source]}</span>
        <span class="faint">decided {formatTime(timestamp)}</span>
      </p>
      <div>
        <h4>What it found</h4>
        <Json value={data} label={`${agent}: what it found`} />
      </div>
    </Parts>
  );
}

function Parts({
  name,
  entry,
  children,
}: {
  readonly name: string;
  readonly entry: ToolCall | Decision;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="messages-inspector stack" aria-label={`${name}: input and output`}>
      <h3>{name}</h3>
      {children}
      <details>
        <summary>As it is stored</summary>
        <Json value={entry} label={`${name} as JSON`} />
      </details>
    </section>
  );
}
