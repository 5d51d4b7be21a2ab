import { documentedAssertions } from '@probe-mesh/contracts/outage/catalog'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { shippedCatalog } from '@probe-mesh/control-plane/src/catalog/testing'
import { judgeAttempt } from '@probe-mesh/probe-agent/src/judge/judge-attempt'
import { describe, expect, test } from 'vitest'

/** The catalog's documented answers, tested against a matching answer and against others. */

const { services } = await shippedCatalog()
const documented = services.flatMap(({ slug, probes }) =>
  probes.flatMap((probe) =>
    probe.documented === undefined ? [] : [{ slug, probe, example: probe.documented.example }],
  ),
)

const judged = (
  probe: (typeof documented)[number]['probe'],
  text: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): string => {
  const body = { bytes: Buffer.from(text), truncated: false, undecoded: null }
  const { verdict, cause } = judgeAttempt(
    {
      ok: true,
      status,
      headers,
      body,
      timings: noTimings,
      latencyMs: 1,
      address: null,
      hops: 0,
      certificateExpiresAt: null,
      notes: [],
    },
    { assertions: documentedAssertions(probe), owner: 'catalog' },
  )
  return `${verdict} ${cause}`
}

/** Pages with status 200 that are not documented. */
const others: Record<string, string> = {
  'an empty page': '',
  'another page': '<!doctype html><html><head><title>Welcome</title></head><body>Hello.</body></html>',
  'an empty object': '{}',
  'an empty list': '[]',
  'an error in JSON': '{"error":{"code":500,"message":"Internal error"}}',
  'a page for apps without scripts': '<noscript>You need to enable JavaScript to run this app.</noscript>',
}

describe.each(documented)('$slug $probe.url', ({ probe, example }) => {
  test('is up for the documented answer', () => {
    expect(judged(probe, example)).toBe('up ok')
  })

  test.each(Object.entries(others))('is neither up nor down for %s', (_, text) => {
    expect(judged(probe, text)).toBe('unmeasured page_changed')
  })

  test('is down for an error page, blocked for a captcha and a refusal, down for a failure', () => {
    const nginx = '<center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>'
    expect(judged(probe, nginx)).toBe('down error_page')
    const captcha = '<iframe src="/_Incapsula_Resource?incident_id=1">'
    expect(judged(probe, captcha, { headers: { 'x-iinfo': '1' } })).toBe('blocked waf_block')
    expect(judged(probe, example, { status: 403 })).toBe('blocked refused')
    expect(judged(probe, example, { status: 503 })).toBe('down status_mismatch')
  })

  test('names its documentation', () => {
    expect(probe.documented?.source).toMatch(/^https:\/\//)
  })
})
