/** The result of one check. A warning is something to know; a failure is something that does not work. */
export type Finding = { state: 'ok' | 'warning' | 'failure'; line: string };

export const ok = (line: string): Finding => ({ state: 'ok', line });
export const warning = (line: string): Finding => ({ state: 'warning', line });
export const failure = (line: string): Finding => ({ state: 'failure', line });
