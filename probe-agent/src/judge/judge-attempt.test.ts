import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { describe, expect, test } from 'vitest'
import { deadlineFailure, failureOf, tooManyRedirects, unsafeTarget } from '../request/failure.ts'
import type { Failure, Headers, Outcome } from '../request/outcome.ts'
import { judgeAttempt, needsBody } from './judge-attempt.ts'

const measured = {
  timings: noTimings,
  latencyMs: 1,
  address: '93.184.216.34',
  hops: 0,
  certificateExpiresAt: null,
  notes: [],
}
const answer = (status: number, headers: Headers = {}, text = ''): Outcome => ({
  ...measured,
  ok: true,
  status,
  headers,
  body: { bytes: Buffer.from(text), truncated: false, undecoded: null },
})
const failing = (failure: Failure): Outcome => ({ ...measured, ok: false, ...failure })
const verdict = (outcome: Outcome, owner: 'account' | 'catalog', assertions: Partial<Assertions> = {}) => {
  const judged = judgeAttempt(outcome, { assertions: { ...noAssertions, ...assertions }, owner })
  return `${judged.verdict} ${judged.cause}`
}

describe('a failed attempt', () => {
  test('is down with a reason for a fault of the target', () => {
    const outcome = failing(failureOf('connect', 'ECONNREFUSED', { local: false }))
    expect(judgeAttempt(outcome, { assertions: noAssertions, owner: 'account' })).toEqual({
      verdict: 'down',
      fault: 'target',
      cause: 'connection_refused',
      reason: 'the connection was refused',
    })
    expect(verdict(failing(tooManyRedirects), 'catalog')).toBe('down too_many_redirects')
    expect(verdict(failing(deadlineFailure('ttfb', 1)), 'catalog')).toBe('down response_timeout')
  })

  test.each(['EMFILE', 'ENETDOWN', 'ENETUNREACH', 'EHOSTUNREACH', 'EACCES', 'ENOMEM'])(
    'is unmeasured, never down, for %s of the probe',
    (code) => {
      const outcome = failing(failureOf('connect', code, { local: false }))
      expect(verdict(outcome, 'account')).toMatch(/^unmeasured /)
      expect(verdict(outcome, 'catalog')).toMatch(/^unmeasured /)
    },
  )

  test('is unmeasured for an unsafe target', () => {
    expect(verdict(failing(unsafeTarget), 'account')).toBe('unmeasured unsafe_target')
  })
})

describe('an answer without assertions', () => {
  test.each<[number, string, string]>([
    [200, 'up ok', 'up ok'],
    [204, 'up ok', 'up ok'],
    [302, 'down status_mismatch', 'down status_mismatch'],
    [400, 'down status_mismatch', 'down status_mismatch'],
    [401, 'down status_mismatch', 'blocked refused'],
    [403, 'down status_mismatch', 'blocked refused'],
    [404, 'down status_mismatch', 'down status_mismatch'],
    [407, 'down status_mismatch', 'blocked refused'],
    [429, 'down status_mismatch', 'blocked refused'],
    [451, 'down status_mismatch', 'blocked refused'],
    [500, 'down status_mismatch', 'down status_mismatch'],
    [503, 'down status_mismatch', 'down status_mismatch'],
  ])('%d is %s for an account, %s for the catalog', (status, account, catalog) => {
    expect(verdict(answer(status), 'account')).toBe(account)
    expect(verdict(answer(status), 'catalog')).toBe(catalog)
  })

  test('is up without a reason', () => {
    expect(judgeAttempt(answer(200), { assertions: noAssertions, owner: 'account' })).toEqual({
      verdict: 'up',
      fault: 'none',
      cause: 'ok',
      reason: null,
    })
  })
})

