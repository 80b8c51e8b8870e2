import type { Waiting } from 'contract/approvals.ts';
import { type SubmitEvent, useState } from 'react';
import type { z } from 'zod';
import { useEdits } from '#panel/ui/edits.ts';

type Options<Draft, Settings> = {
  stored: Draft;
  version: number;
  /** The change of these settings that waits for a second approver. */
  waiting: Waiting | null;
  /** Parses the input with the schema of the server. */
  read: (draft: Draft) => z.ZodSafeParseResult<Settings>;
  /** The error text of an invalid field. */
  formatIssue: (issue: z.core.$ZodIssue) => string;
  /** The error text of an empty field, which does not mention limits and decimals. */
  missing: (field: keyof Draft) => string;
};

/** The state of a form that edits one version of a job's settings. */
export function useDraft<Draft extends object, Settings>(options: Options<Draft, Settings>) {
  const { stored, version, waiting, read, formatIssue, missing } = options;
  const { values, edit, forget, isOutdated, versionToSave } = useEdits(stored, version);
  const [tried, setTried] = useState(false);
  const [message, setMessage] = useState<Message>();
  const [effectiveFrom, setEffectiveFrom] = useState('');
  const result = read(values);
  return {
    values,
    isOutdated,
    /** The first day to which the settings shall apply. Empty if that is left to the server. */
    effectiveFrom,
    chooseDay: (day: string) => {
      setMessage(undefined);
      setEffectiveFrom(day);
    },
    message: message && isCurrent(message, waiting) ? message.text : undefined,
    /** Whether the form differs from the stored settings. */
    unsaved: (Object.keys(stored) as (keyof Draft)[]).some((field) => values[field] !== stored[field]),
    /** Undefined while the input is invalid. */
    settings: result.data,
    edit: (more: Partial<Draft>) => {
      setMessage(undefined);
      edit(more);
    },
    /** Nested fields are named by their path, joined with dots. */
    errorOf: (field: keyof Draft) => {
      const issue = tried && result.error?.issues.find(({ path }) => path.join('.') === field);
      if (!issue) return undefined;
      return String(values[field]).trim() === '' ? missing(field) : formatIssue(issue);
    },
    onSubmit: (save: (body: SaveBody<Settings>) => void) => (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      setTried(true);
      setMessage(undefined);
      const day = effectiveFrom === '' ? {} : { effectiveFrom };
      if (result.success) save({ settings: result.data, version: versionToSave(), ...day });
      else focusFirstError(event.currentTarget);
    },
    /** Shows the result of a save. If it is a request, the text disappears once that is decided. */
    saved: (text: string, request: Waiting | null) => {
      setMessage({ text, request: request?.approval });
      setTried(false);
      setEffectiveFrom('');
      forget();
    },
  };
}

type SaveBody<Settings> = { settings: Settings; version: number; effectiveFrom?: string };

type Message = { text: string; request: string | undefined };

const isCurrent = ({ request }: Message, waiting: Waiting | null) =>
  request === undefined || request === waiting?.approval;

/** Focuses the first invalid field, one frame later because React marks the fields first. */
export function focusFirstError(form: HTMLFormElement) {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** Parses the text of a number field. An empty field is NaN instead of 0. */
export const numberIn = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));

export const percentText = (basisPoints: number) => String(basisPoints / 100);

export const percentageRule = 'Enter a percentage from 0 to 100, with at most two decimals.';
