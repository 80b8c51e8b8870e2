import { z } from 'zod';
import { Day, endpoint } from './core/endpoint.ts';
import {
  HappenedAt,
  inboundLimits,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  OwnerId,
  PlatformId,
  resultsOf,
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
  user: OwnerId,
  postUrl: z.string().describe('The http or https address where the user did what the task asks for.'),
  title: z.string().trim().describe('The title of the task: 1 to 200 characters.'),
  description: z.string().trim().default('').describe('At most 5,000 characters.'),
  reward: WrittenAmount.describe('In dollars, with at most 6 decimals. An administrator decides whether it is paid.'),
  deadline: Day.describe('The last day of the task.'),
  at: HappenedAt,
});

export const storeSubmissions = endpoint({
  feature: 'tasks',
  method: 'POST',
  url: '/api/platform/task-submissions',
  access: 'tasks:write',
  summary: 'Add tasks that users submit as completed; administrators decide about their rewards',
  body: itemsOf(SubmissionItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(submissionItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [
        {
          id: 'submission-12',
          user: 'U10000001',
          postUrl: 'https://social.example/marina/posts/1',
          title: 'Tell your friends about staking',
          reward: '2.5',
          deadline: '2026-03-31',
          at: '2026-03-01T10:20:00Z',
        },
      ],
    },
    answer: { results: [{ id: 'submission-12', outcome: 'stored' }] },
  },
});
