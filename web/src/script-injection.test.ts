import { toMail, type MailMessage } from '@probe-mesh/control-plane/src/notifications/mail/mail'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import fastify from 'fastify'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import {
  judgeCalendar,
  judgeHtml,
  judgeJson,
  judgeMarkdown,
  judgeXml,
  nothing,
  type Judged,
} from './testing/judge.ts'
import { lines, paragraphs, refused, refusedLines } from './testing/payloads.ts'
import { catalogPaths, plantedCatalog } from './testing/plant-catalog.ts'
import { startHostileReceiver } from './testing/plant-peers.ts'
import { plant } from './testing/plant.ts'
import { useTestWeb, type Shown } from './testing/test-web.ts'
import { asMarkdown } from './pages/as-markdown.ts'
import { createWeb } from './web.ts'

const clickhouse = useTestClickHouse()
const web = useTestWeb(() => ({
  clickhouseUrl: clickhouse.url,
  config: { budgetScale: 1_000, trustProxy: ['127.0.0.1'] },
  answers: { catalog: plantedCatalog },
}))
const planted = useOnce(() => plant(web, clickhouse.url))

/** Normalises white space, since pages, parsers and databases differ in line ends. */
const same = (text: string): string => text.replace(/\s+/g, ' ').trim()

type Found = Judged & { path: string; status: number; isPage: boolean; said: string }

const judge = (path: string, { status, raw, headers }: Omit<Shown, 'to' | 'text'>): Found => {
  const type = String(headers['content-type'])
  const found = (judged: Judged): Found => {
    for (const [name, value] of Object.entries(headers)) {
      const isOwn = name === 'location' || name === 'etag' || !/zq/i.test(`${name} ${String(value)}`)
      if (!isOwn) judged.problems.push(`a header ${name}`)
    }
    const isPage = type.startsWith('text/html')
    return { ...judged, path, status, isPage, said: same(judged.texts.join('\n')) }
  }
  // the only page of the control plane, /docs, has an inline style
  const known = { links: planted.links, styles: !raw.includes('href="/assets/') }
  if (type.startsWith('text/html')) return found(judgeHtml(raw, known))
  if (/\bxml\b/.test(type)) return found(judgeXml(raw, known))
  if (/\bjson\b/.test(type)) return found(judgeJson(raw))
  if (type.startsWith('text/markdown')) return found(judgeMarkdown(raw, known))
  if (type.startsWith('text/calendar')) return found(judgeCalendar(raw))
  return found({ ...nothing(), texts: [raw] })
}

/** Targets of mailed links; without a token they show nothing. */
const withoutToken = [
  '/login/link',
  '/invitation',
  '/subscriptions/confirm',
  '/alerts/acknowledge',
  '/alert-mails/confirm',
]

/** Crawls from some addresses along links, with few queries for each path. */
const crawl = async (seeds: readonly string[], routes: readonly RegExp[]): Promise<Found[]> => {
  const found: Found[] = []
  const queue = [...seeds]
  const queries = new Map<string, number>()
  const seen = new Set([...queue, ...withoutToken])
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    // a session may read 600 times a minute
    if (found.length % 100 === 99) web.at.pass(61_000)
    // from changing addresses, since each has a small keyless budget
    const from = { 'x-forwarded-for': `10.0.${found.length >> 5}.1` }
    let shown: Omit<Shown, 'to' | 'text'> = await planted.get(path, from)
    if (shown.status === 404) {
      const { status, text, headers } = await web.at.call('GET', path)
      shown = { status, raw: text, headers }
    }
    const page = judge(path, shown)
    found.push(page)
    const read = page.actions.filter((action) => routes.some((route) => route.test(action)))
    // the Markdown of an incident has a known address, but no link
    const texts = page.links
      .filter((link) => /^\/status\/[^/]+\/incidents\/[^/.]+$/.test(link))
      .map(asMarkdown)
    for (const link of [...page.links, ...texts, ...read]) {
      const [bare = '', query] = link.split('?')
      if (/^\/(assets|v1)\//.test(bare) || seen.has(link)) continue
      seen.add(link)
      const shape = bare.replaceAll(/[0-9a-f-]{36}/g, ':id')
      const count = queries.get(shape) ?? 0
      if (query !== undefined && count >= 2) continue
      if (query !== undefined) queries.set(shape, count + 1)
      queue.push(link)
    }
  }
  return found
}

/** The route patterns of all pages. */
const pageRoutes = async (): Promise<string[]> => {
  const routes: string[] = []
  const app = fastify()
  app.addHook('onRoute', ({ method, url }) => {
    // `/*` is the page for unknown addresses
    if (method === 'GET' && !url.startsWith('/assets/') && url !== '/*') routes.push(url)
  })
  await app.register(createWeb({ inject: () => Promise.reject(new Error()), apiUrl: '', mcpUrl: null }))
  await app.ready()
  return routes
}

let pages: Found[]
/** It opens every page many times. */
const patience = { timeout: 600_000 }

