import { z } from 'zod';

/** Names a user where little else about them is needed. It is apart from the other schemas of users, so that a screen that shows only this loads only this. */
export const UserRef = z.object({ id: z.uuid(), userId: z.string(), username: z.string() });
