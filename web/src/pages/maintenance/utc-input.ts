/** `2026-11-22T01:30` of a `datetime-local` field, with seconds where the browser has them. */
const typedShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/

/**
 * The instant that was typed into a field that asks for UTC: without scripts nobody knows the zone of
 * the reader. What is no time is sent as it is, for the API to refuse. Pure.
 */
export const instantOf = (typed: string): string => {
  if (!typedShape.test(typed)) return typed
  const [date = '', clock = ''] = typed.split('T')
  return `${date}T${clock.length === 5 ? `${clock}:00` : clock}Z`
}

/** An instant as such a field takes it, cut to the minute. */
export const typedOfInstant = (ms: number): string => new Date(ms).toISOString().slice(0, 16)
