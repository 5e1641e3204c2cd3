#!/usr/bin/env node
// The check runs before any import, because older versions of Node cannot load the rest of the service.

const REQUIRED_MAJOR = 24;

const found = process.versions.node;

if (Number.parseInt(found, 10) < REQUIRED_MAJOR) {
  process.stderr.write(
    `orchestration-service requires Node ${REQUIRED_MAJOR} or newer, this is Node ${found}\n`,
  );
  process.exitCode = 1;
} else {
  const { runCommand } = await import('./bin/cli.ts');
  await runCommand(process.argv.slice(2));
}