test('text of people and targets stays text on every page and in every feed', patience, async () => {
  const feeds = ['feed.rss', 'feed.atom', 'badge.svg', 'badge.json', 'page.json', 'history.json']
  const documents = ['summary', 'incidents', 'scheduled-maintenances', 'components']
  const routes = await pageRoutes()
  const patterns = routes.map((route) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/?]+')}(\\?.*)?$`))
  const seeds = [
    ...catalogPaths,
    '/dashboard/checks',
    // only messages and bookmarks of earlier versions link to these
    '/dashboard/checks/01970000-0000-7000-8000-000000000001/steps',
    '/checks/01970000-0000-7000-8000-000000000001',
    ...routes.filter((route) => !route.includes(':') && ![...withoutToken, '/logout'].includes(route)),
    ...planted.mailed,
    ...planted.slugs.flatMap((slug) => [
      `/status/${slug}`,
      `/status/${slug}.md`,
      ...[...feeds, ...documents.map((name) => `api/v2/${name}.json`)].map(
        (name) => `/status/${slug}/${name}`,
      ),
    ]),
  ]
  const found = await crawl(seeds, patterns)
  const wrong = found.filter(({ problems, status }) => problems.length > 0 || status >= 400)
  expect(wrong.map(({ path, status, problems }) => ({ path, status, problems }))).toEqual([])
  // a page without links is not crawled: add it to the seeds above
  const unseen = routes.filter((_, at) => !found.some(({ path }) => patterns[at]?.test(path)))
  expect(unseen).toEqual([])
  pages = found.filter(({ isPage }) => isPage)
  const lost = planted.texts.filter(([, text]) => !pages.some(({ said }) => said.includes(same(text))))
  expect(lost).toEqual([])
})

test('submitted input stays text when a form returns it', async () => {
  const typed = [...paragraphs, ...refused, ...refusedLines].join('\n')
  const shapes = new Map(
    pages.flatMap(({ forms }) =>
      [...forms].map(([action, fields]) => {
        const shape = action.replaceAll(/[0-9a-f-]{36}/g, ':id').replace(/\?.*/, '')
        return [shape, { action, fields }] as const
      }),
    ),
  )
  expect(shapes.size).toBeGreaterThan(15)
  let kept = 0
  for (const { action, fields } of shapes.values()) {
    web.at.pass(10_000)
    const form = fields.map(([name, isTyped, value]): [string, string] => [name, isTyped ? typed : value])
    const page = judge(action, await planted.post(action, form))
    expect({ action, problems: page.problems }).toEqual({ action, problems: [] })
    expect(page.status, action).toBeLessThan(500)
    if (page.said.includes(same(paragraphs[0] ?? ''))) kept += 1
  }
  expect(kept).toBeGreaterThan(shapes.size / 2)
})

test("a receiver's answer to a test stays text on the page that shows it", async () => {
  const receiver = await startHostileReceiver()
  const channel = { type: 'json', name: 'receiver', config: { url: receiver.url } }
  const { json } = await planted.api('POST', '/notification-channels', channel)
  let said = ''
  for (const _ of receiver.answers) {
    web.at.pass(10_000)
    const path = `/dashboard/channels/${json.id}`
    expect(await planted.post(`${path}/test`)).toMatchObject({ status: 303, to: path })
    const page = judge('test', await planted.get(path))
    expect(page.problems).toEqual([])
    expect(page.status).toBe(200)
    said += page.said
  }
  expect(receiver.received).toHaveLength(receiver.answers.length)
  // the page keeps this many characters of an answer
  expect(said).toContain(same(lines[0] ?? ''))
  await receiver.close()
})

test('a report with an invalid region is refused, and the region is not repeated', async () => {
  for (const region of lines.slice(0, 3)) {
    web.at.pass(10_000)
    const path = '/services/github/reports'
    const page = judge(path, await planted.post(path, { region }))
    expect({ region, problems: page.problems, status: page.status }).toEqual({
      region,
      problems: [],
      status: 422,
    })
  }
})

test('mails contain only our headers, and texts unchanged', async () => {
  const rows = await web.at.sql<{ message: MailMessage }[]>`
    select distinct on (message ->> 'subject') message from deliveries where kind = 'mail'`
  expect(rows.length).toBeGreaterThan(20)
  const transport = createTransport({ streamTransport: true, buffer: true })
  const from = { name: 'Probe Mesh', address: 'status@example.org' }
  const names =
    /^(from|to|message-id|subject|auto-submitted|list-unsubscribe|list-unsubscribe-post|date|mime-version|content-type|content-transfer-encoding)$/
  for (const { message } of rows) {
    const recipient = 'reader@example.com'
    const { message: raw } = await transport.sendMail(toMail({ id: 'id', recipient, message }, from))
    if (!Buffer.isBuffer(raw)) throw new Error('the mail is no buffer')
    const mail = await PostalMime.parse(raw)
    expect(mail.headers.map(({ key }) => key).filter((key) => !names.test(key))).toEqual([])
    expect(same(mail.subject ?? '')).toBe(same(message.subject.replaceAll('\u0085', ' ')))
    expect(mail.to).toEqual([{ name: '', address: recipient }])
    expect(same(mail.text ?? '')).toBe(same(message.text))
    const isPart = !message.html.startsWith('<!doctype html>')
    const { problems, texts } = judgeHtml(mail.html ?? '', { isPart, styles: true })
    expect(problems).toEqual([])
    const title = same(message.text.split('\n')[0] ?? '')
    expect(same(texts.join(' '))).toContain(title)
  }
})

test.each(refused)('a text with %j is refused by every route that accepts texts', async (text) => {
  const { pageId } = planted
  for (const [path, body] of [
    ['/checks', { name: text, url: 'https://example.org/' }],
    ['/status-pages', { name: text, slug: 'refused' }],
    ['/maintenance', { statusPageId: pageId, title: 'title', body: text, durationMinutes: 5 }],
    ['/keys', { name: text, scope: 'read' }],
    ['/alert-rules', { name: text }],
  ] as const) {
    web.at.pass(5_000)
    expect((await planted.api('POST', path, body)).status, path).toBe(422)
  }
})

test.each(refusedLines)('a line with %j is refused', async (text) => {
  for (const [path, body] of [
    ['/status-pages', { name: text, slug: 'refused' }],
    ['/keys', { name: text, scope: 'read' }],
    ['/alert-rules', { name: text }],
  ] as const) {
    web.at.pass(5_000)
    expect((await planted.api('POST', path, body)).status, path).toBe(422)
  }
})