describe('evidence of a refusal', () => {
  const challenge = { 'cf-mitigated': 'challenge' }
  test.each<[string, number, Headers, string, string]>([
    ['Cloudflare', 403, challenge, '', 'bot_challenge'],
    ['Cloudflare', 503, {}, '<script>window._cf_chl_opt={}</script>', 'bot_challenge'],
    ['Cloudflare', 403, {}, '<title>Attention Required! | Cloudflare</title>', 'waf_block'],
    ['Cloudflare', 403, {}, 'a.com used Cloudflare to restrict access', 'waf_block'],
    ['Cloudflare', 403, {}, 'error code: 1020', 'waf_block'],
    ['AWS WAF', 202, { 'x-amzn-waf-action': 'challenge' }, '', 'bot_challenge'],
    ['AWS WAF', 405, { 'x-amzn-waf-action': 'captcha' }, '', 'bot_challenge'],
    ['Vercel', 429, { 'x-vercel-mitigated': 'challenge' }, '', 'bot_challenge'],
    ['Vercel', 403, { 'x-vercel-mitigated': 'deny' }, '', 'waf_block'],
    ['Akamai', 403, { server: 'AkamaiGHost' }, '', 'waf_block'],
    ['Akamai', 403, {}, 'https://errors.edgesuite.net/18.2', 'waf_block'],
    ['Imperva', 403, {}, 'Incapsula incident ID: 1', 'waf_block'],
    ['Imperva', 406, {}, '/_Incapsula_Resource?x&incident_id=1', 'waf_block'],
    ['DataDome', 403, {}, 'https://geo.captcha-delivery.com/captcha', 'bot_challenge'],
    ['HUMAN', 403, {}, '<div id="px-captcha">', 'bot_challenge'],
    ['Sucuri', 403, { 'x-sucuri-block': 'EXPVP1' }, '', 'waf_block'],
    ['Sucuri', 403, {}, 'Access Denied - Sucuri Website Firewall', 'waf_block'],
    ['Kasada', 429, { 'x-kpsdk-ct': 'token' }, '', 'bot_challenge'],
    ['CloudFront', 403, {}, 'Request blocked. Generated by cloudfront (CloudFront)', 'waf_block'],
    ['Azure', 403, { 'x-azure-ref': '1' }, 'The request is blocked.', 'waf_block'],
  ])('of %s with %d is blocked for everyone', (_, status, headers, text, cause) => {
    for (const owner of ['account', 'catalog'] as const) {
      const outcome = answer(status, headers, text)
      const expected = `blocked ${cause}`
      expect(verdict(outcome, owner)).toBe(expected)
    }
  })

  test('contains its source', () => {
    const judged = judgeAttempt(answer(403, challenge), {
      assertions: noAssertions,
      owner: 'account',
    })
    expect(judged.reason).toBe('the probe met a bot challenge (Cloudflare: cf-mitigated: challenge)')
  })

  test.each<[string, number, Headers, string]>([
    ['passing through Cloudflare', 403, { server: 'cloudflare', 'cf-ray': '1' }, 'Forbidden'],
    ['an origin that is away behind Cloudflare', 521, { server: 'cloudflare' }, 'cf-error-details'],
    ['a script that Cloudflare injects', 503, {}, '/cdn-cgi/challenge-platform/scripts/jsd'],
    ['an edge error of Akamai', 503, { server: 'AkamaiGHost' }, ''],
    ['passing through DataDome', 403, { 'x-datadome': 'protected' }, ''],
    ['passing through Imperva', 503, { 'x-iinfo': '1' }, '/_Incapsula_Resource?SWJIYLWA'],
    ['another mitigation', 403, { 'cf-mitigated': 'something' }, ''],
    ['a page about captchas', 500, {}, 'https://geo.captcha-delivery.com/'],
  ])('is not %s', (_, status, headers, text) => {
    expect(verdict(answer(status, headers, text), 'account')).toBe('down status_mismatch')
  })

  test('in a header counts even with 200, unless assertions pass', () => {
    expect(verdict(answer(200, challenge), 'account')).toBe('blocked bot_challenge')
    const status = { assertionStatusMin: 200, assertionStatusMax: 299 }
    expect(verdict(answer(200, challenge), 'account', status)).toBe('up ok')
    const body = { assertionBodyOp: 'contains', assertionBodyValue: 'fine' } as const
    expect(verdict(answer(200, challenge, 'fine'), 'account', body)).toBe('up ok')
    expect(verdict(answer(200, challenge, 'no'), 'account', body)).toBe('blocked bot_challenge')
  })

  test('does not matter when the refusal is asserted', () => {
    const refused = { assertionStatusMin: 403, assertionStatusMax: 403 }
    expect(verdict(answer(403, challenge), 'account', refused)).toBe('up ok')
    expect(verdict(answer(401), 'catalog', { assertionStatusMin: 401 })).toBe('up ok')
  })

  test('is searched in the body when status or headers may be those of a refusal', () => {
    const needs = (status: number, more: Partial<Assertions> = {}, headers: Headers = {}) =>
      needsBody({ ...noAssertions, ...more }, status, { headers, owner: 'account' })
    expect(needs(200)).toBe(false)
    expect(needs(399)).toBe(false)
    expect(needs(400)).toBe(true)
    expect(needs(200, { assertionJsonPath: 'a' })).toBe(true)
    expect(needs(200, { assertionBodyOp: 'contains' })).toBe(true)
    expect(needs(200, {}, { 'x-iinfo': '1' })).toBe(true)
    expect(needs(304, {}, { 'x-iinfo': '1' })).toBe(false)
  })

  test('is searched in every page of a catalog service', () => {
    expect(needsBody(noAssertions, 200, { headers: {}, owner: 'catalog' })).toBe(true)
  })
})

