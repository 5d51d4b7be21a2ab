import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { Page, Request } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test, vi } from 'vitest'
import { openBrowser, type Person } from '../web/browser.ts'
import { startErrorSystem } from './error-system.ts'
import { startShopPage } from './shop-page.ts'

/** Includes the download of Chromium. */
const openMsMax = 300_000

const system = useOnce(() => startErrorSystem(), openMsMax)
const shop = useOnce(() => startShopPage(), openMsMax)
const people = useOnce(() => openBrowser(system.origin), openMsMax)

/** The item types of an envelope, one line of JSON and one of payload each. */
const typesIn = (request: Request): string[] => {
  const lines = (request.postDataBuffer() ?? Buffer.alloc(0)).toString().split('\n').slice(1)
  return lines
    .filter((line, at) => at % 2 === 0 && line !== '')
    .map((line) => String((JSON.parse(line) as { type: unknown }).type))
}

type Visit = Person & {
  /** Types of the items that the page sent, in order. */
  items: readonly string[]
  /** The answers, newest last. */
  answers: readonly { status: number; limits: string | null }[]
  act(expression: string): Promise<unknown>
}

/** Opens the shop's page, with an SDK that reports to a project. */
const visit = async (dsn: string): Promise<Visit> => {
  const person = await people.person()
  const items: string[] = []
  const answers: { status: number; limits: string | null }[] = []
  person.page.on('request', (request) => {
    if (request.url().startsWith(`${system.origin}/api/`)) items.push(...typesIn(request))
  })
  person.page.on('response', (response) => {
    if (!response.url().startsWith(`${system.origin}/api/`)) return
    const limits = response.headers()['x-sentry-rate-limits'] ?? null
    answers.push({ status: response.status(), limits })
  })
  await person.page.goto(shop.url(dsn))
  return { ...person, items, answers, act: (expression) => person.page.evaluate(expression) }
}

const countOf = (items: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const type of items) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

type SentEvent = {
  event_id: string
  exception: { values: { type: string; value: string }[] }
}
const sentBy = async (page: Page): Promise<SentEvent[]> =>
  JSON.parse(await page.evaluate('JSON.stringify(sent)')) as SentEvent[]

test('stores the events of @sentry/browser from another origin, and counts its other items', async () => {
  const project = await system.project()
  const { page, items, answers, act, close } = await visit(project.dsn)
  await page.getByRole('button', { name: 'Buy' }).click()
  await vi.waitFor(async () => expect(await sentBy(page)).toHaveLength(1))
  for (const what of ['reserve', 'attach', 'complain', 'order', 'log']) await act(`shop.${what}()`)
  await vi.waitFor(async () => expect(await sentBy(page)).toHaveLength(3))
  expect(await act('shop.flush()')).toBe(true)
  await vi.waitFor(async () => expect(await project.counts()).toEqual({ stored: 3 }))

  const sent = await sentBy(page)
  const issues = await project.issues()
  const read = issues.flatMap(({ recent }) => recent as { id: string; context: object }[])
  expect(read.map(({ id }) => id).toSorted()).toEqual(sent.map((e) => e.event_id).toSorted())
  expect(issues.map(({ title }) => title).toSorted()).toEqual([
    'Error: with an attachment',
    'RangeError: nothing is left',
    expect.stringMatching(/^TypeError: .*length/),
  ])
  const clicked = read.find(({ id }) => id === sent[0]?.event_id)
  expect(clicked).toMatchObject({
    release: 'shop@3.0.0',
    message: sent[0]?.exception.values.at(-1)?.value,
    frames: [{ function: 'payFor', file: expect.stringContaining('/shop.js'), inApp: true }, {}],
    context: { environment: 'production', request: { url: expect.stringContaining('127.0.0.1') } },
  })
  const crumbs = JSON.stringify(clicked?.context)
  for (const crumb of ['button#buy', 'buying']) expect(crumbs).toContain(crumb)
  expect(JSON.stringify(issues)).not.toContain('someone@example.com')

  const { event, ...others } = countOf(items)
  expect(event).toBe(3)
  // all other items of the SDK are counted by type
  await vi.waitFor(async () => expect(await project.unsupported()).toEqual(others))
  expect(Object.keys(others)).toEqual(
    expect.arrayContaining(['session', 'span', 'attachment', 'feedback', 'log']),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await close()
})

test('a preflight allows a page to send its key in a header and read the answer', async () => {
  const project = await system.project()
  const { page, close } = await visit(project.dsn)
  const { username, pathname } = new URL(project.dsn)
  const answer = await page.evaluate(
    async ({ url, key }) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-sentry-envelope',
          'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`,
        },
        body: '{"event_id":"0123456789abcdef0123456789abcdef"}\n{"type":"event"}\n{"message":"by hand"}\n',
      })
      return { status: response.status, json: (await response.json()) as unknown }
    },
    { url: `${system.origin}/api${pathname}/envelope/`, key: username },
  )
  expect(answer).toEqual({ status: 200, json: { id: '0123456789abcdef0123456789abcdef' } })
  await vi.waitFor(async () => expect(await project.counts()).toEqual({ stored: 1 }))
  await close()
})

test('after a used up quota @sentry/browser stops sending errors and reports its drops', async () => {
  const project = await system.project('free')
  await system.spend(project, tiersDefault.free.errorEventsPerMonth)
  const { page, items, answers, act, close } = await visit(project.dsn)
  // the ingest knows the used up quota some seconds later; the SDK drops repeated errors, so each one has a
  // number
  let tries = 0
  // answers to errors and to other items contain the limit
  const limited = () => answers.find(({ limits }) => limits !== null)
  // twice a second: Chromium holds answers back while 64 KB of keepalive requests wait
  await vi.waitFor(
    async () => {
      await act(`shop.fail('too many ${tries++}')`)
      await act('shop.flush()')
      expect(limited()).toBeDefined()
    },
    { timeout: 25_000, interval: 500 },
  )
  expect(limited()?.limits).toMatch(/^\d+:error:organization:usage_exceeded$/)
  const sentErrors = countOf(items)['event'] ?? 0
  for (let n = 0; n < 4; n++) await act(`shop.fail('held back ${n}')`)
  await act('shop.flush()')
  expect(countOf(items)['event']).toBe(sentErrors)
  // a page reports its drops when the user leaves it
  await page.goto('about:blank')
  await vi.waitFor(async () => {
    expect(await project.reported()).toEqual({ 'ratelimit_backoff error': tries + 4 - sentErrors })
    const { stored, ...drops } = await project.counts()
    expect(stored).toBe(tiersDefault.free.errorEventsPerMonth)
    expect(drops).toEqual({ quota: sentErrors })
  })
  await close()
}, 60_000)
