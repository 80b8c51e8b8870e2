import { readConfig } from './config.ts';
import { openLog } from './core/log.ts';
import { serve } from './serve.ts';
import { runUntilStopped } from './stop.ts';

const config = readConfig();
const log = openLog(config.logLevel);
await runUntilStopped(log, () => serve(config, log));
