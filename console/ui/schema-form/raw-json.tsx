import { useState } from 'preact/hooks';
import { TextField } from '../fields.tsx';
import { isSame, type Json } from './values.ts';

interface RawJsonProps {
  readonly label: string;
  readonly value: Json | undefined;
  /** Gets the value of each text that is JSON; undefined for an empty text. */
  readonly onChange: (value: Json | undefined) => void;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly lines?: number;
  /** Told when the text stops or starts to be JSON. */
  readonly onProblem?: ((problem: string | undefined) => void) | undefined;
}

/** A value as JSON in a text field. A text that is not JSON stays, and is said to be none. */
export function RawJson(props: RawJsonProps) {
  const { label, value, onChange, hint, error, lines = 4, onProblem } = props;
  const [text, setText] = useState(() => toText(value));
  const read = readJson(text);
  // The value was changed elsewhere, so that the text no longer says what it is.
  const shown = 'problem' in read || isSame(read.value, value) ? text : toText(value);
  const change = (next: string): void => {
    setText(next);
    const now = readJson(next);
    onProblem?.('problem' in now ? now.problem : undefined);
    if (!('problem' in now)) onChange(now.value);
  };
  return (
    <TextField
      label={label}
      value={shown}
      onChange={change}
      hint={hint}
      error={'problem' in read ? read.problem : error}
      lines={lines}
      isCode
    />
  );
}

const toText = (value: Json | undefined): string =>
  value === undefined ? '' : JSON.stringify(value, null, 2);

function readJson(text: string): { readonly value: Json | undefined } | { readonly problem: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    const value: Json = JSON.parse(text);
    return { value };
  } catch (thrown) {
    return { problem: `not JSON: ${thrown instanceof Error ? thrown.message : 'cannot be read'}` };
  }
}
