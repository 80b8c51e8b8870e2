const idleMs = 5 * 60_000;

let lastActivity = Date.now();

function noteActivity() {
  lastActivity = Date.now();
}

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const) {
  window.addEventListener(event, noteActivity, { passive: true, capture: true });
}

/** Returns whether the user was active recently. Automatic refreshes must not keep an abandoned session alive. */
export const isAttended = () => Date.now() - lastActivity < idleMs;
