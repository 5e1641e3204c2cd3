import { type JsonObject, parseObject } from '../../api/json.ts';
import { useRead } from '../../api/use-read.ts';
import { Field, TextField } from '../../ui/fields.tsx';

/** A subtask as the reader edits it: its payload is text until it is sent. */
export interface EditedSubtask {
  readonly id: number;
  readonly agent: string;
  readonly payload: string;
}

/** The subtasks to send, or what is wrong with them. */
export function toSubtasks(
  edited: readonly EditedSubtask[],
): readonly { readonly agent_name: string; readonly payload: JsonObject }[] | string {
  const subtasks = [];
  for (const [index, { agent, payload }] of edited.entries()) {
    const parsed = parseObject(payload);
    if (typeof parsed === 'string') return `Subtask ${index + 1}: ${parsed}`;
    subtasks.push({ agent_name: agent, payload: parsed });
  }
  return subtasks.length === 0 ? 'There is no subtask.' : subtasks;
}

interface SubtaskEditorProps {
  readonly subtasks: readonly EditedSubtask[];
  readonly onChange: (subtasks: readonly EditedSubtask[]) => void;
  readonly onReset: () => void;
}

/** Subtasks that the reader writes: who gets which payload. */
export function SubtaskEditor({ subtasks, onChange, onReset }: SubtaskEditorProps) {
  const agents = useRead('agents', (api) => api.agents.$get());
  const names = agents.value?.agents.map(({ name }) => name) ?? [];
  const set = (id: number, change: Partial<EditedSubtask>): void =>
    onChange(subtasks.map((subtask) => (subtask.id === id ? { ...subtask, ...change } : subtask)));
  return (
    <div class="stack">
      {subtasks.map(({ id, agent, payload }, index) => {
        const wrong = parseObject(payload);
        return (
          <fieldset key={id} class="routing-subtask">
            <legend>Subtask {index + 1}</legend>
            <Field label="Agent">
              {(control) => (
                <select
                  {...control}
                  value={agent}
                  onChange={(event) => set(id, { agent: event.currentTarget.value })}
                >
                  {[...new Set([agent, ...names])].map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
            <TextField
              label="Payload"
              value={payload}
              onChange={(value) => set(id, { payload: value })}
              lines={4}
              isCode
              error={typeof wrong === 'string' ? wrong : undefined}
            />
            <button
              type="button"
              class="quiet"
              onClick={() => onChange(subtasks.filter((other) => other.id !== id))}
            >
              Remove subtask {index + 1}
            </button>
          </fieldset>
        );
      })}
      <div class="routing-acts">
        <button
          type="button"
          disabled={names.length === 0}
          onClick={() =>
            onChange([
              ...subtasks,
              { id: Math.max(-1, ...subtasks.map(({ id }) => id)) + 1, agent: names[0] ?? '', payload: '{}' },
            ])
          }
        >
          Add a subtask
        </button>
        <button type="button" class="quiet" onClick={onReset}>
          Leave the splitting to the service
        </button>
      </div>
    </div>
  );
}
