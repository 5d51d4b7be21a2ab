import type { MeasuredRegion } from '@probe-mesh/control-plane/src/public-answers/weather'
import { beforeEach, describe, expect, test } from 'vitest'
import { mainOf, withoutOwnScript, wordsIn } from '../../testing/flat.ts'
import { useTestWeb } from '../../testing/test-web.ts'
import { asMarkdown } from '../as-markdown.ts'

const minuteMs = 60_000

const web = useTestWeb()
// each test has the whole budget of its address
beforeEach(() => web.at.pass(2 * minuteMs))

const get = (path: string, headers: Record<string, string> = {}) => web.visitor().get(path, headers)

const everyPage = ['/', '/weather', '/internet']
const everyForm = [...everyPage, asMarkdown('/weather'), asMarkdown('/internet')]

describe('a page with a citable answer', () => {
  test.each(everyPage)('%s is public, without cookies or third parties', async (path) => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=5',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(headers['set-cookie']).toBeUndefined()
    expect(withoutOwnScript(text)).not.toContain('<script')
    expect(text).toContain(`<link rel="canonical" href="http://127.0.0.1:8080${path}">`)
  })

  test.each(['/weather', '/internet'])('%s has the forms that it names', async (path) => {
    const { text } = await get(path)
    const [, json = ''] = /type="application\/json" href="([^"]+)"/.exec(text) ?? []
    const [, markdown = ''] = /type="text\/markdown" href="([^"]+)"/.exec(text) ?? []
    expect((await web.at.call('GET', json)).json.url).toBe(`http://127.0.0.1:8080${path}`)
    const shown = await get(markdown)
    expect(shown).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/markdown; charset=utf-8',
        'cache-control': 'public, max-age=5',
      },
    })
    expect(shown.raw).toContain(`Source: <http://127.0.0.1:8080${path}>`)
  })

  test.each(everyForm)('%s says no data without measurements', async (path) => {
    const { text } = await get(path)
    expect(text).toMatch(/no data/)
    expect(text).not.toMatch(/class="tag (good|bad)"|\*\*(normal|no shared incident)\*\*/)
  })

  test.each(everyForm.slice(1))('%s counts once for the address of its reader', async (path) => {
    web.at.hold()
    const left = async (): Promise<number> => {
      const { headers } = await web.at.call('GET', '/v1/public/weather')
      return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
    }
    const before = await left()
    await get(path)
    // one for the page and one for reading the budget
    expect(before - (await left())).toBe(2)
  })

  test('is refused as a page with a retry time once the budget is exhausted', async () => {
    web.at.hold()
    for (let spent = 0; spent < 60; spent += 1) await web.at.call('GET', '/v1/public/weather')
    for (const path of everyPage) {
      const { status, headers, text } = await get(path)
      expect([path, status, headers['content-type'], headers['cache-control']]).toEqual([
        path,
        429,
        'text/html; charset=utf-8',
        'no-store',
      ])
      expect(text).toContain(`Try again in ${String(headers['retry-after'])} seconds.`)
    }
    expect((await web.at.call('GET', '/v1/public/weather', { from: '192.0.2.9' })).status).toBe(200)
  })

  test('is not sent again to a client with a current copy', async () => {
    web.at.hold()
    const { headers } = await get('/weather')
    const etag = String(headers['etag'])
    expect(await get('/weather', { 'if-none-match': etag })).toMatchObject({ status: 304, raw: '' })
  })
})

test('the weather compares present measurements with the usual ones', async () => {
  const usual = { p50Ms: 100, p75Ms: 190, p95Ms: 610, samples: 16_500 }
  const region = (region: string, p50Ms: number | null): MeasuredRegion => ({
    region,
    now: p50Ms === null ? null : { p50Ms, p75Ms: p50Ms * 2, p95Ms: 990, samples: 2_750 },
    days: Array.from({ length: 7 }, () => usual),
    responseRatio: { ratio: (p50Ms ?? 100) / 100, services: 9 },
    dayRatios: Array.from({ length: 7 }, () => ({ ratio: 1, services: 9 })),
    quarantined: false,
  })
  const { observed } = web.at.answers
  observed.setReadings('github', { fra: 'up', iad: 'up' })
  observed.setWeather([region('fra', 121), region('iad', 240), region('nrt', null)])
  const { text } = await get('/weather')
  expect(text).toContain('fra: normal, 121 ms; iad: slower, 240 ms; nrt: no data</desc>')
  expect(wordsIn(mainOf(text))).toContain(
    'From this machine, response times are slower than usual for this hour (iad 2.4x)',
  )
  expect(wordsIn(text)).toContain('Regions read fra iad Measured')
  expect((await get(asMarkdown('/weather'))).raw).toContain('| iad | Ashburn, Virginia | slower | 240 ms |')
  // without present measurements there is no weather, whatever came before
  web.at.pass(10 * minuteMs)
  const { text: later } = await get('/weather')
  expect(later).toContain('fra: no data; iad: no data; nrt: no data</desc>')
})
