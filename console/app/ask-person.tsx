import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { asked, person, tellPerson } from './person.ts';

/**
 * The dialog that asks for the name of the reader, while an action waits for it. A page that uses `withPerson` has it
 * once.
 */
export function AskPerson() {
  const act = asked.value;
  return act === undefined ? null : <Asking />;
}

function Asking() {
  const [name, setName] = useState(person.value);
  return (
    <Dialog
      title="Who are you?"
      onClose={() => {
        asked.value = undefined;
      }}
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          tellPerson(name);
        }}
      >
        <TextField
          label="Your name"
          value={name}
          onChange={setName}
          hint="Recorded with what you decide. This browser keeps it."
        />
        <footer class="dialog-actions">
          <button type="submit" class="button-main" disabled={name.trim() === ''}>
            Continue
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
