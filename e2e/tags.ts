/** For what only one of the two sizes has, such as the sidebar or the drawer. */
export const desktopOnly = { tag: '@desktop' };
export const phoneOnly = { tag: '@phone' };

/** For what is no question of size or theme: what a server refuses, what one administrator sees of another. */
export const onceOnly = { tag: '@once' };

/** For the commit gate: on the desktop, on the phone too, once in all, on the desktop only, or on the phone only. */
export const inGate = { tag: '@gate' };
export const inGateOnBoth = { tag: ['@gate', '@gate-phone'] };
export const inGateOnce = { tag: ['@gate', '@once'] };
export const inGateDesktop = { tag: ['@gate', '@desktop'] };
export const inGatePhone = { tag: ['@gate-phone', '@phone'] };
