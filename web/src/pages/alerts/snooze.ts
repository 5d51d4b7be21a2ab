import { instantOf, typedOfInstant } from '../../html/local-time.ts'

const dayMs = 86_400_000

/** The choices of a snooze. @param zone of the member */
export const snoozeChoices = (zone: string): { value: string; label: string }[] => [
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: 'tomorrow', label: `until tomorrow 09:00 (${zone})` },
]

/** Tomorrow at 09:00 in a zone, also where a clock changes in between. */
export const tomorrowMorning = (nowMs: number, zone: string): string => {
  const [today = ''] = typedOfInstant(nowMs, zone).split('T')
  const tomorrow = new Date(Date.parse(`${today}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
  return instantOf(`${tomorrow}T09:00`, zone)
}

/** The submitted form as the API's body. Typed minutes count before the choice; the API refuses wrong ones. */
export const snoozeBody = (
  form: URLSearchParams,
  { nowMs, zone }: { nowMs: number; zone: string },
): { minutes: number } | { until: string } => {
  const typed = form.get('minutes')?.trim() ?? ''
  if (typed !== '') return { minutes: Number(typed) }
  const chosen = form.get('for') ?? ''
  return chosen === 'tomorrow' ? { until: tomorrowMorning(nowMs, zone) } : { minutes: Number(chosen) }
}