describe('a catalog service', () => {
  const nginx =
    '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>'
  const accepts = { assertionStatusMin: 200, assertionStatusMax: 401 }
  const json = { assertionJsonPath: 'ok', assertionJsonOp: 'exists' } as const

  test.each([999, 406, 418, 420])('that answers %d is blocked; an own check is down', (status) => {
    expect(verdict(answer(status), 'catalog')).toBe('blocked refused')
    expect(verdict(answer(status), 'account')).toBe('down status_mismatch')
  })

  test('is not up for a challenge, whatever statuses it accepts', () => {
    const imperva = [{ 'x-iinfo': '1' }, '/_Incapsula_Resource?incident_id=1'] as const
    expect(verdict(answer(200, ...imperva), 'catalog', accepts)).toBe('blocked waf_block')
    expect(verdict(answer(200, ...imperva), 'account')).toBe('blocked waf_block')
    expect(verdict(answer(200, ...imperva), 'account', accepts)).toBe('up ok')
  })

  test('is down for an error page with 200; an own check asserts its content itself', () => {
    expect(verdict(answer(200, {}, nginx), 'catalog')).toBe('down error_page')
    expect(verdict(answer(200, {}, nginx), 'catalog', json)).toBe('down error_page')
    expect(verdict(answer(200, {}, nginx), 'account')).toBe('up ok')
  })

  test('with other content under 2xx is unmeasured, never down', () => {
    expect(verdict(answer(200, {}, '{}'), 'catalog', json)).toBe('unmeasured page_changed')
    expect(verdict(answer(200, {}, '<p>new'), 'catalog', json)).toBe('unmeasured page_changed')
    expect(verdict(answer(200, {}, '{"ok":1}'), 'catalog', json)).toBe('up ok')
    expect(verdict(answer(200, {}, '{}'), 'account', json)).toBe('down json_missing')
    const judged = judgeAttempt(answer(200, {}, '{}'), {
      assertions: { ...noAssertions, ...json },
      owner: 'catalog',
    })
    expect(judged).toMatchObject({
      fault: 'probe',
      reason: 'the page changed: JSON path ok does not exist',
    })
  })

  test('with other content under another status is down', () => {
    const notFound = { ...json, assertionStatusMin: 404, assertionStatusMax: 404 }
    expect(verdict(answer(404, {}, '{}'), 'catalog', notFound)).toBe('down json_missing')
    expect(verdict(answer(500, {}, '{}'), 'catalog', json)).toBe('down status_mismatch')
  })

  test('with its asserted content is up, whatever else the page contains', () => {
    const body = { assertionBodyOp: 'contains', assertionBodyValue: 'Bad Gateway' } as const
    expect(verdict(answer(200, {}, nginx), 'catalog', body)).toBe('up ok')
  })
})

test('a reason never exceeds the limit of a reading', () => {
  const path = Array.from({ length: 30 }, () => 'abcdefghijkl').join('.')
  const assertions = {
    ...noAssertions,
    assertionJsonPath: path,
    assertionJsonOp: 'exists',
  } as const
  const judged = judgeAttempt(answer(200, {}, '{}'), { assertions, owner: 'account' })
  expect(judged.reason).toHaveLength(300)
})
