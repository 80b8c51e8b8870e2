const dayMs = 86_400_000;

/** Timestamps of the story, relative to now. */
export type Story = ReturnType<typeof storyUntil>;

export const isoDay = (timestamp: Date) => timestamp.toISOString().slice(0, 10);

export function storyUntil(now: Date) {
  const today = now.getTime() - (now.getTime() % dayMs);
  const onDay = (day: number, time: string) => new Date(`${isoDay(new Date(day))}T${time}Z`);
  /** The Wednesday of the week before this one. */
  const wednesday = today - ((now.getUTCDay() + 6) % 7) * dayMs - 5 * dayMs;
  return {
    now,
    daysAgo: (days: number, time: string) => onDay(today - days * dayMs, time),
    lastWeek: (time: string) => onDay(wednesday, time),
    minutesAgo: (minutes: number) => new Date(now.getTime() - minutes * 60_000),
  };
}
