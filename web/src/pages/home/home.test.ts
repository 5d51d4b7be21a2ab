import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { beforeEach, expect, test } from 'vitest'
import { testAssets } from '../../testing/assets.ts'
import { flatten, wordsIn } from '../../testing/flat.ts'
import { useTestWeb, startTestWeb } from '../../testing/test-web.ts'
import { catalogOf, weatherOf } from '../weather/testing.ts'
import { homePage } from './home-page.ts'

const web = useTestWeb()
beforeEach(() => web.at.pass(60_000))

const pageOf = (levels: Parameters<typeof catalogOf>[0]): string =>
  flatten(
    homePage(testAssets, {
      catalog: catalogOf(levels),
      weather: weatherOf(),
      apiUrl: 'https://mesh.example/v1',
      canSignUp: true,
      tiers: tiersDefault,
    }),
  )

/** The section about present outages. */
const downOf = (page: string): string =>
  /<section aria-labelledby="down">[^]*?<\/section>/.exec(page)?.[0] ?? ''

test('the start page counts once for its reader, however many answers it needs', async () => {
  web.at.hold()
  const left = async (): Promise<number> => {
    const { headers } = await web.at.call('GET', '/v1/public/weather')
    return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
  }
  const before = await left()
  await web.visitor().get('/')
  // one for the page and one for reading the budget
  expect(before - (await left())).toBe(2)
})

test('the start page is the same with and without a login, and links to the dashboard', async () => {
  web.at.answers.observed.setReadings('github', { fra: 'up', iad: 'up' })
  const { status, text, headers } = await web.visitor().get('/')
  expect([status, headers['set-cookie']]).toEqual([200, undefined])
  expect(text).toContain(' href="/dashboard">')
  expect(text).toContain('role="search" method="get" action="/services"')
  const member = await web.member()
  expect((await member.get('/')).status).toBe(200)
})

test('links to sign-up only while sign-up is open', async () => {
  const way = '<a href="/signup">'
  expect((await web.visitor().get('/')).text).toContain(way)
  const closed = await startTestWeb({ config: { signUp: 'closed' } })
  try {
    expect((await closed.visitor().get('/')).text).not.toContain(way)
  } finally {
    await closed.close()
  }
})

test('starts with the number of services by status, and with present outages', () => {
  const page = pageOf(['up', 'down', 'up', 'down_in_some_regions', 'blocked', 'no_data'])
  const links = [...page.matchAll(/href="\/services\?level=(\w+)">(.*?)<\/a>/g)]
  expect(links.map(([, level, text]) => [level, wordsIn(text ?? '')])).toEqual([
    ['down', 'down 1'],
    ['down_in_some_regions', 'down in some regions 1'],
    ['blocked', 'blocked 1'],
    ['no_data', 'no data 1'],
    ['up', 'up or answering 2'],
  ])
  const down = downOf(page)
  expect([...down.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
    '/services/acme-1',
    '/services/acme-3',
  ])
  expect(down).toContain('<time datetime="2026-11-20T11:59:48.000Z">')
  expect(page).toContain('1 more service has no data.')
})

test.each([
  ['none is down', ['up', 'blocked'], 'None of the 2 services with data is down.'],
  ['of some there is no data', ['up', 'no_data'], 'None of the 1 service with data is down.'],
  ['nothing is measured', ['no_data', 'no_data'], 'Unknown: no service has a recent measurement.'],
  ['there is no catalog', [], 'No service is measured here.'],
] as const)('where %s it says so', (_, levels, words) => {
  const down = downOf(pageOf(levels))
  expect(down).toContain(words)
  expect(down).not.toMatch(/class="tag bad"/)
})

test('lists some of very many outages, and counts the rest', () => {
  const page = pageOf(Array.from({ length: 25 }, () => 'down'))
  const down = downOf(page)
  expect(down.match(/href="\/services\/acme-/g)).toHaveLength(12)
  expect(down).toContain('13 more are down')
})
