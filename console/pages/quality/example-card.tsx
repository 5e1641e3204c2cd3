import { send } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { useKeys } from '../../app/keys.ts';
import { say } from '../../app/messages.tsx';
import { hrefTo } from '../../app/router.ts';
import { Action } from '../../ui/action.tsx';
import { shortId } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import { Age } from '../../ui/time.tsx';
import type { Example } from './example-calls.ts';

interface ExampleCardProps {
  readonly example: Example;
  readonly onDecided: () => void;
}

/** One example in full, to be accepted or rejected. */
export function ExampleCard({ example, onDecided }: ExampleCardProps) {
  const { dataset_id, example_id, status, message, intent, expected_escalated, trace_id } = example;
  const param = { id: dataset_id, example_id };
  const accept = (api: Client) =>
    api.datasets[':id'].examples[':example_id'].accept.$post({ param, json: {} });
  const reject = (api: Client) =>
    api.datasets[':id'].examples[':example_id'].reject.$post({ param, json: {} });
  const decide = (call: typeof accept | typeof reject, word: string) => (): void => {
    send<Awaited<ReturnType<typeof call>>>(call).then(
      () => {
        say(`The example is ${word}.`, { tone: 'good' });
        onDecided();
      },
      (error: unknown) => say(String(error), { tone: 'bad' }),
    );
  };
  useKeys('This example', [
    { key: 'a', label: 'accept', run: decide(accept, 'accepted') },
    { key: 'x', label: 'reject', run: decide(reject, 'rejected') },
  ]);
  return (
    <section class="card stack" aria-label="The chosen example">
      <p class="quality-message">{message}</p>
      <dl class="pairs">
        <dt>Status</dt>
        <dd>
          <Status of={status} />
        </dd>
        <dt>Intent</dt>
        <dd>{intent ?? 'not said'}</dd>
        <dt>For a person</dt>
        <dd>{expected_escalated === null ? 'not said' : expected_escalated ? 'yes' : 'no'}</dd>
        <dt>Message</dt>
        <dd>
          <a href={hrefTo(['messages', trace_id])}>{shortId(trace_id)}</a>
        </dd>
        {example.decided_by !== null && (
          <>
            <dt>Decided</dt>
            <dd>
              by {example.decided_by}, <Age at={example.decided_at} />
            </dd>
          </>
        )}
      </dl>
      <div class="quality-jumps">
        <Action
          label="Accept"
          shortcut="a"
          tone="main"
          call={accept}
          disabled={status === 'accepted'}
          onDone={onDecided}
        />
        <Action
          label="Reject"
          shortcut="x"
          call={reject}
          disabled={status === 'rejected'}
          onDone={onDecided}
        />
      </div>
      <p class="faint">
        Accepted examples are the tickets of an evaluation of this dataset. Nothing learns by itself.
      </p>
    </section>
  );
}
