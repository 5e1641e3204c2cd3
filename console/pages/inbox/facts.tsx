import { useRead } from '../../api/use-read.ts';
import { now } from '../../app/now.ts';
import { hrefTo } from '../../app/router.ts';
import { formatShare, formatTime } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Reading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Age } from '../../ui/time.tsx';
import { readMessagesOf } from './logic/calls.ts';
import type { Case, Trace } from './logic/types.ts';
import { coarse, inWords, isOverdue, slaShare, whyOf } from './logic/why.ts';

/** Earlier messages of the customer that are shown. */
const MOST_EARLIER = 8;

const readers = new Map([
  ['deterministic', 'rules'],
  ['llm', 'the language model'],
  ['fallback', 'rules, because the language model failed'],
]);

/** The reasons for an item. */
export function Because({ item }: { readonly item: Case }) {
  const { reasons, confidence, threshold, evidence, source } = whyOf(item);
  const concerns = item.trace?.concerns ?? [];
  return (
    <section class="card stack" aria-labelledby="inbox-why">
      <h3 id="inbox-why">Why it is here</h3>
      <ul class="inbox-why">
        {reasons.map(({ name, text }) => (
          <li key={name}>
            <span class={concerns.some((concern) => concern === name) ? 'tag tone-bad' : 'tag'}>
              {inWords(name)}
            </span>
            {text !== null && <span class="faint">{text}</span>}
          </li>
        ))}
      </ul>
      {confidence !== null && (
        <dl class="pairs">
          <dt>Confidence</dt>
          <dd>
            <span class="number">{formatShare(confidence)}</span>
            {threshold !== null && `, needs ${formatShare(threshold)}`}
          </dd>
          {evidence.length > 0 && (
            <>
              <dt>Evidence</dt>
              <dd>{evidence.join(', ')}</dd>
            </>
          )}
          {source !== null && (
            <>
              <dt>Read by</dt>
              <dd>{readers.get(source) ?? inWords(source)}</dd>
            </>
          )}
        </dl>
      )}
    </section>
  );
}

/** The used share of an item's time. */
export function Sla({ item }: { readonly item: Case }) {
  const share = slaShare(item, now.value);
  if (share === null || item.due_at === null) return null;
  const isOver = share > 1;
  const until = item.resolved_at === null ? now.value : Date.parse(item.resolved_at);
  const distance = Math.abs(Date.parse(item.due_at) - until);
  const words = isOver ? `${coarse(distance)} over its time` : `${coarse(distance)} left`;
  const tone = isOver ? 'bad' : share > 0.75 ? 'warn' : 'accent';
  const width = Math.min(100, share * 100);
  return (
    <div class="inbox-sla">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" height={6} aria-hidden="true">
        <rect class="inbox-sla-all" width={100} height={6} />
        <rect class={`fill-${tone}`} width={width} height={6} />
      </svg>
      <span
        class={isOverdue(item, now.value) ? 'tone-bad' : 'faint'}
        title={`Due ${formatTime(item.due_at)}`}
      >
        {isOver && <span aria-hidden="true">! </span>}
        {words}
      </span>
      <span class="faint">
        opened <Age at={item.opened_at} />
      </span>
    </div>
  );
}

/** Earlier messages of the customer, those with an item of the inbox first of all. */
export function Earlier({ item, customer }: { readonly item: Case; readonly customer: string }) {
  const read = useRead(`messages of ${customer}`, readMessagesOf(customer));
  return (
    <section class="card stack" aria-labelledby="inbox-earlier">
      <h3 id="inbox-earlier">Earlier, from {customer}</h3>
      <Reading read={read} what="Reading earlier messages">
        {({ traces }) => {
          const others = traces.filter(({ trace_id, item_id }) => {
            return trace_id !== item.subject.id && item_id !== item.item_id;
          });
          if (others.length === 0) return <p class="faint">Nothing that is still stored.</p>;
          const shown = others
            .toSorted((a, b) => Number(b.item_id !== null) - Number(a.item_id !== null))
            .slice(0, MOST_EARLIER);
          return (
            <ul class="inbox-earlier">
              {shown.map(({ trace_id, item_id, message, subject, disposition, created_at }) => (
                <li key={trace_id}>
                  <a href={hrefTo(item_id === null ? ['messages', trace_id] : ['inbox', item_id])}>
                    {(subject || message).slice(0, 80)}
                  </a>
                  <span class="inbox-earlier-more faint">
                    {item_id === null ? 'message' : 'item'} <Status of={disposition} />{' '}
                    <Age at={created_at} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Reading>
      <a href={hrefTo(['messages'], { customer_id: customer })}>All messages of this customer</a>
    </section>
  );
}

/** The data that the service has looked up for a message. */
export function Found({ trace }: { readonly trace: Trace }) {
  if (trace.tool_calls.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="inbox-found">
      <h3 id="inbox-found">Looked up</h3>
      {trace.tool_calls.map(({ sequence, tool_name, status, input, output, error }) => (
        <details key={sequence}>
          <summary>
            <span class="mono">{tool_name}</span> <Status of={status === 'success' ? 'ok' : status} />
          </summary>
          {error !== null && <p>{error}</p>}
          <Json value={{ input, output }} label={`Call of ${tool_name}`} />
        </details>
      ))}
    </section>
  );
}
