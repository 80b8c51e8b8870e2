import { z } from 'zod';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import {
  inboundBytes,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  PlatformId,
  resultsOf,
  ShownId,
  WrittenAmount,
} from './core/inbound.ts';

const { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid } = itemRefusals;

export const submissionItemRefusals = {
  IdReused,
  UserUnknown,
  UserDeleted,
  AmountInvalid,
  TimeInvalid,
  TextInvalid: 'The title must have 1 to 200 characters, and the description at most 5,000.',
  UrlInvalid: 'The address of the post must start with http:// or https:// and have at most 2,000 characters.',
} as const;

export type SubmissionItem = z.output<typeof SubmissionItem>;
const SubmissionItem = z.strictObject({
  id: PlatformId,
  user: ShownId,
  /** Where the user did what the task asks for. */
  postUrl: z.string(),
  title: z.string().trim(),
  description: z.string().trim().default(''),
  /** In dollars. An administrator decides whether it is paid. */
  reward: WrittenAmount,
  deadline: Day,
  at: Timestamp,
});

export const storeSubmissions = endpoint({
  feature: 'tasks',
  method: 'POST',
  url: '/api/platform/task-submissions',
  access: 'tasks:write',
  summary: 'Add tasks that users submit as completed; administrators decide about their rewards',
  body: itemsOf(SubmissionItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(submissionItemRefusals),
  refusals: inboundRefusals,
});
