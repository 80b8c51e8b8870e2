type Level = 'error' | 'warn' | 'info';

let complaints: string[] = [];
let lines: { level: Level; text: string }[] = [];

/** Fails the running test, whatever it checks. */
export const complain = (complaint: string) => complaints.push(complaint);

export function resetWatch() {
  complaints = [];
  lines = [];
}

/** Returns the errors in the page since the test started, whether or not the page shows them. */
export const whatWentWrong = () => complaints;

/** Returns what the page logged to the console at one level. */
export const loggedAt = (level: Level) => lines.filter((line) => line.level === level).map(({ text }) => text);

export function installWatch() {
  for (const level of ['error', 'warn', 'info'] as const) {
    const write = console[level].bind(console);
    console[level] = (...parts: unknown[]) => {
      const text = parts.map(String).join(' ');
      lines.push({ level, text });
      if (level !== 'error') return;
      complain(`console: ${text}`);
      write(...parts);
    };
  }
  window.addEventListener('error', ({ message, error }) => complain(`page error: ${describe(error ?? message)}`));
  window.addEventListener('unhandledrejection', ({ reason }) => complain(`unhandled rejection: ${describe(reason)}`));
}

function describe(reason: unknown) {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
