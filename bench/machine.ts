import { cpus, totalmem } from 'node:os';

/** The machine and versions that figures were measured with, as one line of Markdown. */
export function machine(): string {
  const [cpu] = cpus();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}: Node ${process.versions.node}, ${cpus().length} cores of ${cpu?.model ?? 'an unknown kind'}, ${gibibytes} GiB, ${process.platform}`;
}
