import { useState } from 'preact/hooks';
import { Notice } from '../../../ui/states.tsx';
import { Age } from '../../../ui/time.tsx';
import type { Workflow } from '../api.ts';
import { DiffView } from '../versions/diff-view.tsx';
import { type Draft, toText } from './draft.ts';

interface BehindProps {
  /** The version that somebody else has stored. */
  readonly stored: Workflow;
  readonly draft: Draft;
  readonly definition: unknown;
  readonly onGoOn: () => void;
  readonly onDiscard: () => void;
}

/** Tells that somebody else has stored a version since the draft began. The text stays; the reader decides. */
export function Behind({ stored, draft, definition, onGoOn, onDiscard }: BehindProps) {
  const [showsDifference, setShowsDifference] = useState(false);
  return (
    <Notice tone="warn">
      <div class="stack">
        <p>
          Somebody stored version {stored.version} <Age at={stored.created_at} />; your text began from
          version {draft.base}. Nothing of yours is lost, and nothing is overwritten without you.
        </p>
        <div class="workflows-acts">
          <button
            type="button"
            aria-expanded={showsDifference}
            onClick={() => setShowsDifference(!showsDifference)}
          >
            {showsDifference ? 'Hide the differences' : `Version ${stored.version} against my text`}
          </button>
          <button type="button" onClick={onGoOn}>
            Keep my text, and put it after version {stored.version}
          </button>
          <button type="button" onClick={onDiscard}>
            Take version {stored.version}, and drop my text
          </button>
        </div>
        {showsDifference && (
          <DiffView
            before={{ definition: stored, text: toText(stored) }}
            after={{ definition, text: draft.text }}
          />
        )}
      </div>
    </Notice>
  );
}
