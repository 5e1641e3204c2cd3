import { effect, signal } from '@preact/signals';

const KEY = 'console.person';

/** The longest name that the API takes as `by`. */
const MAX_PERSON = 128;

/** The name of the reader, sent as `by` with decisions, and kept by the browser; empty until it was asked for. */
export const person = signal(stored());

/** The action that waits until the reader has given a name; the dialog {@link AskPerson} shows while it is set. */
export const asked = signal<((name: string) => void) | undefined>();

function stored(): string {
  try {
    return globalThis.localStorage?.getItem(KEY)?.slice(0, MAX_PERSON) ?? '';
  } catch {
    return '';
  }
}

effect(() => {
  try {
    globalThis.localStorage?.setItem(KEY, person.value);
  } catch {
    // The browser keeps nothing: the name holds for this page.
  }
});

/**
 * Calls `act` with the name of the reader: at once where it is known, else when it was told. Not at all if it never is.
 */
export function withPerson(act: (name: string) => void): void {
  if (person.value === '') asked.value = act;
  else act(person.value);
}

/** Takes the name that was told, and goes on with what waited for it. A name of blanks is not taken. */
export function tellPerson(name: string): void {
  const told = name.trim().slice(0, MAX_PERSON);
  if (told === '') return;
  person.value = told;
  const act = asked.value;
  asked.value = undefined;
  act?.(told);
}
