import { limits } from '@probe-mesh/contracts/schema/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { startPages } from './testing/pages.ts'
import { startForbiddenHost, type ForbiddenHost, type Site } from './testing/site.ts'
import { createVisitor, detailsOf, type Visitor } from './testing/visitor.ts'

let site: Site
let forbidden: ForbiddenHost
let visitor: Visitor
/** For pages that never show the expected content, with a short wait. */
let hasty: Visitor

beforeAll(async () => {
  const chromium = await findTestChromium()
  forbidden = await startForbiddenHost()
  site = await startPages(forbidden)
  visitor = createVisitor(chromium, {
    settleMs: 10_000,
    names: { 'shop.example.com': ['127.0.0.1'] },
  })
  hasty = createVisitor(chromium, { settleMs: 300 })
  for (const each of [visitor, hasty]) await each.visit({ url: site.url() })
}, 600_000)
afterAll(async () => {
  await Promise.all([visitor.close(), hasty.close()])
  await site.close()
  await forbidden.close()
})

const isJpeg = (base64: string): boolean => {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.readUInt16BE(0) === 0xffd8 && bytes.readUInt16BE(bytes.length - 2) === 0xffd9
}

describe('a page', () => {
  test('with the expected content is up, with its observations', async () => {
    const probed = await visitor.visit({
      url: site.url(),
      titleContains: 'shop',
      textContains: 'Welcome to the',
      failOnConsoleErrors: true,
      lcpMsMax: 15_000,
    })
    expect(probed.judgement).toEqual({ verdict: 'up', fault: 'none', cause: 'ok', reason: null })
    const { trace } = probed
    expect(trace).toMatchObject({ answered: true, httpStatus: 200, address: '127.0.0.1' })
    expect(trace.screenshot).toBeUndefined()
    expect(trace.latencyMs).toBeGreaterThan(0)
    expect(trace.timings.connectMs).not.toBeNull()
    expect(trace.timings.ttfbMs).not.toBeNull()
    expect(trace.timings).toMatchObject({ dnsMs: null, tlsMs: null })
    expect(detailsOf(probed)).toMatchObject({
      title: 'The shop',
      consoleErrors: [],
      consoleErrorCount: 0,
      refusedRequests: 0,
    })
    expect(detailsOf(probed).lcpMs).toBeGreaterThan(0)
    const agent = site.requests.at(-1)?.headers['user-agent'] ?? ''
    expect(agent).toMatch(/^Mozilla.*Chrome\/.* ProbeMesh\/test$/)
    for (const { rawHeaders } of site.requests) {
      expect(rawHeaders.map((each) => each.toLowerCase())).not.toContain('proxy-authorization')
    }
  })

  test.each([
    ['by name', () => ({ url: `http://shop.example.com:${site.port}/` }), 'ok'],
    ['after a redirect', () => ({ url: site.url('/hop'), textContains: 'Welcome' }), 'ok'],
    ['after its script went on', () => ({ url: site.url('/goes-on'), textContains: 'Welcome' }), 'ok'],
    ['filled by its script', () => ({ url: site.url('/late'), textContains: 'come in' }), 'ok'],
    ['named by its script', () => ({ url: site.url('/late'), titleContains: 'is open' }), 'ok'],
    ['that only warns', () => ({ url: site.url('/warns'), failOnConsoleErrors: true }), 'ok'],
    [
      'whose site has no icon',
      () => ({ url: site.url('/no-icon'), textContains: 'come in', failOnConsoleErrors: true }),
      'ok',
    ],
    ['with errors nobody asks for', () => ({ url: site.url('/errors') }), 'ok'],
    [
      'without its title',
      () => ({ url: site.url(), titleContains: 'Shop' }),
      'title_mismatch',
      'expected the title to contain "Shop", got "The shop"',
    ],
    [
      'without its text',
      () => ({ url: site.url(), textContains: 'farewell' }),
      'text_mismatch',
      'the page does not show "farewell"',
    ],
    [
      'whose text is hidden',
      () => ({ url: site.url(), textContains: 'secret' }),
      'text_mismatch',
      'the page does not show "secret"',
    ],
    [
      'with errors on its console',
      () => ({ url: site.url('/errors'), failOnConsoleErrors: true }),
      'console_error',
      '2 errors on the console: "one"',
    ],
    [
      'that lacks a picture',
      () => ({ url: site.url('/no-picture'), failOnConsoleErrors: true }),
      'console_error',
      /^1 error on the console: "Failed to load resource: the server /,
    ],
    [
      'that paints too late',
      () => ({ url: site.url(), lcpMsMax: 1 }),
      'lcp_slow',
      /^expected the largest contentful paint within 1 ms, it took \d+ ms$/,
    ],
    [
      'that paints nothing',
      () => ({ url: site.url('/empty'), lcpMsMax: 1_000 }),
      'lcp_missing',
      'expected the largest contentful paint within 1000 ms, but nothing was painted',
    ],
    [
      'that is out of order',
      () => ({ url: site.url('/503') }),
      'status_mismatch',
      'expected status 200-299, got 503',
    ],
    [
      'that is out of order and says nothing',
      () => ({ url: site.url('/503-empty') }),
      'status_mismatch',
      'expected status 200-299, got 503',
    ],
    [
      'that asks who is there',
      () => ({ url: site.url('/401') }),
      'status_mismatch',
      'expected status 200-299, got 401',
    ],
    ['that is a download', () => ({ url: site.url('/download') }), 'not_a_page', 'the answer is not a page'],
    [
      'that redirects for ever',
      () => ({ url: site.url('/loop') }),
      'too_many_redirects',
      'too many redirects',
    ],
    [
      'whose connection is reset',
      () => ({ url: site.url('/reset') }),
      'connection_reset',
      'the connection was reset',
    ],
    [
      'whose server is off',
      () => ({ url: 'http://127.0.0.1:1024/' }),
      'connection_refused',
      'the connection was refused',
    ],
    [
      'whose server is off, over TLS',
      () => ({ url: 'https://127.0.0.1:1024/' }),
      'connection_refused',
      'the connection was refused',
    ],
    ['that speaks no TLS', () => ({ url: `https://127.0.0.1:${site.port}/` }), 'tls_failed', 'TLS failed'],
    [
      'whose name does not exist',
      () => ({ url: 'http://nowhere.example.com/' }),
      'dns_not_found',
      'the host name does not exist',
    ],
  ])('%s: %#', async (_name, settings, cause, reason: string | RegExp | null = null) => {
    const isWaitedFor = !['title_mismatch', 'text_mismatch', 'lcp_missing'].includes(cause)
    const { judgement, trace } = await (isWaitedFor ? visitor : hasty).visit(settings())
    expect(judgement.cause).toBe(cause)
    if (typeof reason === 'string' || reason === null) expect(judgement.reason).toBe(reason)
    else expect(judgement.reason).toMatch(reason)
    expect(judgement.verdict).toBe(cause === 'ok' ? 'up' : 'down')
    if (cause === 'connection_refused') expect(trace).toMatchObject({ answered: false, httpStatus: null })
  })

  test('keeps no cookie between visits', async () => {
    for (let n = 0; n < 2; n++) {
      const { judgement } = await visitor.visit({
        url: site.url('/cookie'),
        textContains: 'stranger',
      })
      expect(judgement.verdict).toBe('up')
    }
  })
})

