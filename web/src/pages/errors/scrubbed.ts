import { removedMarks } from '@probe-mesh/contracts/error-tracking/removed'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** A text of an event: what scrubbing left of it, with what it removed marked. */
export const scrubbed = (text: string): Html =>
  html`${text.split(removedMarks).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`

/** A value of an event, of any shape. */
export const scrubbedValue = (value: unknown): Html =>
  scrubbed(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a key holds as a text; empty where it holds none. */
export const textIn = (value: unknown, key: string): string => {
  const held = isRecord(value) ? value[key] : undefined
  if (typeof held === 'string' || typeof held === 'number') return String(held)
  return ''
}
