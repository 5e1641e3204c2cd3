import type { CallError } from '../../../api/call.ts';
import type { Client } from '../../../api/client.ts';
import { Action } from '../../../ui/action.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Failed } from '../../../ui/states.tsx';
import { bodyOf, type Fields, faultsByField, type MessageBody, type TextName } from './fields.ts';

const sendMessage = (body: MessageBody) => (api: Client) => api.messages.$post({ json: body });

interface FormProps {
  readonly fields: Fields;
  readonly onChange: (fields: Fields) => void;
  /** The conversation of the message that is tried again, which is not filled in. */
  readonly leftOut: string | null;
  /** The refusal of the last request. */
  readonly error: CallError | undefined;
  readonly onError: (error: CallError | undefined) => void;
  /** Called with the id of the message that was sent. */
  readonly onSent: (id: string) => void;
}

const small: readonly {
  readonly name: TextName;
  readonly label: string;
  readonly hint: string;
}[] = [
  { name: 'customer_id', label: 'Customer', hint: 'any id of a customer' },
  { name: 'source', label: 'Source', hint: 'such as email or chat' },
  { name: 'subject', label: 'Subject', hint: 'may be empty' },
  { name: 'conversation_id', label: 'Conversation', hint: 'an id of your choice, to send several turns' },
  { name: 'locale', label: 'Locale', hint: 'what is known of the language, such as de-DE' },
];

/**
 * The fields of a message to try. What is typed stays when the service refuses it, with what is wrong at each field.
 */
export function MessageForm({ fields, onChange, leftOut, error, onError, onSent }: FormProps) {
  const { body, problem } = bodyOf(fields);
  const faults = faultsByField(error?.faults ?? []);
  const set = (name: TextName) => (value: string) => onChange({ ...fields, [name]: value });
  const isPlaced = error !== undefined && error.faults.length > 0;
  return (
    <section class="card stack" aria-label="The message">
      <TextField
        label="Text"
        value={fields.message}
        onChange={set('message')}
        lines={6}
        error={faults.get('message')}
        placeholder="Such as: Where is my order A-1234?"
      />
      <div class="messages-fields">
        {small.map(({ name, label, hint }) => (
          <TextField
            key={name}
            label={label}
            value={fields[name]}
            onChange={set(name)}
            error={faults.get(name)}
            hint={
              name === 'conversation_id' && leftOut !== null
                ? `left out: it was sent in ${leftOut}, and a further turn there would be read with it`
                : hint
            }
          />
        ))}
      </div>
      <TextField
        label="Metadata"
        value={fields.metadata}
        onChange={set('metadata')}
        lines={2}
        isCode
        error={problem ?? faults.get('metadata')}
        hint="an object of texts of your system, which are kept and decide nothing"
        placeholder={'such as { "shop": "uk" }'}
      />
      <label class="messages-check">
        <input
          type="checkbox"
          checked={fields.draft}
          onChange={({ currentTarget }) => onChange({ ...fields, draft: currentTarget.checked })}
        />{' '}
        the reply is a draft that a person sees first
      </label>
      {faults.has('draft') && <p class="field-error">Draft: {faults.get('draft')}</p>}
      {isPlaced && (
        <p class="field-error" role="alert">
          Nothing was sent. What is wrong stands at the fields.
        </p>
      )}
      {error && !isPlaced && <Failed error={error} />}
      <div>
        <Action
          label="Send"
          tone="main"
          call={sendMessage(body)}
          disabled={problem !== undefined}
          onDone={({ trace_id }) => {
            onError(undefined);
            onSent(trace_id);
          }}
          onError={onError}
        />
      </div>
    </section>
  );
}
