import { removedMarks } from '../contracts/removed.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** A text of an event after scrubbing, with the removed parts marked. */
export const scrubbed = (text: string): Html =>
  html`${text.split(removedMarks).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`

/** Entries of a record that fit into a line. */
const inlineMax = 5

/** A value of an event, of any shape: a small record in one line, a larger one as JSON. */
export const scrubbedValue = (value: unknown): Html => {
  if (isSmall(value)) {
    return html`${Object.entries(value).map(
      ([name, part]) =>
        html`<span class="pair-of"
          ><span class="muted">${scrubbed(name)}</span> ${scrubbedValue(part)}</span
        > `,
    )}`
  }
  return isRecord(value) || Array.isArray(value)
    ? html`<pre>${scrubbed(JSON.stringify(value, null, 2))}</pre>`
    : scrubbed(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** Whether a record has a few short values and no others. */
export const isSmall = (
  value: unknown,
): value is Readonly<Record<string, string | number | boolean | null>> =>
  isRecord(value) &&
  Object.keys(value).length > 0 &&
  Object.keys(value).length <= inlineMax &&
  Object.values(value).every(
    (part) =>
      (typeof part === 'string' && part.length <= 120) ||
      (typeof part !== 'object' && typeof part !== 'string') ||
      part === null,
  )

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a key; empty where it has none. */
export const textIn = (value: unknown, key: string): string => {
  const own = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return typeof own === 'string' || typeof own === 'number' ? String(own) : ''
}

/** A list, or an empty one. */
export const listIn = (value: unknown, key: string): readonly unknown[] => {
  const own = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return Array.isArray(own) ? (own as unknown[]) : []
}
