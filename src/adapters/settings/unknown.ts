import { editDistance } from '../../lib/text/nearest-name.ts';
import { type Environment, isSet, settingNames } from './settings.ts';

/** A variable that looks like a setting and is none. */
export interface UnknownSetting {
  readonly variable: string;
  /** The setting that was probably meant. */
  readonly nearest: string;
}

/** Beginnings that nobody else uses: every variable with one of them is meant for this service. */
const ownPrefixes = [
  'EMBEDDING_',
  'ESCALATION_',
  'IDEMPOTENCY_',
  'INBOX_',
  'KVSTORE_',
  'LLM_',
  'OUTBOUND_',
  'RATE_LIMIT_',
];

/** Variables that OpenTelemetry's SDK reads, or that Kubernetes sets for each service of a namespace. */
const foreign =
  /^OTEL_|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?$/;

/** The value that Kubernetes gives to `<SERVICE>_PORT`. */
const serviceLink = /^(?:tcp|udp|sctp):\/\//;

/** Shorter names are too near to what other programs use, such as `HOME` to `HOST`. */
const MIN_LENGTH = 7;

/** The variables that look like settings and are none, sorted. Values are not part of the answer. */
export function findUnknownSettings(environment: Environment): readonly UnknownSetting[] {
  return Object.keys(environment)
    .filter((name) => isSet(name, environment[name]) && !settingNames.has(name))
    .filter((name) => name.length >= MIN_LENGTH && !isForeign(name, environment[name] ?? ''))
    .sort()
    .flatMap((variable) => {
      const nearest = nearestSetting(variable);
      return nearest === undefined ? [] : [{ variable, nearest }];
    });
}

function isForeign(name: string, value: string): boolean {
  return foreign.test(name) || (name.endsWith('_PORT') && serviceLink.test(value));
}

/**
 * The setting with the fewest edits among those that the name may mean; undefined where there is none. One whose last
 * words were left out, such as its unit, is the nearest.
 */
function nearestSetting(variable: string): string | undefined {
  const name = variable.toUpperCase();
  const isOwn = ownPrefixes.some((prefix) => name.startsWith(prefix));
  let best: { readonly setting: string; readonly distance: number } | undefined;
  for (const setting of settingNames) {
    const isShortened = name.includes('_') && setting.startsWith(`${name}_`);
    if (!isShortened && !isOwn && Math.abs(name.length - setting.length) > farthest(name)) continue;
    const distance = isShortened ? 0 : editDistance(name, setting);
    if (mayMean(name, setting, distance) && (best === undefined || distance < best.distance)) {
      best = { setting, distance };
    }
  }
  return best?.setting;
}

/** A name with the first word of a setting may differ more than one without: other programs have words of their own. */
function mayMean(name: string, setting: string, distance: number): boolean {
  if (ownPrefixes.some((prefix) => name.startsWith(prefix) && setting.startsWith(prefix))) return true;
  if (distance === 0) return true;
  if (setting.length < MIN_LENGTH) return false;
  const isSameWord = name.split('_', 1)[0] === setting.split('_', 1)[0] && name.includes('_');
  return distance <= (isSameWord ? farthest(name) : Math.min(2, Math.floor(name.length / 8)));
}

/** The most edits between a name and the setting that it means, where both begin with the same word. */
function farthest(name: string): number {
  return Math.floor(name.length / 4);
}
