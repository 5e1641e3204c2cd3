import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Intent, intents } from '../../../domain/message/message.ts';
import type { Playbook, PlaybookIntent } from '../../../domain/message/playbook.ts';
import { type PlaybookFile, playbookSchema } from './schema.ts';

/** The built-in playbook, shipped with the package. */
const BUILT_IN = new URL('../../../../playbook/playbook.yaml', import.meta.url);

let builtIn: Playbook | undefined;

/** Reads the built-in playbook, once for the process. Throws where the file is not valid, which the tests rule out. */
export function loadBuiltInPlaybook(): Playbook {
  builtIn ??= toPlaybook(playbookSchema.parse(parse(readFileSync(BUILT_IN, 'utf8'))));
  return builtIn;
}

function toPlaybook(file: PlaybookFile): Playbook {
  const named = new Map(file.intents.map((intent) => [intent.name, intent]));
  const intentOf = (name: Intent): PlaybookIntent => {
    const stated = named.get(name);
    if (stated === undefined) throw new Error(`the playbook has no intent ${name}`);
    return toIntent(stated);
  };
  return {
    company: file.company,
    intents: Object.fromEntries(intents.map((name) => [name, intentOf(name)])) as Playbook['intents'],
    concerns: file.concerns,
  };
}

function toIntent(stated: PlaybookFile['intents'][number]): PlaybookIntent {
  const { threshold = 0, not_found, handover, tool, ...same } = stated;
  return { ...same, threshold, tool, handover: handover === 'always', notFound: not_found };
}
