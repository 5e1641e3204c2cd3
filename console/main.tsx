import { render } from 'preact';
import { startLive } from './api/live.ts';
import { startKeys } from './app/keys.ts';
import { startNow } from './app/now.ts';
import { loadSettings } from './app/settings.ts';
import { Shell } from './app/shell.tsx';
import { startTheme } from './app/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';

startTheme();
startKeys();
startNow();
void loadSettings();
void startLive();
const root = document.getElementById('app');
if (root !== null) render(<Shell />, root);
