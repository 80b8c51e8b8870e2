export const planTask = { name: 'runs.plan', unending: true } as const;
