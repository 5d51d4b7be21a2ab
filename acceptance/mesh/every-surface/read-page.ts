import { XMLParser } from 'fast-xml-parser'
import type { PublicHistoryDocument, PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { hasClass, select, textOf, treeOf } from './html-text.ts'
import { incidentStatements } from './read-account.ts'
import { readIncident } from './read-incident.ts'
import type { Moment, PageStatement, Statement, Text } from './statement.ts'

/** A published page, as a visitor knows it. */
export type Published = { language: 'en' | 'de'; id: string; slug: string; componentIds: readonly string[] }

/** The words of a state in each language, as the pages print them. */
const states: Readonly<Record<Published['language'], Readonly<Record<string, string>>>> = {
  en: {
    operational: 'operational',
    degraded: 'degraded',
    down: 'down',
    maintenance: 'maintenance',
    'no data': 'no_data',
    'partial outage': 'down',
    'major outage': 'down',
  },
  de: {
    betriebsbereit: 'operational',
    beeinträchtigt: 'degraded',
    ausgefallen: 'down',
    wartung: 'maintenance',
    'keine daten': 'no_data',
    teilausfall: 'down',
    'schwerer ausfall': 'down',
  },
}

/** Statuspage's words. Its `degraded_performance` and `minor` also stand for missing data. */
const statuspageStates: Readonly<Record<string, readonly string[]>> = {
  operational: ['operational'],
  degraded_performance: ['degraded', 'no_data'],
  major_outage: ['down'],
  under_maintenance: ['maintenance'],
  none: ['operational'],
  minor: ['degraded', 'no_data'],
  major: ['down'],
  critical: ['down'],
  maintenance: ['maintenance'],
}

/** Reads all public surfaces of a page once. @param origin of the service */
export const readPage = async (origin: string, page: Published): Promise<Omit<Moment, 'name'>> => {
  const found = collector(origin, page)
  const names = await readDocuments(found)
  await readTexts(found)
  await readStatuspage(found)
  await readBadges(found, page.componentIds, names)
  await readFeeds(found)
  const { statements, pages, texts } = found
  return { statements, pages, texts }
}

type Collector = ReturnType<typeof collector>

/** Reads a page, and collects what its surfaces say. */
const collector = (origin: string, { language, slug }: Published) => {
  const [statements, pages, texts]: [Statement[], PageStatement[], Text[]] = [[], [], []]
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${origin}/status/${slug}${path}`, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error(`${slug}${path} answered ${answer.status}`)
    return await answer.text()
  }
  return {
    language,
    statements,
    pages,
    texts,
    read,
    json: async <T>(path: string): Promise<T> => JSON.parse(await read(path)) as T,
    stateOf: (words: string): string => states[language][words.toLowerCase()] ?? words,
    component: (surface: string, check: string, more: Partial<Statement>): void =>
      void statements.push({ surface: `${language} ${surface}`, check, ...more }),
    whole: (surface: string, more: Omit<PageStatement, 'surface' | 'page'>): void =>
      void pages.push({ surface: `${language} ${surface}`, page: language, ...more }),
    text: (surface: string, said: string): void =>
      void texts.push({ surface: `${language} ${surface}`, language, text: said }),
  }
}

/** The JSON of the page, its history and its incidents. @returns the names of its components */
const readDocuments = async (found: Collector): Promise<string[]> => {
  const { language, json, whole, component, text, statements, texts } = found
  const { page, headline, components, incidents } = await json<PublicPageDocument>('/page.json')
  whole('page.json', { state: page.state, sentence: headline.text })
  for (const { displayName, state, days } of components) {
    const today = days?.at(-1)
    // maintenance does not count on a page
    const counts = state === 'operational' && today?.maintenanceSeconds === 0
    component('page.json', displayName, {
      state,
      ...(counts && { downSeconds: (1 - (today.upShare ?? 1)) * today.measuredSeconds }),
    })
  }
  const history = await json<PublicHistoryDocument>('/history.json')
  for (const [surface, listed] of [
    ['page.json', incidents],
    ['history.json', history.incidents],
  ] as const) {
    for (const incident of listed) {
      statements.push(...incidentStatements(`${language} ${surface}`, incident))
      text(surface, [incident.title, ...incident.updates.map(({ body }) => body)].join('\n'))
    }
  }
  for (const id of new Set([...incidents, ...history.incidents].map((one) => one.id))) {
    const incident = await readIncident(found, id)
    statements.push(...incident.statements)
    texts.push(...incident.texts)
  }
  return components.map(({ displayName }) => displayName)
}

/** The page as HTML and as Markdown. */
const readTexts = async ({ read, stateOf, whole, component, text }: Collector): Promise<void> => {
  const tree = treeOf(await read(''))
  const [headline] = select(tree, (_tag, attribute) => attribute('id') === 'headline')
  whole('HTML', { sentence: headline === undefined ? 'none' : textOf([headline]) })
  for (const row of select(tree, hasClass('div', 'component'))) {
    const [name] = select([row], (tag) => tag === 'h3' || tag === 'h4')
    const tag = select([row], hasClass('strong', 'tag')).at(-1)
    if (name !== undefined && tag !== undefined)
      component('HTML', textOf([name]), { state: stateOf(textOf([tag])) })
  }
  text('HTML', textOf(tree))
  text('history', textOf(treeOf(await read('/history'))))
  const markdown = await read('.md')
  whole('Markdown', { sentence: /^\*\*(.*)\*\*$/m.exec(markdown)?.[1] ?? 'none' })
  for (const [, name = '', words = ''] of markdown.matchAll(/^- \*\*(.*)\*\*: ([^;]*);/gm))
    component('Markdown', name, { state: states.en[words.toLowerCase()] ?? words })
}

/** The documents that clients of Statuspage read. */
const readStatuspage = async ({ language, json, whole, component, statements }: Collector): Promise<void> => {
  const { status: page, components } = await json<Summary>('/api/v2/summary.json')
  whole('v2', { state: page.x_state })
  if (statuspageStates[page.indicator]?.includes(page.x_state) !== true)
    whole('v2 indicator', { state: `${page.indicator} for ${page.x_state}` })
  for (const { name, status, x_state: state, group } of components) {
    if (group) continue
    component('v2', name, { state })
    if (statuspageStates[status]?.includes(state) !== true) component('v2 status', name, { state: status })
  }
  const { incidents } = await json<Pick<Summary, 'incidents'>>('/api/v2/incidents.json')
  for (const { id, started_at: startedAt, resolved_at: resolvedAt } of incidents) {
    statements.push(...incidentStatements(`${language} v2`, { id, startedAt, resolvedAt }))
  }
}

const readBadges = async (
  { read, json, stateOf, whole, component }: Collector,
  ids: readonly string[],
  names: readonly string[],
): Promise<void> => {
  const badge = await json<{ message: string }>('/badge.json')
  whole('badge', { state: stateOf(badge.message.replace(/, \d+ .*$/, '')) })
  const title = /<title>([^<]*)<\/title>/.exec(await read('/badge.svg'))?.[1] ?? ''
  whole('badge.svg', { state: stateOf(title.replace(/^.*: /, '').replace(/, \d+ .*$/, '')) })
  for (const [at, id] of ids.entries()) {
    const { message } = await json<{ message: string }>(`/badge.json?component=${id}`)
    component('badge', names[at] ?? id, { state: stateOf(message) })
  }
}

const readFeeds = async ({ read, whole, text }: Collector): Promise<void> => {
  const parser = new XMLParser({ ignoreAttributes: false, htmlEntities: true })
  const rss = parser.parse(await read('/feed.rss')) as { rss: { channel: Channel } }
  const { description, item = [] } = rss.rss.channel
  whole('RSS', { sentence: description.split(' | ')[0] ?? '' })
  for (const one of [item].flat()) text('RSS', [one.title, one['content:encoded'] ?? ''].join('\n'))
  const atom = parser.parse(await read('/feed.atom')) as { feed: { subtitle: string } }
  whole('Atom', { sentence: atom.feed.subtitle.split(' | ')[0] ?? '' })
}

type Summary = {
  status: { indicator: string; x_state: string }
  components: { name: string; status: string; x_state: string; group: boolean }[]
  incidents: { id: string; started_at: string; resolved_at: string | null }[]
}
type Item = { title: string; 'content:encoded'?: string }
type Channel = { description: string; item?: Item | Item[] }
