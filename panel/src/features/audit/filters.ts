import type { AuditEntry, readAuditChoices } from 'contract/audit.ts';
import { systemCaller } from 'contract/audit-filter.ts';
import type { Answer } from 'contract/core/endpoint.ts';
import { featureOfAction, formatAction, formatArea } from '#panel/domain/audit-action.ts';
import type { Filter } from '#panel/ui/table/filters.tsx';
import type { AuditSearch } from './search.ts';

type Known = {
  choices: Answer<typeof readAuditChoices> | undefined;
  entries: readonly AuditEntry[] | undefined;
};

/** The item and the days are set elsewhere, and can only be removed here. The actions are those of the chosen area. */
export function filtersOf(search: AuditSearch, { choices, entries }: Known): Filter[] {
  const { caller, feature, action, subject, from, to } = search;
  const actions = choices?.actions ?? [];
  const area = feature ?? (action && featureOfAction(action));
  const nameOfSubject = entries?.find((entry) => entry.subject === subject)?.subjectName;
  return [
    { key: 'feature', label: 'Area', value: feature, choices: areasOf(actions) },
    {
      key: 'action',
      label: 'Action',
      value: action,
      choices: actions
        .filter((one) => featureOfAction(one) === area)
        .map((one) => ({ value: one, label: formatAction(one) })),
    },
    { key: 'caller', label: 'By', value: caller, choices: callersOf(choices?.callers ?? []) },
    { key: 'subject', label: 'Item', value: subject && (nameOfSubject ?? subject), choices: [] },
    { key: 'from', label: 'From', value: from, choices: [] },
    { key: 'to', label: 'To', value: to, choices: [] },
  ];
}

function areasOf(actions: readonly string[]) {
  const features = [...new Set(actions.map(featureOfAction))];
  const areas = features.map((feature) => ({ value: feature, label: formatArea(feature) }));
  return areas.toSorted((one, other) => one.label.localeCompare(other.label));
}

const callersOf = (callers: Answer<typeof readAuditChoices>['callers']) => [
  ...callers.map(({ id, name, isKey }) => ({ value: id, label: isKey ? `${name} (API key)` : name })),
  { value: systemCaller, label: 'System' },
];
