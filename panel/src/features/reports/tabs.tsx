import { ReportTab } from 'contract/reports.ts';
import { type KeyboardEvent, useRef } from 'react';
import { tabLabels } from './report-text.ts';
import '#panel/ui/tabs.css';

type Props = { chosen: ReportTab; choose: (tab: ReportTab) => void; panelId: string };

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

export const tabId = (tab: ReportTab) => `report-tab-${tab}`;

export function ReportTabs({ chosen, choose, panelId }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const moveFocus = (event: KeyboardEvent) => {
    const tabs = ReportTab.options;
    const next = tabs[steps[event.key]?.(tabs.indexOf(chosen), tabs.length - 1) ?? -1];
    if (!next) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelector<HTMLElement>(`#${tabId(next)}`)?.focus();
  };
  return (
    <div ref={list} className="tabs" role="tablist" aria-label="Reports">
      {ReportTab.options.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={tabId(tab)}
          className="tab"
          aria-selected={tab === chosen}
          aria-controls={panelId}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => choose(tab)}
          onKeyDown={moveFocus}
        >
          {tabLabels[tab]}
        </button>
      ))}
    </div>
  );
}
