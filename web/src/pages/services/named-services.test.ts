import { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { beforeAll, expect, test } from 'vitest'
import { useTestWeb, type Shown } from '../../testing/test-web.ts'
import { asMarkdown } from '../as-markdown.ts'

/** Every page and Markdown that names a service of the catalog lists its probed addresses. */

const service = (n: number) => ({
  slug: n === 0 ? 'github' : `zebra-${n}`,
  name: `Zebra ${n}.`,
  category: 'work',
  probes: [{ url: `https://zebra-${n}.example/one` }, { url: `https://zebra-${n}.example/two` }],
})
const services = Array.from({ length: 60 }, (_, n) => service(n))
const catalog = indexCatalog(
  Catalog.parse({
    services,
    stacks: [
      {
        id: '5d1a3d3c-0b60-5f5b-9d5e-3f5a5a1f0001',
        slug: 'web-shop',
        name: 'A shop',
        description: 'What a shop needs.',
        members: ['github', 'zebra-1'],
      },
    ],
  }),
)

const web = useTestWeb({
  config: { trustProxy: ['127.0.0.1'], budgetScale: 1_000 },
  answers: { catalog },
})
beforeAll(async () => {
  const { observed } = web.at.answers
  for (const { slug } of services) observed.setReadings(slug, { fra: 'up', iad: 'up' })
  const members = services.slice(-3).map(({ slug, name }) => {
    observed.setReadings(slug, { fra: 'down', iad: 'down' })
    const sinceMs = web.at.now()
    return { slug, name, sinceMs, failedAtMs: sinceMs, failing: true }
  })
  const more = { peak: 3, measuredCount: 3, regions: ['fra'], confidence: 0.9, quietSinceMs: null }
  const factor = { kind: 'cdn', name: 'acme' } as const
  const open = [{ factor, sinceMs: web.at.now(), members, ...more }]
  observed.setShared({ open, spent: [] })
})

/** Examples for route parameters, by the start of the route. */
const examples: Readonly<Record<string, string>> = {
  '/services/': 'github',
  '/stacks/': 'web-shop',
  '/docs/api/': 'checks',
  '/docs/': 'checks',
}
/** These routes show no catalog: an account's page, or a mailed token. */
const isOfAccounts = (route: string): boolean => /^\/(status|subscriptions|alert-mails)\/.*:/.test(route)

const askedAll = async (): Promise<Map<string, Shown>> => {
  const visitor = web.visitor()
  const shown = new Map<string, Shown>()
  for (const [index, route] of web.served.entries()) {
    const [method = '', path = ''] = route.split(' ')
    const isPage = method === 'GET' || path.endsWith('/reports')
    if (!isPage || isOfAccounts(path) || /^\/(dashboard|assets|checks)|\*/.test(path)) continue
    const example = Object.entries(examples).find(([begin]) => path.startsWith(begin))?.[1]
    if (path.includes(':') && example === undefined) throw new Error(`${path} has no example here`)
    const address = path.replaceAll(/:\w+/g, example ?? '')
    const headers = { 'x-forwarded-for': `10.1.0.${index}` }
    const answer =
      method === 'GET'
        ? await visitor.get(address, headers)
        : await visitor.post(address, { region: 'fra' }, headers)
    shown.set(`${method} ${path}`, answer)
  }
  return shown
}

test('every page that names a service lists its probed addresses', async () => {
  const naming: string[] = []
  for (const [route, { status, raw }] of await askedAll()) {
    expect(status, route).toBeLessThan(500)
    for (const { name, probes } of services) {
      if (!raw.includes(name)) continue
      naming.push(route)
      for (const { url } of probes)
        expect(raw.includes(url), `${route} names ${name} and not ${url}`).toBe(true)
    }
  }
  const named = new Set(naming)
  for (const route of ['/', '/services', asMarkdown('/services'), '/internet', asMarkdown('/internet')]) {
    expect(named).toContain(`GET ${route}`)
  }
  for (const route of ['GET /services/:slug', 'GET /stacks/:slug']) {
    expect([...named].some((one) => one.startsWith(route.split(':')[0] ?? ''))).toBe(true)
  }
})
