import { readFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';

/** Packages whose versions affect the results. */
const reportedPackages = [
  'hono',
  '@hono/node-server',
  '@hono/zod-openapi',
  'zod',
  '@redis/client',
  '@opentelemetry/sdk-trace-node',
];

/** Hardware and versions, as paragraphs of Markdown. */
export async function describeMachine(): Promise<string[]> {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const kind = cpu?.model.trim() ?? 'unknown';
  const { version, dependencies } = await readPackage();
  const versions = reportedPackages.map((name) => `${name} ${dependencies[name]}`).join(', ');
  return [
    `${day}, ${cpus().length} cores (${kind}), ${gibibytes} GiB, ${process.platform} ${process.arch}.`,
    `orchestration-service ${version}, Node ${process.versions.node}, V8 ${process.versions.v8}, ${versions}.`,
    ...loadWarning(),
  ];
}

/** A warning if the machine was busy before the benchmarks started. */
function loadWarning(): string[] {
  const load = loadavg()[0] ?? 0;
  if (load < cpus().length / 2) return [];
  return [
    `**The machine was busy** before the benchmarks started (load average ${load.toFixed(1)}): the results are rough.`,
  ];
}

/** Begins a part whose figures depend on other load; returns the function that describes that load at its end. */
export function observeLoad(): () => string {
  const [before = 0] = loadavg();
  return () => {
    const [after = 0] = loadavg();
    return `The load average of the machine was ${before.toFixed(1)} before these measurements and ${after.toFixed(1)} after them, their own load included.`;
  };
}

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

async function readPackage(): Promise<Package> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text) as Package;
}
