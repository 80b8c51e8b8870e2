export const payErrand = { name: 'runs.pay', unending: true } as const;
export const planErrand = { name: 'runs.plan', unending: true } as const;
