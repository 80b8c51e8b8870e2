import { openEventFile } from './event-file.ts';
import { listenForEvents } from './webhook-server.ts';

/* Receives webhooks in a process of its own, which can be killed: it answers when an event is on the disk. */
const { PORT, RECEIVED_FILE, WEBHOOK_SECRET } = process.env;
if (!PORT || !RECEIVED_FILE || !WEBHOOK_SECRET) throw new Error('Set PORT, RECEIVED_FILE and WEBHOOK_SECRET.');
const file = await openEventFile(RECEIVED_FILE);
await listenForEvents({ port: Number(PORT), secret: WEBHOOK_SECRET, onEvent: (event) => file.store(event) });
console.log('listening');
