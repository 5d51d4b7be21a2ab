/** How long readings (`rawDays`) and their hourly figures (`hourDays`) are kept, in days, by plan (S-719). */
export const retentionDefault = {
  free: { rawDays: 7, hourDays: 90 },
  growth: { rawDays: 30, hourDays: 400 },
  scale: { rawDays: 90, hourDays: 800 },
} as const
