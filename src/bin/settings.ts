import { existsSync } from 'node:fs';
import { parseSettings, type SettingsOutcome } from '../adapters/settings/settings.ts';

/** The settings of the environment and of a `.env` file in the working directory. The environment wins. */
export function loadSettings(): SettingsOutcome {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseSettings(process.env);
}
