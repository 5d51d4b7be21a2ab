import { eventsRoute, metricsRoute, routes } from '@probe-mesh/contracts/api/routes'
import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { textOf } from '@probe-mesh/runtime/html'
import { expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'
import { guides, movedGuides } from './guide-list.ts'
import { readMarkdown } from './markdown-view.ts'

const web = useTestWeb()

const idsOf = (raw: string): string[] => [...raw.matchAll(/ id="([^"]+)"/g)].map((match) => match[1] ?? '')
const linksOf = (raw: string): string[] =>
  [...raw.matchAll(/ href="([^"]+)"/g)].map((match) => match[1] ?? '')

test('the hub keeps every id of operations and codes of the earlier single page', async () => {
  const { raw } = await web.visitor().get('/docs')
  const ids = new Set(idsOf(raw))
  const names = [
    ...Object.keys(routes),
    ...Object.keys(answerRoutes),
    'streamEvents',
    'getMetrics',
    ...Object.keys(refusals),
  ]
  for (const name of names) expect(ids, name).toContain(name)
  for (const { slug } of guides) expect(linksOf(raw)).toContain(`/docs/${slug}`)
})

test('every page is reachable from the hub, and every link to a page or a section works', async () => {
  const pages = new Map<string, string>()
  const queue = ['/docs']
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (pages.has(path)) continue
    const { status, raw } = await web.visitor().get(path)
    expect(status, path).toBe(200)
    pages.set(path, raw)
    queue.push(...linksOf(raw).flatMap((link) => /^\/docs[^#?]*/.exec(link)?.[0] ?? []))
  }
  expect(pages.size).toBeGreaterThan(40)
  for (const [path, raw] of pages) {
    const ids = idsOf(raw)
    expect(new Set(ids).size, `ids of ${path}`).toBe(ids.length)
    expect(raw.match(/<h1/g), path).toHaveLength(1)
    for (const link of linksOf(raw)) {
      const [page = '', part] = link.split('#')
      const target = pages.get(page === '' ? path : page)
      if (part === undefined || target === undefined || page.startsWith('/assets')) continue
      expect(idsOf(target), `${link} on ${path}`).toContain(part)
    }
  }
})

test('API pages list every operation with its refusals, and every variant of a union body', async () => {
  const pages = await Promise.all(
    [
      'checks',
      'status-pages',
      'incidents',
      'maintenance',
      'alerts',
      'objectives',
      'notification-channels',
      'errors',
      'agents',
      'account',
      'outages',
    ].map(async (group) => (await web.visitor().get(`/docs/api/${group}`)).raw),
  )
  const all = pages.join('\n')
  for (const name of [...Object.keys(routes), ...Object.keys(answerRoutes)]) {
    expect(all.split(`<h2 id="${name}">`), name).toHaveLength(2)
  }
  for (const { path } of [...Object.values(routes), eventsRoute, metricsRoute]) {
    expect(all).toContain(`</b> ${path.replace(/:(\w+)/g, '{$1}')}</code>`)
  }
  for (const type of ['discord', 'teams', 'opsgenie', 'json']) {
    expect(all).toContain(`<summary>type &quot;${type}&quot;</summary>`)
  }
})

test('every code and every tool has an anchor', async () => {
  const codes = await web.visitor().get('/docs/errors')
  for (const code of Object.keys(refusals)) expect(idsOf(codes.raw)).toContain(code)
  const tools = await web.visitor().get('/docs/mcp-tools')
  for (const { name } of toolsOf.mcp) expect(idsOf(tools.raw)).toContain(name)
})

test('a search finds guides, operations, codes and tools, and says if nothing matches', async () => {
  const foundBy = async (typed: string): Promise<string[]> => {
    const { raw } = await web.visitor().get(`/docs?q=${encodeURIComponent(typed)}`)
    return linksOf(raw.slice(raw.indexOf('data-found'), raw.indexOf('data-unless-found hidden')))
  }
  expect(await foundBy('create http check')).toContain('/docs/api/checks#createCheck')
  expect(await foundBy('live events')).toContain('/docs/rest-api#live-events')
  expect(await foundBy('sv-2001')).toContain('/docs/errors#SV-2001')
  expect(await foundBy('is_service_down')).toContain('/docs/mcp-tools#is_service_down')
  expect(await foundBy('zzqqxx')).toEqual([])
  const hostile = await web.visitor().get(`/docs?q=${encodeURIComponent('"><img src=x>')}`)
  expect(hostile.raw).not.toContain('<img')
  expect(hostile.raw).toContain('value="&quot;&gt;&lt;img src=x&gt;"')
})

test.each([...movedGuides])('the former address /docs/%s leads to %s', async (slug, path) => {
  const { status, headers } = await web.visitor().get(`/docs/${slug}`)
  expect([status, headers['location']]).toEqual([303, path])
  const [page = '', part] = path.split('#')
  const { raw } = await web.visitor().get(page)
  if (part !== undefined) expect(idsOf(raw)).toContain(part)
  expect(guides.map((guide) => `/docs/${guide.slug}`)).toContain(page)
})

test('caches may keep a page, and a client with a current copy gets 304', async () => {
  const first = await web.visitor().get('/docs/alerts')
  expect(first.headers['cache-control']).toBe('public, max-age=300')
  const again = await web.visitor().get('/docs/alerts', { 'if-none-match': String(first.headers['etag']) })
  expect([again.status, again.raw]).toEqual([304, ''])
})

test('an unknown page is not found, and documents for developers are not on the web', async () => {
  for (const path of [
    '/docs/nothing',
    '/docs/api/nothing',
    '/docs/decisions',
    '/docs/specification',
    '/docs/__proto__',
  ]) {
    expect((await web.visitor().get(path)).status, path).toBe(404)
  }
})

test('a guide contains the addresses of this site and a placeholder for the key', async () => {
  const { raw } = await web.visitor().get('/docs/rest-api')
  expect(raw).toContain('http://127.0.0.1:8080/v1/me')
  expect(raw).not.toContain('credentials.json')
})

const shown = (text: string): string =>
  textOf(
    readMarkdown(`# Title\n\n${text}`, (href) =>
      href === 'gone.md' ? null : { path: href, title: 'A page' },
    ).main,
  )

test('markup in a guide is text, and a link without a web page becomes text', () => {
  expect(shown('<script>alert(1)</script> a<b>c')).not.toMatch(/<script|<b>/)
  expect(shown('[x](javascript:alert(1))')).not.toContain('href')
  expect(shown('see [gone](gone.md)')).toBe('<p>see gone</p>')
  expect(shown('see [there.md](there.md)')).toBe('<p>see <a href="there.md">A page</a></p>')
})

test('code in a guide is coloured by classes, and its text is unchanged', () => {
  const block = shown('```json\n{"a": "<b>&amp;\'"}\n```')
  expect(block).toContain('<span class="c-string">')
  expect(block.replace(/<[^>]*>/g, '')).toContain('{&quot;a&quot;: &quot;&lt;b&gt;&amp;amp;&#39;&quot;}')
})
