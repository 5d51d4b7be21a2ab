import type { ErrorFrame, ErrorOccurrence } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { removedMarks } from '@probe-mesh/contracts/error-tracking/removed'

/** A text of an event: what scrubbing left of it, with what it removed marked. */
export const scrubbed = (text: string): Html =>
  html`${text.split(removedMarks).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`

/** A value of an event, of any shape. */
const scrubbedValue = (value: unknown): Html =>
  scrubbed(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a key holds as a text; empty where it holds none. */
const textIn = (value: unknown, key: string): string => {
  const held = isRecord(value) ? value[key] : undefined
  if (typeof held === 'string' || typeof held === 'number') return String(held)
  return ''
}

/** Shown open; the rest one may open. */
const openFirst = 1

const placeOf = ({ file, line, column }: ErrorFrame): string =>
  [file ?? 'unknown file', line, line === null ? null : column].filter((part) => part !== null).join(':')

/** Those of the application first, each part in the order of the stack. Pure. */
export const inAppFirst = (frames: readonly ErrorFrame[]): ErrorFrame[] => [
  ...frames.filter(({ inApp }) => inApp),
  ...frames.filter(({ inApp }) => !inApp),
]

/** By frame that was read by a source map: where it is in the built file. Pure. */
const builtPlaces = (frames: readonly ErrorFrame[], sourceMaps: unknown): ReadonlyMap<ErrorFrame, string> => {
  const minified = isRecord(sourceMaps) ? sourceMaps['minified'] : undefined
  const places = new Map<ErrorFrame, string>()
  for (const each of Array.isArray(minified) ? (minified as unknown[]) : []) {
    const frame = frames[Number(textIn(each, 'frame') || Number.NaN)]
    const parts = [textIn(each, 'file'), textIn(each, 'line'), textIn(each, 'column')]
    if (frame !== undefined) places.set(frame, parts.filter((part) => part !== '').join(':'))
  }
  return places
}

const framesTable = (
  frames: readonly ErrorFrame[],
  built: ReadonlyMap<ErrorFrame, string>,
  when: string,
): Html =>
  frames.length === 0
    ? html`<p>It came without a stack.</p>`
    : table<ErrorFrame>(
        `Stack of ${when}: frames of the application first, then of what it uses; where it was thrown comes first of each`,
        [
          {
            heading: 'Where',
            cell: (frame) => {
              const from = built.get(frame)
              return html`<code>${scrubbed(placeOf(frame))}</code>${
                  from !== undefined &&
                  html` <span class="muted">by source map, from <code>${scrubbed(from)}</code></span>`
                }`
            },
          },
          {
            heading: 'Function',
            cell: (frame) =>
              frame.function === null ? none : html`<code>${scrubbed(frame.function)}</code>`,
          },
          { heading: 'Of', cell: ({ inApp }) => (inApp ? 'the application' : 'what it uses') },
        ],
        inAppFirst(frames),
      )

const listed = (of: Readonly<Record<string, unknown>>): Html =>
  html`<dl>
    ${Object.entries(of).map(
      ([key, value]) =>
        html`<dt>${named(key)}</dt>
          <dd>
            ${isRecord(value) || Array.isArray(value) ? html`<pre>${scrubbedValue(value)}</pre>` : scrubbedValue(value)}
          </dd> `,
    )}
  </dl>`

const crumbTime = (crumb: unknown): Piece => {
  const at = textIn(crumb, 'timestamp')
  // SDKs send seconds or text; what is neither is shown as it came
  const ms = /^\d+(\.\d+)?$/.test(at) ? Number(at) * 1_000 : Date.parse(at)
  if (!(Math.abs(ms) <= 8.64e15)) return at === '' ? none : at
  const instant = new Date(ms).toISOString()
  // a year of more than four digits would be cut in its middle
  return instant.length === 24 ? time(instant) : instant
}

const crumbsTable = (crumbs: readonly unknown[], when: string): Html =>
  table<unknown>(
    `Breadcrumbs of ${when}, as they were sent`,
    [
      { heading: 'When', cell: crumbTime },
      { heading: 'Category', cell: (crumb) => scrubbed(textIn(crumb, 'category') || none) },
      { heading: 'Level', cell: (crumb) => scrubbed(textIn(crumb, 'level') || none) },
      {
        heading: 'Message',
        cell: (crumb) => scrubbed(textIn(crumb, 'message') || none),
      },
      {
        heading: 'Data',
        cell: (crumb) => (isRecord(crumb) && 'data' in crumb ? scrubbedValue(crumb['data']) : none),
      },
    ],
    crumbs,
  )

/** One occurrence with all that is kept of it. */
const occurrenceHtml = (occurrence: ErrorOccurrence, isOpen: boolean): Html => {
  const { at, id, message, release, frames } = occurrence
  const { tags, breadcrumbs, ...context } = occurrence.context
  const crumbs = Array.isArray(breadcrumbs) ? (breadcrumbs as unknown[]) : []
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
  return html`<details ${isOpen ? html` open` : null}>
    <summary>${time(at)}, ${release === null ? 'no release named' : named(release)}</summary>
    <p class="prose">${scrubbed(message)}</p>
    <p class="muted">Event <code>${id}</code></p>
    ${framesTable(frames, builtPlaces(frames, context['sourceMaps']), when)}
    <h3>Tags</h3>
    ${isRecord(tags) && Object.keys(tags).length > 0 ? listed(tags) : html`<p>It came without tags.</p>`}
    <h3>Breadcrumbs</h3>
    ${crumbs.length > 0 ? crumbsTable(crumbs, when) : html`<p>It came without breadcrumbs.</p>`}
    <h3>Context</h3>
    ${Object.keys(context).length > 0 ? listed(context) : html`<p>It came without context.</p>`}
  </details> `
}

/** The newest occurrences, and how many there are beside. */
export const occurrenceSection = (recent: readonly ErrorOccurrence[], total: number): Html => html`
  <h2>Recent occurrences</h2>
  ${
    recent.length === 0
      ? html`<p>No occurrence is at hand: what an issue counts is kept longer than each of them.</p>`
      : html`<p>
            The newest ${recent.length} of ${total}. Before anything was stored, what looked secret was
            removed: <mark>[removed: what it was]</mark> stands where it was.
          </p>
          ${recent.map((each, index) => occurrenceHtml(each, index < openFirst))}`
  }
`
