import { useState } from 'preact/hooks';

/** A button that copies a text. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setIsDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsDone(true);
    setTimeout(() => setIsDone(false), 2_000);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy().catch(() => undefined)}>
      {isDone ? 'Copied' : label}
    </button>
  );
}
