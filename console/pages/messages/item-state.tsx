import { useRead } from '../../api/use-read.ts';
import { hrefTo } from '../../app/router.ts';
import { formatTime } from '../../ui/format.ts';
import { Loading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Age } from '../../ui/time.tsx';
import { inWords } from './words.ts';

/** The state of a message in the inbox: its item, the decision, and its consequence. */
export function ItemState({ id }: { readonly id: string }) {
  const read = useRead(`message: item ${id}`, (api) => api.inbox[':id'].$get({ param: { id } }), {
    stale: ({ subject }) => subject.kind === 'inbox' && subject.id === id,
  });
  const { value, error } = read;
  if (value === undefined) {
    if (error === undefined) return <Loading rows={1} what="Reading the inbox item" />;
    return (
      <p class="faint">
        {error.status === 404 ? 'Its inbox item is no longer kept.' : `Its inbox item: ${error.message}`}
      </p>
    );
  }
  const { kind, status, assignee, due_at, resolution } = value;
  return (
    <div class="messages-item stack">
      <p class="messages-facts">
        <Status of={status} />
        <a href={hrefTo(['inbox', id])}>Open its inbox item</a>
        <span class="faint">{inWords(kind)}</span>
        {status === 'claimed' && assignee !== null && <span>by {assignee}</span>}
        {resolution === null && due_at !== null && (
          <span class="faint">
            due <Age at={due_at} />
          </span>
        )}
      </p>
      {resolution !== null && (
        <>
          <p>
            {resolution.by} decided <strong>{inWords(resolution.outcome)}</strong>
            {resolution.intent !== null && <> for {inWords(resolution.intent)}</>},{' '}
            {formatTime(resolution.at)}
            {resolution.escalation_right === true && '. A person was needed'}
            {resolution.escalation_right === false && '. No person was needed'}.
          </p>
          {resolution.response !== null && (
            <blockquote class="messages-text messages-apart">{resolution.response}</blockquote>
          )}
          {resolution.note !== null && <p class="faint messages-text">Note: {resolution.note}</p>}
        </>
      )}
      {status === 'resolved' && (
        <p class="faint">
          What people decide becomes <a href={hrefTo(['quality'], { view: 'examples' })}>examples</a>, which
          somebody accepts or rejects.
        </p>
      )}
      {(status === 'open' || status === 'claimed') && (
        <p class="faint">Once somebody resolves it, the message is proposed as an example of a dataset.</p>
      )}
    </div>
  );
}
