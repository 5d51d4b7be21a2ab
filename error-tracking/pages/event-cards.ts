import type { ErrorOccurrence } from '../contracts/error-tracking.ts'
import { card } from '@probe-mesh/web/src/html/components/card'
import { wordsOf } from '@probe-mesh/web/src/html/components/label-problems'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { named, shortDuration, time } from '@probe-mesh/web/src/html/measures'
import { counted } from './counted.ts'
import { levelMark } from './error-words.ts'
import { isRecord, isSmall, listIn, scrubbed, scrubbedValue, textIn } from './scrubbed.ts'

/** The newest breadcrumbs are in view; older ones are folded. */
const crumbsInView = 12

const instantOf = (crumb: unknown): number => {
  const text = textIn(crumb, 'timestamp')
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text)
}

const offsetMsMax = 86_400_000

/** `3.2s before`; a time that is far off, or that cannot be read, is shown as it came. */
const crumbTime = (crumb: unknown, eventMs: number): Piece => {
  const ms = instantOf(crumb)
  const differenceMs = eventMs - ms
  if (Math.abs(differenceMs) <= offsetMsMax) {
    const size = Math.abs(differenceMs)
    const text = size < 10_000 ? `${(size / 1000).toFixed(1)}s` : shortDuration(size / 1000)
    return differenceMs < 0 ? `${text} after` : `${text} before`
  }
  if (!(Math.abs(ms) <= 8.64e15)) return textIn(crumb, 'timestamp')
  const instant = new Date(ms).toISOString()
  // a year of more than four digits would be cut in its middle
  return instant.length === 24 ? time(instant) : instant
}

const dataOf = (data: unknown): Html =>
  isSmall(data)
    ? html`<p class="small-print">${scrubbedValue(data)}</p>`
    : html`<details>
        <summary>Data</summary>
        ${scrubbedValue(data)}
      </details>`

const crumbItem = (crumb: unknown, eventMs: number): Html => {
  const [category, level, message] = ['category', 'level', 'message'].map((key) => textIn(crumb, key))
  const data = isRecord(crumb) ? crumb['data'] : undefined
  return html`<li>
    <p>
      ${category !== '' && html`<strong>${scrubbed(category ?? '')}</strong> `}
      ${level !== '' && level !== 'info' && html`${levelMark(level ?? '')} `}
      <span class="muted">${crumbTime(crumb, eventMs)}</span>
    </p>
    ${message !== '' && html`<p class="message">${scrubbed(message ?? '')}</p>`}
    ${data !== undefined && dataOf(data)}
  </li>`
}

/** What the program did before the event, oldest first. */
export const breadcrumbsCard = ({ at, context }: Pick<ErrorOccurrence, 'at' | 'context'>): Html | null => {
  const crumbs = listIn(context, 'breadcrumbs')
  if (crumbs.length === 0) return null
  const eventMs = Date.parse(at)
  const items = (some: readonly unknown[]) =>
    html`<ol class="timeline trail">
      ${some.map((crumb) => crumbItem(crumb, eventMs))}
    </ol>`
  const older = crumbs.slice(0, -crumbsInView)
  return card(
    { id: 'breadcrumbs', title: 'Breadcrumbs', about: 'oldest first' },
    html`${
      older.length > 0 &&
      html`<details>
        <summary>${counted(older.length, 'older breadcrumb')}</summary>
        ${items(older)}
      </details>`
    }
    ${items(crumbs.slice(-crumbsInView))}`,
  )
}

/** Parts of a context that other cards show. */
const shownElsewhere: ReadonlySet<string> = new Set([
  'breadcrumbs',
  'causes',
  'handled',
  'level',
  'environment',
  'source',
  'sourceMaps',
  'tags',
  'type',
  'variables',
])

/** Parts that have a heading of their own, in this order; all others are facts of the event. */
const groups = ['user', 'request', 'contexts', 'extra'] as const

const contextNames: Readonly<Record<string, string>> = {
  app: 'App',
  browser: 'Browser',
  culture: 'Culture',
  device: 'Device',
  os: 'Operating system',
  runtime: 'Runtime',
  trace: 'Trace',
}

const entriesList = (entries: readonly (readonly [name: Piece, value: unknown])[]): Html =>
  html`<dl>
    ${entries.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${scrubbedValue(value)}</dd>`,
    )}
  </dl>`

const recordList = (value: unknown): Html =>
  isRecord(value)
    ? entriesList(Object.entries(value).map(([name, part]) => [scrubbed(name), part]))
    : html`<p>${scrubbedValue(value)}</p>`

/** Everything else that the event came with. */
export const contextCard = ({ id, context }: Pick<ErrorOccurrence, 'id' | 'context'>): Html => {
  const tags = isRecord(context['tags']) ? Object.entries(context['tags']) : []
  const facts = Object.entries(context).filter(
    ([name]) => !shownElsewhere.has(name) && !groups.some((group) => group === name),
  )
  // a part of an unusual shape is shown here, as it came
  const odd = Object.entries(context).filter(
    ([name, value]) =>
      ['breadcrumbs', 'variables', 'source', 'causes'].includes(name) && !Array.isArray(value),
  )
  const { contexts, user, request, extra } = context
  return card(
    { id: 'context', title: 'Context' },
    html`${tags.length > 0 && tagList(tags)}
      ${
        isRecord(contexts) &&
        Object.entries(contexts).map(
          ([name, value]) =>
            html`<h3>${Object.hasOwn(contextNames, name) ? (contextNames[name] ?? name) : named(name)}</h3>
              ${recordList(value)}`,
        )
      }
      ${contexts !== undefined && !isRecord(contexts) && part('Contexts', contexts)}
      ${user !== undefined && part('User', user)} ${request !== undefined && part('Request', request)}
      ${extra !== undefined && part('Extra', extra)}
      <h3>Event</h3>
      ${entriesList([
        ['Event id', id],
        ...[...facts, ...odd].map(
          ([name, value]) => [name === 'sdk' ? 'SDK' : wordsOf(name), value] as const,
        ),
      ])}
      <p class="muted small-print">
        Secrets were removed before the event was stored: <mark>[removed: kind]</mark> marks the place.
      </p>`,
  )
}

const part = (title: string, value: unknown): Html =>
  html`<h3>${title}</h3>
    ${recordList(value)}`

const tagList = (tags: readonly (readonly [string, unknown])[]): Html =>
  html`<ul class="tag-list" aria-label="Tags">
    ${tags.map(
      ([name, value]) => html`<li><span class="muted">${scrubbed(name)}</span> ${scrubbedValue(value)}</li>`,
    )}
  </ul>`
