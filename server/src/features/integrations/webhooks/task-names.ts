/** Sends what is due to one webhook. */
export const sendTask = { name: 'integrations.send', unending: true } as const;
