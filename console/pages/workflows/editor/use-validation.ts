import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, send } from '../../../api/call.ts';
import { createPace } from '../../../api/pace.ts';
import { toDefinition, type Validation, validate } from '../api.ts';
import { jsonProblem, lineOf, placesOf, pointerOfWarning } from './json-places.ts';

/** Something that is wrong with a draft, or may be. */
export interface Problem {
  readonly tone: 'bad' | 'warn';
  readonly line: number;
  readonly detail: string;
  /** The place as the service names it; empty for the whole. */
  readonly pointer: string;
}

/** The result of checking a draft. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** True where the service would store the text as it stands now; undefined while it has not said so. */
  readonly isValid: boolean | undefined;
  /** The failure of the request to the service. */
  readonly error: CallError | undefined;
  /** The definition; undefined where the text is no JSON. */
  readonly definition: unknown;
}

interface Answer {
  readonly text: string;
  readonly validation?: Validation;
  readonly error?: CallError;
}

/** Checks at most so many drafts a second. */
const CHECKS_PER_SECOND = 4;

/**
 * Checks a draft as it is typed: the newest text wins, and an answer about an older one is not shown as of this one.
 */
export function useValidation(text: string): Checked {
  const [answer, setAnswer] = useState<Answer>();
  const pace = useRef(createPace(CHECKS_PER_SECOND));
  const newest = useRef(text);
  newest.current = text;
  const broken = jsonProblem(text);

  useEffect(() => {
    if (broken !== undefined) return;
    pace.current.run(newest, () => {
      send(validate(toDefinition(text))).then(
        (validation) => text === newest.current && setAnswer({ text, validation }),
        (thrown: unknown) => {
          if (text === newest.current && thrown instanceof CallError) setAnswer({ text, error: thrown });
        },
      );
    });
    return () => pace.current.drop(newest);
  }, [text]);

  if (broken !== undefined) {
    const problem = { tone: 'bad', line: broken.line, detail: broken.detail, pointer: '' } as const;
    return { problems: [problem], isValid: false, error: undefined, definition: undefined };
  }
  const isCurrent = answer?.text === text;
  const validation = answer?.validation;
  return {
    // Those of the text before stay until the service has answered, so that the list does not flicker.
    problems: validation === undefined ? [] : problemsOf(text, validation),
    isValid: isCurrent ? validation?.valid : undefined,
    error: isCurrent ? answer.error : undefined,
    definition: JSON.parse(text),
  };
}

function problemsOf(text: string, { errors, warnings }: Validation): readonly Problem[] {
  const places = placesOf(text);
  return [
    ...errors.map(({ pointer, detail }): Problem => {
      return { tone: 'bad', line: lineOf(text, places, pointer), detail, pointer };
    }),
    ...warnings.map((detail): Problem => {
      const pointer = pointerOfWarning(detail);
      return { tone: 'warn', line: lineOf(text, places, pointer), detail, pointer: '' };
    }),
  ];
}
