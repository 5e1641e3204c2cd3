import { existsSync } from 'node:fs';

/** The process's environment, completed by a `.env` file in the working directory; the environment wins. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
