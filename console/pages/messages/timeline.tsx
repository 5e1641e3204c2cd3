import { setQuery } from '../../app/router.ts';
import { formatDuration } from '../../ui/format.ts';
import { Inspector } from './inspector.tsx';
import { type Trace, timelineOf } from './trace.ts';

/** The stages and tool calls by sequence, with their time. A chosen one shows what went in and came out. */
export function Timeline({ trace, chosen }: { readonly trace: Trace; readonly chosen: string | null }) {
  const rows = timelineOf(trace);
  const whole = Math.max(0.001, trace.duration_ms, ...rows.map(({ from, took }) => from + took));
  const row = rows.find(({ sequence }) => String(sequence) === chosen);
  return (
    <section class="card stack" aria-labelledby="timeline">
      <h2 id="timeline">What happened</h2>
      <div class="messages-axis" aria-hidden="true">
        <span class="number">
          <span>0 ms</span>
          <span>{formatDuration(whole / 2)}</span>
          <span>{formatDuration(whole)}</span>
        </span>
      </div>
      <ol class="messages-timeline">
        {rows.map(({ sequence, kind, name, summary, from, took, isFailed }) => (
          <li key={sequence}>
            <button
              type="button"
              class="messages-row"
              aria-pressed={String(sequence) === chosen}
              onClick={() =>
                setQuery({ at: String(sequence) === chosen ? null : String(sequence) }, { replace: true })
              }
            >
              <span class="number faint">{sequence}</span>
              <span>
                <span aria-hidden="true">{kind === 'tool' ? '▣' : '◆'}</span> {name}
              </span>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  class={isFailed ? 'fill-bad' : kind === 'tool' ? 'fill-wait' : 'fill-accent'}
                  x={Math.min(99, (from / whole) * 100)}
                  width={Math.max(1, (took / whole) * 100)}
                  height="10"
                />
              </svg>
              <span class="number">{formatDuration(took)}</span>
              <span class={isFailed ? 'tone-bad' : 'faint'}>
                {isFailed && '✕ '}
                {summary}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {row === undefined ? (
        <p class="faint messages-legend">
          ◆ stage, with the time of its state; verifier and responder share one. ▣ tool call. Choose a line to
          see what went in and came out.
        </p>
      ) : (
        <Inspector trace={trace} sequence={row.sequence} />
      )}
    </section>
  );
}
