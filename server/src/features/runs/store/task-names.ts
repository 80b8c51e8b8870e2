export const payTask = { name: 'runs.pay', unending: true } as const;
export const planTask = { name: 'runs.plan', unending: true } as const;
