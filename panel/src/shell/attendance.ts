const patienceMs = 5 * 60_000;

let lastSign = Date.now();

function noteSign() {
  lastSign = Date.now();
}

for (const sign of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const) {
  window.addEventListener(sign, noteSign, { passive: true, capture: true });
}

/** A window that refreshes itself must not keep the session of someone who has left alive. */
export const isAttended = () => Date.now() - lastSign < patienceMs;
