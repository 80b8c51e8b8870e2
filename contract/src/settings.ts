import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';

export type Theme = z.output<typeof Theme>;
export const Theme = z.enum(['light', 'dark']);

export const FullName = z.string().trim().min(1).max(120);
export const Email = z.string().trim().pipe(z.email().max(254));

/** The settings of one administrator. Empty, at version 0, until they are first saved. */
export type Settings = z.output<typeof Settings>;
export const Settings = z.object({
  fullName: z.string(),
  email: z.string(),
  theme: Theme,
  notifications: z.boolean(),
  version: z.int(),
  updatedAt: Timestamp.nullable(),
});

export const readSettings = endpoint({
  feature: 'settings',
  method: 'GET',
  url: '/api/settings',
  access: 'settings.own',
  summary: 'Read your own settings',
  answer: z.object({ settings: Settings }),
  refusals: {},
});

export const saveSettings = endpoint({
  feature: 'settings',
  method: 'POST',
  url: '/api/settings',
  access: 'settings.own',
  summary: 'Save your own settings',
  body: z.strictObject({
    fullName: FullName,
    email: Email,
    theme: Theme,
    notifications: z.boolean(),
    version: z.int(),
  }),
  answer: z.object({ settings: Settings }),
  refusals: {
    409: {
      SettingsConflict: 'These settings were saved in another window. Check the new values and save again.',
    },
  },
});
