import { useLayoutEffect, useRef } from 'preact/hooks';
import { hrefTo } from '../../../app/router.ts';
import { formatDuration, formatShare, shortId } from '../../../ui/format.ts';
import { Status } from '../../../ui/status.tsx';
import { JudgementView } from '../judgement.tsx';
import { Timeline } from '../timeline.tsx';
import { differencesOf, outcomeOf, type Trace } from '../trace.ts';
import { inWords } from '../words.ts';

interface ResultProps {
  readonly trace: Trace;
  /** The message that this one is compared with. */
  readonly before: Trace | undefined;
  readonly chosen: string | null;
  /** The message that all of it began with, which can be compared with too. */
  readonly first: string | null;
}

/** The result of a message that was tried; beside it the result of the one before, and their differences. */
export function Result({ trace, before, chosen, first }: ResultProps) {
  return (
    <>
      <div class="messages-halves">
        {before && <Outcome trace={before} title="Before" />}
        <Outcome trace={trace} title={before ? 'Now' : 'What came of it'} isNew />
      </div>
      {before && <Differences before={before} after={trace} />}
      {first !== null && before !== undefined && before.trace_id !== first && (
        <p>
          <a href={hrefTo(['messages'], { view: 'try', from: first, result: trace.trace_id })}>
            Compare with the first message
          </a>
        </p>
      )}
      <JudgementView trace={trace} />
      <Timeline trace={trace} chosen={chosen} />
    </>
  );
}

function Outcome({
  trace,
  title,
  isNew = false,
}: {
  readonly trace: Trace;
  readonly title: string;
  readonly isNew?: boolean;
}) {
  const { trace_id, intent, confidence, duration_ms, response, item_id, disposition, error } = trace;
  const id = isNew ? 'result-now' : 'result-before';
  const head = useRef<HTMLHeadingElement>(null);
  // It may stand below the window.
  useLayoutEffect(() => {
    if (isNew) head.current?.focus();
  }, [trace_id]);
  return (
    <section class="card stack" aria-labelledby={id} role={isNew ? 'status' : undefined}>
      <h2 id={id} ref={head} tabIndex={-1} class="messages-result">
        {title}
      </h2>
      <p class="messages-facts">
        <Status of={outcomeOf(trace)} />
        <span>
          {inWords(intent)} <span class="number">{formatShare(confidence)}</span>
        </span>
        <span class="faint">{formatDuration(duration_ms)}</span>
        <a href={hrefTo(['messages', trace_id])}>Message {shortId(trace_id)}</a>
        {item_id !== null && <a href={hrefTo(['inbox', item_id])}>its inbox item</a>}
      </p>
      {error !== null && <p class="tone-bad messages-text">{error}</p>}
      {response === '' ? (
        <p>No reply: nothing must be sent.</p>
      ) : (
        <>
          {disposition === 'draft' && (
            <p class="faint">A draft: nothing is sent before a person has seen it.</p>
          )}
          <blockquote class="messages-text messages-apart messages-reply">{response}</blockquote>
        </>
      )}
    </section>
  );
}

function Differences({ before, after }: { readonly before: Trace; readonly after: Trace }) {
  const differences = differencesOf(before, after);
  return (
    <section class="card stack" aria-labelledby="differences">
      <h2 id="differences">
        In what they differ from{' '}
        <a href={hrefTo(['messages', before.trace_id])}>{shortId(before.trace_id)}</a>
      </h2>
      {differences.length === 0 ? (
        <p>Both were judged in the same way, and got the same reply.</p>
      ) : (
        <div class="messages-table" tabIndex={0} role="region" aria-label="Differences">
          <table>
            <thead>
              <tr>
                <th scope="col">what differs</th>
                <th scope="col">before</th>
                <th scope="col">now</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ name, before, after }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="messages-text">{before}</td>
                  <td class="messages-text">{after}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
