import { BrowserSettings } from '../settings.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { unsafeTarget } from '@probe-mesh/probe-agent/src/request/failure'
import { judgePage, type PageSeen } from './judge-page.ts'

const fine: PageSeen = {
  failure: null,
  status: 200,
  headers: {},
  title: 'The shop',
  hasTitle: true,
  hasText: true,
  lcpMs: 800,
  consoleErrors: [],
  consoleErrorCount: 0,
  markup: null,
  isOverLimit: false,
}
const settingsOf = (more: object = {}) => BrowserSettings.parse({ url: 'https://a.example/', ...more })
const judge = (seen: Partial<PageSeen>, settings = {}, owner: 'account' | 'catalog' = 'account') =>
  judgePage({ ...fine, ...seen }, { settings: settingsOf(settings), owner })

const everything = {
  titleContains: 'a',
  textContains: 'b',
  failOnConsoleErrors: true,
  lcpMsMax: 500,
}

describe('the verdict on a page', () => {
  test('the first failure decides, in the order navigation, status, title, text, console, paint', () => {
    const seen: PageSeen = {
      ...fine,
      failure: { cause: 'connection_reset', fault: 'target', reason: 'the connection was reset' },
      status: 500,
      hasTitle: false,
      hasText: false,
      consoleErrorCount: 1,
      consoleErrors: ['x'],
    }
    const mended: [Partial<PageSeen>, string][] = [
      [{}, 'connection_reset'],
      [{ failure: null }, 'status_mismatch'],
      [{ status: 200 }, 'title_mismatch'],
      [{ hasTitle: true }, 'text_mismatch'],
      [{ hasText: true }, 'console_error'],
      [{ consoleErrorCount: 0 }, 'lcp_slow'],
      [{ lcpMs: null }, 'lcp_missing'],
      [{ lcpMs: 500 }, 'ok'],
    ]
    for (const [more, cause] of mended) {
      Object.assign(seen, more)
      expect(judge(seen, everything).cause).toBe(cause)
    }
  })

  test.each([
    [199, 'down'],
    [200, 'up'],
    [299, 'up'],
    [300, 'down'],
  ])('status %i is %s', (status, verdict) => {
    expect(judge({ status }).verdict).toBe(verdict)
  })

  test.each([
    [500, 500, 'up'],
    [500.1, 500, 'down'],
    [null, 500, 'down'],
    [null, null, 'up'],
    [20_000, null, 'up'],
  ])('a paint after %s ms of at most %s ms is %s', (lcpMs, lcpMsMax, verdict) => {
    expect(judge({ lcpMs }, { lcpMsMax }).verdict).toBe(verdict)
  })

  test.each([
    [{ failure: 'browser ended' as const }, 'probe_browser_ended'],
    [{ failure: 'over limit' as const }, 'probe_page_limit'],
    [{ failure: unsafeTarget }, 'unsafe_target'],
    [{ status: null }, 'probe_browser_ended'],
    [{ isOverLimit: true, hasText: false }, 'probe_page_limit'],
  ])('a fault of the probe is unmeasured: %j', (seen, cause) => {
    const judgement = judge(seen, { textContains: 'b' })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', fault: 'probe', cause })
  })

  test('a page that reached a limit and shows the expected content is up', () => {
    expect(judge({ isOverLimit: true }, { textContains: 'b' }).verdict).toBe('up')
  })

  test.each([
    [403, 'account', 'down'],
    [403, 'catalog', 'blocked'],
    [503, 'catalog', 'down'],
  ] as const)('a bare %i is, for an %s, %s', (status, owner, verdict) => {
    expect(judge({ status }, {}, owner).verdict).toBe(verdict)
  })

  const challenge = { 'cf-mitigated': 'challenge' }
  test.each([
    [{ status: 403, headers: challenge }, {}, 'blocked'],
    [{ headers: challenge }, {}, 'blocked'],
    [{ headers: challenge }, { textContains: 'b' }, 'up'],
    [{ headers: challenge, hasText: false }, { textContains: 'b' }, 'blocked'],
    [{ status: 403, markup: '<script>_cf_chl_opt' }, {}, 'blocked'],
    [{ status: 403, markup: '<h1>no</h1>' }, {}, 'down'],
    [{ hasText: false, markup: '<script>_cf_chl_opt' }, { textContains: 'b' }, 'down'],
  ])('evidence of a refusal: %j expecting %j is %s', (seen, settings, verdict) => {
    expect(judge(seen, settings).verdict).toBe(verdict)
  })

  test('a challenge that never ends is blocked, not late', () => {
    const failure = { cause: 'load_timeout', fault: 'target' as const, reason: 'late' }
    expect(judge({ failure, status: 403, headers: challenge }).verdict).toBe('blocked')
    expect(judge({ failure, status: 403 }).verdict).toBe('down')
  })

  test('the reason fits a reading, whatever the page contains', () => {
    const text = fc.string({ maxLength: 400, unit: 'grapheme' })
    forAll([text, text, fc.nat(3)], (title, error, step) => {
      const judgement = judge(
        {
          title,
          hasTitle: step > 0,
          hasText: step > 1,
          consoleErrors: [error],
          consoleErrorCount: 1,
        },
        { ...everything, titleContains: `a${title}`, textContains: `b${error}` },
      )
      const { reason, cause } = Reading.pick({ reason: true, cause: true }).parse(judgement)
      expect(cause).toBe(['title_mismatch', 'text_mismatch', 'console_error', 'console_error'][step])
      expect((reason ?? '').length).toBeLessThanOrEqual(limits.reasonCharactersMax)
      expect(reason).not.toMatch(/[\r\n]/)
    })
  })
})
