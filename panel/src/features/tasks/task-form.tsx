import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { writeAmount } from 'contract/core/money.ts';
import { changeTask, createTask, refuseTaskChange, type Task, TaskStatus } from 'contract/tasks.ts';
import { useState } from 'react';
import type { z } from 'zod';
import { Button } from '#panel/ui/button.tsx';
import { useEdits } from '#panel/ui/edits.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useChangeTask, useCreateTask } from './api.ts';

type Field = 'title' | 'userId' | 'postUrl' | 'reward' | 'deadline' | 'description';
type Values = Record<Field, string> & { status: TaskStatus };

/** The error texts of empty required fields. */
const missing: Record<Exclude<Field, 'description'>, string> = {
  title: 'Enter a title.',
  userId: 'Enter the ID of a user.',
  postUrl: 'Enter a web address.',
  reward: 'Enter a reward.',
  deadline: 'Choose a day.',
};

/** The error texts of invalid values. */
const rules: Record<Field, string> = {
  title: 'Use at most 200 characters.',
  userId: 'Use at most 64 characters.',
  postUrl: 'Enter a web address that starts with http:// or https://.',
  reward: 'Enter dollars from 0.000001 to 1,000,000.',
  deadline: 'Choose a day.',
  description: 'Use at most 5,000 characters.',
};

const ruleFor = (field: Field, value: string) =>
  field !== 'description' && value.trim() === '' ? missing[field] : rules[field];

const blank: Values = {
  title: '',
  userId: '',
  postUrl: '',
  reward: '',
  deadline: '',
  description: '',
  status: 'Active',
};

function valuesOf({ title, userId, postUrl, reward, deadline, description, status }: Task): Values {
  return { title, userId, postUrl, reward: writeAmount(reward, 'USD'), deadline, description, status };
}

const { TaskConflict, TaskRewarded } = changeTask.refusals[409];

/** Mounted only while the modal is open. Untouched fields follow the record if someone else changes it. */
export function TaskForm({ task, onClose }: { task?: Task; onClose: () => void }) {
  const recorded = task ? valuesOf(task) : blank;
  const { values, edit, isOutdated, versionToSave } = useEdits(recorded, task?.version ?? 0);
  const [tried, setTried] = useState(false);
  const [opened] = useState(recorded);
  const { save, isPending, saved, failure } = useSaving({ task, versionToSave, onSaved: onClose });
  const { wrong, send } = save(values);
  const submit = () => {
    setTried(true);
    if (!isPending) send?.();
  };
  const rewarded = task && refuseTaskChange(task) ? TaskRewarded : undefined;
  const notice = rewarded ?? (isOutdated && !isPending && !saved ? TaskConflict : undefined);
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {notice && <Notice tone="waiting">{notice}</Notice>}
      <FormFields saving={isPending}>
        <Fields
          values={values}
          overtakenBy={(field) => (isOutdated && recorded[field] !== opened[field] ? recorded[field] : undefined)}
          errorOf={(field) => {
            if (field === 'userId' && failure?.code === 'UserNotFound') return failure.message;
            return tried && wrong.has(field) ? ruleFor(field, values[field]) : undefined;
          }}
          edit={edit}
        />
        {task && (
          <NativeSelect
            label="Status"
            data={TaskStatus.options}
            value={values.status}
            onChange={({ currentTarget }) => edit({ status: TaskStatus.parse(currentTarget.value) })}
          />
        )}
      </FormFields>
      <Failed failure={failure} notice={notice} />
      <ModalActions waiting={isPending}>
        <Button type="submit" loading={isPending} disabledReason={rewarded}>
          {task ? 'Save Task' : 'Create Task'}
        </Button>
      </ModalActions>
    </form>
  );
}

type Saving = { task: Task | undefined; versionToSave: () => number; onSaved: () => void };

function useSaving({ task, versionToSave, onSaved }: Saving) {
  const creating = useCreateTask({ onSaved });
  const changing = useChangeTask({ onSaved });
  const save = ({ status, ...form }: Values) =>
    task
      ? outcome(changeTask.body.safeParse({ ...form, status, version: task.version }), (body) =>
          changing.mutate({ params: { id: task.id }, body: { ...body, version: versionToSave() } }),
        )
      : outcome(createTask.body.safeParse(form), (body) => creating.mutate({ body }));
  return {
    save,
    isPending: creating.isPending || changing.isPending,
    saved: creating.isSuccess || changing.isSuccess,
    failure: creating.error ?? changing.error,
  };
}

/** Returns the invalid fields, and a function that sends the body if all fields are valid. */
function outcome<Body>({ data, error }: z.ZodSafeParseResult<Body>, send: (body: Body) => void) {
  const wrong = new Set(error?.issues.map(({ path }) => path[0]));
  return { wrong, send: data && (() => send(data)) };
}

type Failure = ReturnType<typeof useSaving>['failure'];

/** Skips errors that are already shown at a field or above the form. */
function Failed({ failure, notice }: { failure: Failure; notice: string | undefined }) {
  if (!failure || failure.code === 'UserNotFound' || failure.message === notice) return null;
  return (
    <Notice tone="bad" reference={failure.reference}>
      {failure.message}
    </Notice>
  );
}

type FieldsProps = {
  values: Values;
  /** The value that someone else saved while this form was open. */
  overtakenBy: (field: Field) => string | undefined;
  errorOf: (field: Field) => string | undefined;
  edit: (more: Partial<Values>) => void;
};

function Fields({ values, overtakenBy, errorOf, edit }: FieldsProps) {
  const first = useFocusOnArrival<HTMLInputElement>();
  const input = (field: Field) => {
    const theirs = overtakenBy(field);
    const differs = theirs !== undefined && theirs !== values[field];
    return {
      value: values[field],
      error: errorOf(field),
      onChange: ({ currentTarget }: { currentTarget: { value: string } }) => edit({ [field]: currentTarget.value }),
      ...(differs && { description: `Changed to “${theirs}” by someone else.` }),
    };
  };
  return (
    <>
      <TextInput label="Title" required data-autofocus ref={first} maxLength={200} {...input('title')} />
      <TextInput label="User ID" required autoComplete="off" maxLength={64} {...input('userId')} />
      <TextInput label="Post URL" type="url" required placeholder="https://" maxLength={2_000} {...input('postUrl')} />
      <div className="form-row">
        <TextInput
          label="Reward in dollars"
          type="number"
          inputMode="decimal"
          min={0}
          step="any"
          required
          {...input('reward')}
        />
        <TextInput label="Deadline" type="date" required {...input('deadline')} />
      </div>
      <Textarea label="Description" rows={4} maxLength={5_000} {...input('description')} />
    </>
  );
}
