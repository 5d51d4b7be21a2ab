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
  const { language, slug, componentIds } = page
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${origin}/status/${slug}${path}`, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error(`${slug}${path} answered ${answer.status}`)
    return await answer.text()
  }
  const json = async <T>(path: string): Promise<T> => JSON.parse(await read(path)) as T
  const statements: Statement[] = []
  const pages: PageStatement[] = []
  const texts: Text[] = []
  const stateOf = (words: string): string => states[language][words.toLowerCase()] ?? words
  const component = (surface: string, check: string, words: string): void =>
    void statements.push({ surface: `${language} ${surface}`, check, state: stateOf(words) })
  const whole = (surface: string, more: Omit<PageStatement, 'surface' | 'page'>): void =>
    void pages.push({ surface: `${language} ${surface}`, page: language, ...more })
  const text = (surface: string, said: string): void =>
    void texts.push({ surface: `${language} ${surface}`, language, text: said })

  const document = await json<PublicPageDocument>('/page.json')
  whole('page.json', { state: document.page.state, sentence: document.headline.text })
  for (const { displayName, state, days } of document.components) {
    const today = days?.at(-1)
    statements.push({
      surface: `${language} page.json`,
      check: displayName,
      state,
      // maintenance does not count on a page
      ...(state === 'operational' &&
        today?.maintenanceSeconds === 0 && {
          downSeconds: (1 - (today.upShare ?? 1)) * today.measuredSeconds,
        }),
    })
  }
  const history = await json<PublicHistoryDocument>('/history.json')
  for (const [surface, incidents] of [
    ['page.json', document.incidents],
    ['history.json', history.incidents],
  ] as const) {
    for (const incident of incidents) {
      statements.push(...incidentStatements(`${language} ${surface}`, incident))
      text(surface, [incident.title, ...incident.updates.map(({ body }) => body)].join('\n'))
    }
  }

  const ids = [...document.incidents, ...history.incidents].map(({ id }) => id)
  for (const id of new Set(ids)) {
    const incident = await readIncident({ language, read, stateOf }, id)
    statements.push(...incident.statements)
    texts.push(...incident.texts)
  }

  const source = await read('')
  const tree = treeOf(source)
  const [headline] = select(tree, (_tag, attribute) => attribute('id') === 'headline')
  whole('HTML', { sentence: headline === undefined ? 'none' : textOf([headline]) })
  for (const row of select(tree, hasClass('div', 'component'))) {
    const [name] = select([row], (tag) => tag === 'h3' || tag === 'h4')
    const tag = select([row], hasClass('strong', 'tag')).at(-1)
    if (name !== undefined && tag !== undefined) component('HTML', textOf([name]), textOf([tag]))
  }
  text('HTML', textOf(tree))
  text('history', textOf(treeOf(await read('/history'))))
  const markdown = await read('.md')
  whole('Markdown', { sentence: /^\*\*(.*)\*\*$/m.exec(markdown)?.[1] ?? 'none' })
  for (const [, name = '', words = ''] of markdown.matchAll(/^- \*\*(.*)\*\*: ([^;]*);/gm))
    statements.push({
      surface: `${language} Markdown`,
      check: name,
      state: states.en[words.toLowerCase()] ?? words,
    })

  const summary = await json<Summary>('/api/v2/summary.json')
  whole('v2', { state: summary.status.x_state })
  if (statuspageStates[summary.status.indicator]?.includes(summary.status.x_state) !== true)
    whole('v2 indicator', { state: `${summary.status.indicator} for ${summary.status.x_state}` })
  for (const { name, status, x_state: state, group } of summary.components) {
    if (group) continue
    statements.push({ surface: `${language} v2`, check: name, state })
    if (statuspageStates[status]?.includes(state) !== true)
      statements.push({ surface: `${language} v2 status`, check: name, state: status })
  }
  const { incidents } = await json<Pick<Summary, 'incidents'>>('/api/v2/incidents.json')
  for (const { id, started_at: startedAt, resolved_at: resolvedAt } of incidents) {
    statements.push(...incidentStatements(`${language} v2`, { id, startedAt, resolvedAt }))
  }

  const badge = await json<{ message: string }>('/badge.json')
  whole('badge', { state: stateOf(badge.message.replace(/, \d+ .*$/, '')) })
  const title = /<title>([^<]*)<\/title>/.exec(await read('/badge.svg'))?.[1] ?? ''
  whole('badge.svg', { state: stateOf(title.replace(/^.*: /, '').replace(/, \d+ .*$/, '')) })
  for (const [at, id] of componentIds.entries()) {
    const { message } = await json<{ message: string }>(`/badge.json?component=${id}`)
    component('badge', document.components[at]?.displayName ?? id, message)
  }

  const parser = new XMLParser({ ignoreAttributes: false, htmlEntities: true })
  const rss = parser.parse(await read('/feed.rss')) as { rss: { channel: Channel } }
  const { description, item = [] } = rss.rss.channel
  whole('RSS', { sentence: description.split(' | ')[0] ?? '' })
  for (const one of [item].flat()) text('RSS', [one.title, one['content:encoded'] ?? ''].join('\n'))
  const atom = parser.parse(await read('/feed.atom')) as { feed: { subtitle: string } }
  whole('Atom', { sentence: atom.feed.subtitle.split(' | ')[0] ?? '' })
  return { statements, pages, texts }
}

type Summary = {
  status: { indicator: string; x_state: string }
  components: { name: string; status: string; x_state: string; group: boolean }[]
  incidents: { id: string; started_at: string; resolved_at: string | null }[]
}
type Item = { title: string; 'content:encoded'?: string }
type Channel = { description: string; item?: Item | Item[] }
