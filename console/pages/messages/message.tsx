import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { Action } from '../../ui/action.tsx';
import { formatDuration, formatTime, shortId } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Notice, Reading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { ItemState } from './item-state.tsx';
import { JudgementView } from './judgement.tsx';
import { StatePath } from './state-path.tsx';
import { TextView } from './text-view.tsx';
import { Timeline } from './timeline.tsx';
import { outcomeOf, readTrace, type Trace } from './trace.ts';

/** One message: its text, what happened to it and when, how it was judged, and the reply. */
export function MessageView({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const read = useRead(`message ${id}`, readTrace(id), { stale: ({ subject }) => subject.id === id });
  const { value } = read;
  const again = (): void => goTo(hrefTo(['messages'], { view: 'try', from: id }));
  useKeys('Message', [
    { key: 't', label: 'try it again, with changes', run: again },
    { key: 'l', label: 'back to the list', run: () => goTo('#/messages') },
    {
      key: 'e',
      label: 'its inbox item',
      run: () => value?.item_id && goTo(hrefTo(['inbox', value.item_id])),
    },
  ]);
  return (
    <>
      <PageHead
        title={`Message ${shortId(id)}`}
        id={id}
        crumbs={[{ label: 'Messages', href: '#/messages' }]}
        facts={value && <Facts trace={value} />}
        actions={
          read.error?.status !== 404 && (
            <>
              <button type="button" disabled={value === undefined} onClick={again}>
                Try again <kbd>t</kbd>
              </button>
              <Action
                label="Delete"
                tone="bad"
                call={(api) => api.trace[':trace_id'].$delete({ param: { trace_id: id } })}
                confirm={
                  <p>
                    The message, its example and its entries in a conversation are deleted for good. Its inbox
                    item is emptied.
                  </p>
                }
                done="The message is deleted."
                onDone={() => goTo('#/messages')}
              />
            </>
          )
        }
        calls={[{ label: 'The message', call: read.call }]}
      />
      <Reading read={read} what="Reading the message" rows={6}>
        {(trace) => <Contents trace={trace} query={query} />}
      </Reading>
    </>
  );
}

function Facts({ trace }: { readonly trace: Trace }) {
  const { source, customer_id, conversation_id, duration_ms, created_at, item_id } = trace;
  return (
    <>
      <Status of={outcomeOf(trace)} />
      <span>
        {source} · <a href={hrefTo(['messages'], { customer_id })}>{customer_id}</a>
      </span>
      <span class="number">{formatDuration(duration_ms)}</span>
      <span>{formatTime(created_at)}</span>
      {conversation_id !== null && (
        <a href={hrefTo(['messages'], { conversation: conversation_id })}>its conversation</a>
      )}
      {item_id !== null && <a href={hrefTo(['inbox', item_id])}>its inbox item</a>}
    </>
  );
}

function Contents({ trace, query }: { readonly trace: Trace; readonly query: URLSearchParams }) {
  return (
    <>
      {trace.error !== null && <Notice tone="bad">{trace.error}</Notice>}
      <TextView trace={trace} />
      <StatePath transitions={trace.state_transitions} />
      <Timeline trace={trace} chosen={query.get('at')} />
      <div class="messages-halves">
        <JudgementView trace={trace} />
        <section class="card stack" aria-labelledby="reply">
          <h2 id="reply">{replyTitles[trace.disposition]}</h2>
          {trace.response === '' ? (
            <p class="faint">There is no text. Nothing must be sent.</p>
          ) : (
            <blockquote class="messages-text messages-apart messages-reply">{trace.response}</blockquote>
          )}
          {trace.item_id === null ? (
            <p class="faint">
              Nobody has to see it, so that it has no inbox item. Only resolved items become examples of a
              dataset.
            </p>
          ) : (
            <ItemState key={trace.item_id} id={trace.item_id} />
          )}
        </section>
      </div>
      <details class="card">
        <summary>Everything as JSON</summary>
        <Json value={trace} label="The message as JSON" />
      </details>
    </>
  );
}

const replyTitles: Readonly<Record<Trace['disposition'], string>> = {
  answered: 'The reply',
  escalated: 'The reply, until a person answers',
  draft: 'A draft that a person sends, changes or discards',
  no_reply: 'No reply',
};
