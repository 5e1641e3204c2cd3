import type { Metrics } from '../../../src/adapters/telemetry/prometheus.ts';

/** One sample of a text exposition. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric of a text exposition. */
export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const header = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[-+]?[0-9.]+(?:e[-+]?[0-9]+)?)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/y;

/** Parses Prometheus text exposition format, version 0.0.4. Throws if the text is invalid. */
export function readExposition(body: string): Map<string, Family> {
  if (!body.endsWith('\n')) throw new Error('the last line has no line feed');
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  const seen = new Set<string>();
  for (const line of body.split('\n')) {
    if (line === '') continue;
    const [, word, about = '', text = ''] = header.exec(line) ?? [];
    if (word === 'HELP') {
      if (families.has(about)) throw new Error(`described twice: ${about}`);
      families.set(about, { type: '', help: text, samples: [] });
    } else if (word === 'TYPE') {
      const family = families.get(about);
      if (family === undefined || family.samples.length > 0) throw new Error(`out of place: ${line}`);
      family.type = text;
    } else {
      const read = readSample(line);
      const family = families.get(read.name) ?? families.get(read.name.replace(/_(bucket|sum|count)$/, ''));
      if (family === undefined) throw new Error(`of no metric: ${line}`);
      const series = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(series)) throw new Error(`sampled twice: ${series}`);
      seen.add(series);
      family.samples.push(read);
    }
  }
  return families;
}

function readSample(line: string): Sample {
  const [, name, text = '', value] = sample.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    const [, key, escaped] = label.exec(text) ?? [];
    if (key === undefined || escaped === undefined) throw new Error(`no labels: ${line}`);
    labels[key] = escaped.replace(/\\(.)/g, (_all, unit: string) => (unit === 'n' ? '\n' : unit));
    at = label.lastIndex;
  }
  return { name, labels, value: Number(value?.replace('Inf', 'Infinity')) };
}

/** Reads all metrics as Prometheus does. */
export async function scrape(metrics: Metrics): Promise<Map<string, Family>> {
  return readExposition((await metrics.exposition()).body);
}

/** The value of a sample with exactly these labels; undefined where there is none. */
export function value(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const wanted = JSON.stringify(Object.entries(labels).sort());
  return family?.samples.find(
    (sample) => sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
  )?.value;
}
