/** For features of only one of the two sizes, such as the sidebar or the drawer. */
export const desktopOnly = { tag: '@desktop' };
export const phoneOnly = { tag: '@phone' };

/** For behavior that does not depend on size or theme, such as refusals of the server or live updates. */
export const onceOnly = { tag: '@once' };

/** For the commit gate: on desktop, on desktop and phone, once in total, on desktop only, or on phone only. */
export const inGate = { tag: '@gate' };
export const inGateOnBoth = { tag: ['@gate', '@gate-phone'] };
export const inGateOnce = { tag: ['@gate', '@once'] };
export const inGateDesktop = { tag: ['@gate', '@desktop'] };
export const inGatePhone = { tag: ['@gate-phone', '@phone'] };
