import type { Typed } from '../html/components/form.ts'

/**
 * What was typed, to be sent and to be shown again. Browsers end lines with CR LF whatever was typed;
 * what is kept ends them with LF. Of a name that came twice, the last.
 */
export const typedOf = (form: URLSearchParams): Typed =>
  Object.fromEntries([...form].map(([name, value]) => [name, value.replace(/\r\n?/g, '\n')]))

/** Of a field that may be empty: null clears it. */
export const orNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text
