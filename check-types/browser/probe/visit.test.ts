import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { createPages } from './pages.ts'
import { startPages } from './testing/pages.ts'
import { startForbiddenHost, type ForbiddenHost, type Site } from './testing/site.ts'
import { createVisitor, detailsOf, type Visitor } from './testing/visitor.ts'

let site: Site
let forbidden: ForbiddenHost
let visitor: Visitor
let chromium: string

beforeAll(async () => {
  chromium = await findTestChromium()
  forbidden = await startForbiddenHost()
  site = await startPages(forbidden)
  visitor = createVisitor(chromium, {
    settleMs: 10_000,
    names: { 'rebound.example.com': ['192.0.2.1', '10.0.0.1'] },
  })
  await visitor.visit({ url: site.url() })
}, 600_000)
afterAll(async () => {
  await visitor.close()
  await site.close()
  await forbidden.close()
})

describe('an address that is not a target', () => {
  const unsafe = { verdict: 'unmeasured', fault: 'probe', cause: 'unsafe_target' }

  test.each([
    ['named by the check', () => `http://${forbidden.host}:${forbidden.port}/`],
    ['behind a name with one bad address', () => 'http://rebound.example.com/'],
    ['behind a redirect', () => site.url('/away')],
    ['behind a script', () => site.url('/goes-away')],
  ])('%s leaves the page unmeasured', async (_name, url) => {
    const { judgement, trace } = await visitor.visit({ url: url() })
    expect(judgement).toMatchObject(unsafe)
    expect(judgement.reason).toBe('the target address is not allowed')
    expect(trace.screenshot).toBeUndefined()
    expect(forbidden.contacts).toBe(0)
  })

  test('is never reached from a page, and each try counts', async () => {
    const url = site.url('/reaches-out')
    const probed = await visitor.visit({ url, textContains: 'all tried' })
    expect(probed.judgement.verdict).toBe('up')
    // The frame, three pictures, two fetches, beacon, socket, events, worker at least.
    expect(detailsOf(probed).refusedRequests).toBeGreaterThanOrEqual(9)
    expect(forbidden.contacts).toBe(0)
  })
})

describe('a slow page', () => {
  const seconds = String.raw`\d(\.\d)? s$`

  test.each([
    [
      ['/no-answer', 'response_timeout', `^no response within ${seconds}`],
      ['/hangs', 'load_timeout', `^the page did not load within ${seconds}`],
    ],
    [['/busy', 'load_timeout', `^the page did not load within ${seconds}`]],
  ])('%j ends at its deadline', async (...cases) => {
    // Chromium runs, so that its start takes nothing of a short deadline.
    await visitor.visit({ url: site.url() })
    const startedAt = performance.now()
    const visits = cases.map(async ([path, cause, reason = '']) => {
      const { judgement } = await visitor.visit({ url: site.url(path) }, { deadlineMs: 8_000 })
      expect(judgement).toMatchObject({ verdict: 'down', fault: 'target', cause })
      expect(judgement.reason).toMatch(new RegExp(reason))
    })
    await Promise.all(visits)
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('ends with the agent, unmeasured', async () => {
    const controller = new AbortController()
    const before = site.requests.length
    const visit = visitor.visit({ url: site.url('/no-answer') }, { signal: controller.signal })
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(before))
    controller.abort()
    expect((await visit).judgement).toMatchObject({
      verdict: 'unmeasured',
      cause: 'probe_stopped',
    })
  })

  test('a third at once waits for a place, and is overloaded when none is free', async () => {
    const own = createVisitor(chromium, { pages: createPages({ waitMsMax: 2_000 }) })
    onTestFinished(own.close)
    const controller = new AbortController()
    const { signal } = controller
    const held = [1, 2].map(() => own.visit({ url: site.url('/no-answer') }, { signal }))
    const before = site.requests.length
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThanOrEqual(before + 2))
    const third = await own.visit({ url: site.url() })
    expect(third.judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_overloaded' })
    controller.abort()
    await Promise.all(held)
    expect((await own.visit({ url: site.url() })).judgement.verdict).toBe('up')
  })
})
