import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { html, type Html } from '@probe-mesh/runtime/html'
import { titleOfOperation, type DocsSite } from './docs-site.ts'

/** One search result. */
export type Entry = {
  path: string
  title: string
  /** The kind of place, such as "Guide". */
  kind: string
  about: string
  /** Other search words. */
  text: string
}

/** All places, in the order of the navigation. */
export const entriesOf = ({ guides, groups }: DocsSite): Entry[] => [
  ...guides.flatMap(({ slug, title, about, lead, parts }) => [
    { path: `/docs/${slug}`, title, kind: 'Guide', about, text: lead },
    ...parts.map((part) => ({
      path: `/docs/${slug}#${part.id}`,
      title: part.title,
      kind: title,
      about: '',
      text: part.text,
    })),
  ]),
  ...groups.flatMap((group) =>
    group.endpoints.map((endpoint) => ({
      path: `/docs/api/${group.name}#${endpoint.operation.operationId}`,
      title: titleOfOperation(endpoint),
      kind: 'API',
      about: `${endpoint.method.toUpperCase()} ${endpoint.path}`,
      text: `${endpoint.operation.operationId} ${endpoint.operation.summary}`,
    })),
  ),
  ...Object.entries(refusals).map(([code, { title, message }]) => ({
    path: `/docs/errors#${code}`,
    title: `${code}: ${title}`,
    kind: 'Error code',
    about: message,
    text: '',
  })),
  ...toolsOf.mcp.map(({ name, title, description }) => ({
    path: `/docs/mcp-tools#${name}`,
    title,
    kind: 'MCP tool',
    about: name,
    text: description,
  })),
]

const shownMax = 30

/** Entries with every word, those with title matches first. */
export const found = (entries: readonly Entry[], typed: string): Entry[] => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const rank = ({ title, about, text }: Entry): number => {
    const [name, rest] = [title.toLowerCase(), `${title} ${about} ${text}`.toLowerCase()]
    if (!words.every((word) => rest.includes(word))) return Infinity
    if (name.startsWith(words.join(' '))) return 0
    return words.every((word) => name.includes(word)) ? 1 : 2
  }
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((each) => each.rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, shownMax)
    .map(({ entry }) => ({
      ...entry,
      about: entry.about === '' ? excerpt(entry.text, words[0] ?? '') : entry.about,
    }))
}

const excerptCharacters = 120

/** The text around the first match, with whole words at both ends. */
const excerpt = (text: string, word: string): string => {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - excerptCharacters / 3)
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1
  const end = start + excerptCharacters
  if (end >= text.length) return `${start > 0 ? '… ' : ''}${text.slice(start)}`
  return `${start > 0 ? '… ' : ''}${text.slice(start, text.lastIndexOf(' ', end))} …`
}

export const foundList = (entries: readonly Entry[]): Html =>
  html`<p class="small-print" role="status">
      ${entries.length === 0 ? 'Nothing fits. Try fewer words.' : countText(entries.length)}
    </p>
    <ul class="docs-found">
      ${entries.map(
        ({ path, title, kind, about }) =>
          html`<li>
            <a href="${path}">${title}</a> <span class="muted">${kind}</span>
            <p class="muted">${about}</p>
          </li>`,
      )}
    </ul>`

const countText = (count: number): string =>
  count === shownMax ? `The first ${shownMax} results` : `${count} ${count === 1 ? 'result' : 'results'}`
