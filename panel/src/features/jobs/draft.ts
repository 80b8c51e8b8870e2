import { type SubmitEvent, useState } from 'react';
import type { z } from 'zod';
import { useEdits } from '#panel/ui/edits.ts';

type Options<Draft, Settings> = {
  stored: Draft;
  version: number;
  /** What was typed, read by the schema by which the server reads it. */
  read: (draft: Draft) => z.ZodSafeParseResult<Settings>;
  /** What is wrong with a field, in words. */
  say: (issue: z.core.$ZodIssue) => string;
  /** What to enter, for a field that was left empty: limits and decimals are no concern of an empty field. */
  missing: (field: keyof Draft) => string;
};

/** A form over one version of a job's settings. */
export function useDraft<Draft extends object, Settings>(options: Options<Draft, Settings>) {
  const { stored, version, read, say, missing } = options;
  const { values, edit, forget, overtaken, versionToSave } = useEdits(stored, version);
  const [tried, setTried] = useState(false);
  const [said, setSaid] = useState<string>();
  const result = read(values);
  return {
    values,
    overtaken,
    said,
    /** Something stands in the form that is not stored. */
    unsaved: (Object.keys(stored) as (keyof Draft)[]).some((field) => values[field] !== stored[field]),
    /** Undefined as long as the schema refuses it. */
    settings: result.data,
    edit: (more: Partial<Draft>) => {
      setSaid(undefined);
      edit(more);
    },
    /** A field of a part of the settings is called by its path. */
    errorOf: (field: keyof Draft) => {
      const issue = tried && result.error?.issues.find(({ path }) => path.join('.') === field);
      if (!issue) return undefined;
      return String(values[field]).trim() === '' ? missing(field) : say(issue);
    },
    onSubmit:
      (save: (body: { settings: Settings; version: number }) => void) => (event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        setTried(true);
        setSaid(undefined);
        if (result.success) save({ settings: result.data, version: versionToSave() });
        else focusFirstError(event.currentTarget);
      },
    saved: (words: string) => {
      setSaid(words);
      setTried(false);
      forget();
    },
  };
}

/** The fields are marked with the next frame. */
export function focusFirstError(form: HTMLFormElement) {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** What a number field holds; nothing is no number rather than 0. */
export const numberIn = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));

export const percentText = (basisPoints: number) => String(basisPoints / 100);

export const percentageRule = 'Enter a percentage from 0 to 100, with at most two decimals.';