describe('a page that refuses the probe', () => {
  test.each([
    ['/challenge', {}, 'blocked', 'bot_challenge'],
    ['/challenge-page', {}, 'blocked', 'bot_challenge'],
    ['/challenge-200', {}, 'blocked', 'bot_challenge'],
    ['/challenge-200', { textContains: 'Welcome' }, 'up', 'ok'],
    ['/403', {}, 'down', 'status_mismatch'],
  ])('%s, expecting %j: %s', async (path, settings, verdict, cause) => {
    const { judgement } = await visitor.visit({ url: site.url(path), ...settings })
    expect(judgement).toMatchObject({ verdict, cause })
  })

  test('is blocked for a catalog service and down for an own check', async () => {
    const { judgement } = await visitor.visit({ url: site.url('/403') }, { owner: 'catalog' })
    expect(judgement).toMatchObject({ verdict: 'blocked', cause: 'refused' })
  })
})

describe('a failed page', () => {
  test('has one screenshot, as a JPEG within the limit', async () => {
    const checkId = '0190a000-0000-7000-8000-000000000007'
    const failing = { url: site.url('/noise'), textContains: 'nothing' }
    const first = await hasty.visit(failing, { checkId })
    const picture = first.trace.screenshot ?? ''
    expect(picture.length).toBeGreaterThan(10_000)
    expect(picture.length).toBeLessThanOrEqual(limits.screenshotCharactersMax)
    expect(isJpeg(picture)).toBe(true)
    const retried = await hasty.visit(failing, { checkId })
    expect(retried.trace.screenshot).toBeDefined()
    const again = await hasty.visit(failing, { checkId })
    expect(again.trace.screenshot).toBeUndefined()
    expect(again.judgement.cause).toBe('text_mismatch')
  })
})
