import type { Typed } from '../html/components/form.ts'

/**
 * Submitted values, to be sent and shown again. Browsers send line breaks as CR LF; they are stored as LF.
 * The last value of a repeated name counts.
 */
export const typedOf = (form: URLSearchParams): Typed =>
  Object.fromEntries([...form].map(([name, value]) => [name, value.replace(/\r\n?/g, '\n')]))

/** For a field that may be empty: null clears it. */
export const orNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text
