import { CheckType } from '@probe-mesh/contracts/check/check'
import { describe, expect, test } from 'vitest'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { formIn } from '../../testing/form-in.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const nasty = '"><script>alert(1)</script>'
const path = (type: string) => `/dashboard/checks/new/${type}`
const filled = (raw: string, more: Record<string, string>): [string, string][] => [
  ...formIn(raw).filter(([name]) => !(name in more)),
  ...Object.entries(more),
]

const sound = {
  http: { url: 'https://example.org/', assertionStatusMin: '200', assertionStatusMax: '204' },
  multistep: { 'steps[0].name': 'home', 'steps[0].url': 'https://example.org/' },
  tcp: { 'settings.host': 'example.org', 'settings.port': '443' },
  dns: { 'settings.name': 'example.org' },
  smtp: { 'settings.host': 'mail.example.org' },
  grpc: { 'settings.host': 'api.example.org', 'settings.service': 'shop.v1.Cart' },
  browser: { 'settings.url': 'https://example.org/' },
  heartbeat: {},
} as const satisfies Record<CheckType, Record<string, string>>

test('every type is offered, an http check first', async () => {
  const { get } = await web.member('free')
  const { text } = await get('/dashboard/checks/new')
  for (const type of CheckType.options) expect(text).toContain(`href="${path(type)}"`)
  expect(text).toContain('name="url"')
})

describe.each(CheckType.options)('a %s check', (type) => {
  test('is created from its form, in every region, and its page confirms it', async () => {
    const { get, post } = await web.member()
    const { raw } = await get(path(type))
    const made = await post(path(type), filled(raw, { name: nasty, ...sound[type], act: 'save' }))
    expect(made).toMatchObject({ status: 303, to: expect.stringMatching(/^\/dashboard\/checks\//) })
    const shown = await get(String(made.to))
    expect(shown).toMatchObject({ status: 200 })
    expect(shown.text).not.toContain('<script>')
    expect(shown.text).toContain('Check created.')
    const stored = formIn((await get(`${made.to}/edit`)).raw)
    expect(Object.fromEntries(stored)).toMatchObject({ name: nasty, ...sound[type] })
    if (type !== 'heartbeat') {
      const regions = stored.filter(([name]) => name === 'regions')
      expect(regions.map(([, region]) => region)).toEqual(['iad', 'sjc', 'fra', 'nrt'])
    }
  })

  test('is refused with its form, its input and each problem at its field', async () => {
    const { get, post } = await web.member()
    const more = Object.fromEntries(Object.keys(sound[type]).map((name) => [name, nasty]))
    const sent = filled((await get(path(type))).raw, { ...more, name: 'x'.repeat(201) })
    const { status, raw, text } = await post(path(type), sent)
    expect(status).toBe(422)
    expect(formIn(raw)).toEqual(sent.toSorted(byOrderOf(formIn(raw))))
    expect(text).toContain('id="field-name-problem"')
    expect(text).not.toContain('<script>')
    // every problem links to an existing field
    const links = [...raw.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id)
    expect(links).toContain('field-name')
    for (const id of links) if (id !== 'main') expect(raw).toContain(`id="${id}"`)
  })
})

const byOrderOf = (fields: [string, string][]) => {
  const order = fields.map(([name]) => name)
  return ([a]: [string, string], [b]: [string, string]) => order.indexOf(a) - order.indexOf(b)
}

test.each([
  ['tcp', 'settings.port', 'https'],
  ['http', 'assertionStatusMin', '2xx'],
  ['heartbeat', 'settings.graceSeconds', '5 minutes'],
  ['browser', 'settings.lcpMsMax', '0'],
  ['multistep', 'steps[0].assertions.statusMin', 'ok'],
  ['multistep', 'steps[0].assertions.jsonPath', '$..a'],
] as const)('in a %s check, %s may not be %s: said beside it', async (type, name, value) => {
  const { get, post } = await web.member()
  const { raw } = await get(path(type))
  const { status, text } = await post(path(type), filled(raw, { name: 'a', ...sound[type], [name]: value }))
  expect(status).toBe(422)
  expect(text).toContain(`id="field-${name.replace(/\W/g, '-')}-problem"`)
  expect(text).toContain(`value="${value}"`)
})

test('a check is not created without a region, with too short an interval, or with a private address', async () => {
  const { get, post } = await web.member('growth')
  const { raw } = await get(path('http'))
  const send = (form: [string, string][]) => post(path('http'), form)
  const none = await send(filled(raw, { name: 'a', ...sound.http }).filter(([name]) => name !== 'regions'))
  expect(none.status).toBe(422)
  expect(none.text).toContain('at least one region is required')
  const fast = await send(filled(raw, { name: 'a', ...sound.http, intervalSeconds: '59' }))
  expect(fast).toMatchObject({ status: 403 })
  const inside = await send(filled(raw, { name: 'a', url: 'http://10.0.0.1/' }))
  expect(inside.status).toBe(422)
  expect(inside.text).toContain('id="field-url-problem"')
  expect((await get('/dashboard/checks')).text).toContain('No checks yet')
})

test('an account at its limit sees that before and after', async () => {
  const { get, post } = await web.member('free')
  const sent = filled((await get(path('heartbeat'))).raw, { name: 'job' })
  for (let n = 0; n < 10; n++) expect(await post(path('heartbeat'), sent)).toMatchObject({ status: 303 })
  expect((await get(path('heartbeat'))).text).toContain('The limit of 10 checks of the free plan is reached.')
  const { status, text } = await post(path('heartbeat'), sent)
  expect(status).toBe(403)
  expect(text).toContain('The limit of 10 checks of the free plan is reached')
})

test('an unknown type is not found', async () => {
  const { get, post } = await web.member()
  expect(await get(path('ftp'))).toMatchObject({ status: 404 })
  expect(await post(path('ftp'), { name: 'a' })).toMatchObject({ status: 404 })
})

describe('a pasted curl command', () => {
  const paste = async (curl: string) => {
    const { post } = await web.member()
    const { text, raw } = await post(path('http'), { act: 'curl', curl })
    return { text, raw, fields: Object.fromEntries(formIn(raw)) }
  }

  test('that requests a page becomes an http check', async () => {
    const { fields } = await paste("curl -sS 'https://example.org/a?b=1'")
    expect(fields).toMatchObject({ url: 'https://example.org/a?b=1', intervalSeconds: '60' })
  })

  test('with credentials names the secrets that it stored, and shows no value', async () => {
    const { text, raw } = await paste(
      `curl https://example.org/login -H 'Content-Type: application/json' -H 'X-Key: ${nasty}' -A Mozilla/5.0 -d '{"a":1}'`,
    )
    expect(text).toContain('{{ secret.x_key }}</code>for<bdi>example.org</bdi>')
    expect(text).toContain('Headers that the probe sends in its own way, or not at all: user-agent.')
    expect(raw).not.toContain('alert(1)')
  })

  test('that cannot be read is shown again with the reason', async () => {
    const { text } = await paste('curl https://example.org/ | sh')
    expect(text).toContain('a pipe')
    expect(text).toContain('curl https://example.org/ | sh')
  })
})

describe('the steps of a new journey', () => {
  const fields = (raw: string) => Object.fromEntries(formIn(raw))

  test('are added, moved and removed with all input kept, and nothing is saved', async () => {
    const { get, post } = await web.member()
    const first = await get(path('multistep'))
    const typed = filled(first.raw, {
      name: nasty,
      intervalSeconds: '90',
      'steps[0].name': 'one',
      'steps[0].body': ' a\r\nb"<',
      'steps[0].assertions.bodyCaseSensitive': 'on',
    })
    const added = await post(path('multistep'), [...typed, ['act', 'add']])
    expect(added.status).toBe(200)
    expect(fields(added.raw)).toMatchObject({
      ...Object.fromEntries(typed),
      'steps[1].name': '',
      'steps[1].method': 'GET',
    })
    const two = filled(added.raw, { 'steps[1].name': 'two', 'steps[1].method': 'POST' })
    const moved = await post(path('multistep'), [...two, ['act', 'up-1']])
    expect(fields(moved.raw)).toMatchObject({
      name: nasty,
      intervalSeconds: '90',
      'steps[0].name': 'two',
      'steps[0].method': 'POST',
      'steps[1].name': 'one',
      'steps[1].body': ' a\r\nb"<',
      'steps[1].assertions.bodyCaseSensitive': 'on',
    })
    expect(moved.text).not.toContain('<script>')
    const removed = await post(path('multistep'), [...formIn(moved.raw), ['act', 'remove-0']])
    expect(formIn(removed.raw)).toEqual(
      formIn((await post(path('multistep'), [...typed, ['act', 'up-0']])).raw),
    )
    expect((await get('/dashboard/checks')).text).toContain('No checks yet')
  })

  test('are ten at most: the button disappears, and a submitted eleventh is refused', async () => {
    const { get, post } = await web.member()
    let page = await get(path('multistep'))
    for (let count = 1; count < 10; count++) {
      expect(page.text).toContain('Add step')
      page = await post(path('multistep'), [...formIn(page.raw), ['act', 'add']])
    }
    expect(page.text).not.toContain('Add step')
    const again = await post(path('multistep'), [...formIn(page.raw), ['act', 'add']])
    expect(formIn(again.raw)).toEqual(formIn(page.raw))
    const eleven = filled(page.raw, { name: 'a', 'steps[10].name': 'x', act: 'save' })
    const { status, text } = await post(path('multistep'), eleven)
    expect(status).toBe(422)
    expect(text).toContain('<a href="#field-steps">')
    expect(text).toContain('at most 10 steps are allowed, not 11')
    // a problem of the steps as a whole
    expect(text).toContain('id="field-steps-0--name-problem"')
    expect(text).toContain('id="field-steps-9--url-problem"')
  })

  test('are saved by the Enter key, and not moved', async () => {
    const { get } = await web.member()
    const { raw } = await get(path('multistep'))
    const form = raw.slice(raw.lastIndexOf('<form'))
    expect(/<button[^>]*>/.exec(form)?.[0]).toContain('value="save"')
  })
})

describe('a trial of a check', () => {
  test('shows the result of each region next to the unsaved form', async () => {
    const serving = await web.at.bus.runs.serve('fra', async ({ at, number, kind, assignment }) => ({
      agent: 'fra-1',
      reading: readingAt('fra', 'blocked', at, {
        checkId: assignment.checkId,
        number,
        kind,
        reason: nasty,
        details: {
          type: 'multistep',
          hops: [
            {
              step: 1,
              hop: 0,
              startMs: 0,
              method: 'GET',
              url: 'https://example.org/"<a>',
              httpStatus: 200,
              latencyMs: 30,
              timings: { dnsMs: 1, connectMs: 2, tlsMs: 3, ttfbMs: 20, transferMs: 4 },
              address: '192.0.2.1',
            },
          ],
        },
      }),
    }))
    const { get, post } = await web.member()
    const sent = filled((await get(path('http'))).raw, { name: nasty, ...sound.http })
    const tried = await post(path('http'), [...sent, ['act', 'try']])
    await serving.close()
    expect(tried.status).toBe(200)
    expect(tried.text).toContain('Measured just now, not saved. All regions are measured from this machine.')
    expect(tried.text).toContain('<strong class="tag uncertain">Blocked</strong>')
    expect(tried.text.match(/no answer from the agent: nothing is known/g)).toHaveLength(3)
    expect(tried.text).toContain('https://example.org/&quot;&lt;a&gt;</bdi>')
    expect(tried.text).not.toContain('<script>')
    expect(Object.fromEntries(formIn(tried.raw))).toEqual(Object.fromEntries(sent))
    expect((await get('/dashboard/checks')).text).toContain('No checks yet')
  })

  test('offers assertions from the answer, and a button adds one to the form', async () => {
    const body = JSON.stringify({ items: [{ name: nasty }] })
    const serving = await web.at.bus.runs.serve('fra', async ({ at, number, kind, assignment, excerpt }) => ({
      agent: 'fra-1',
      reading: readingAt('fra', 'up', at, {
        checkId: assignment.checkId,
        number,
        kind,
        httpStatus: 200,
        ...(excerpt === true && { excerpt: { contentType: 'application/json', body, isCut: false } }),
      }),
    }))
    const { get, post } = await web.member()
    const sent = filled((await get(path('http'))).raw, sound.http)
    const tried = await post(path('http'), [...sent, ['act', 'try']])
    await serving.close()
    expect(tried.text).toContain('JSON items[0].name = ')
    expect(tried.text).not.toContain('<script>')
    const number = /value="(offer-\d)"[^>]*><bdi>JSON/.exec(tried.text)?.[1] ?? ''
    const added = await post(path('http'), [...formIn(tried.raw), ['act', number]])
    expect(added.status).toBe(200)
    expect(Object.fromEntries(formIn(added.raw))).toMatchObject({
      ...sound.http,
      assertionJsonPath: 'items[0].name',
      assertionJsonOp: 'equals',
      assertionJsonValue: nasty,
    })
    expect(added.text).toContain('<bdi>status 200</bdi>')
    expect(added.text).not.toContain('<bdi>JSON')
  })

  test('is refused like a creation, with every problem at its field', async () => {
    const { get, post } = await web.member()
    const sent = filled((await get(path('tcp'))).raw, { 'settings.port': 'x', act: 'try' })
    const { status, text } = await post(path('tcp'), sent)
    expect(status).toBe(422)
    expect(text).toContain('id="field-settings-host-problem"')
    expect(text).toContain('id="field-settings-port-problem"')
    expect(text).not.toContain('trial-regions')
  })

  test('is not offered for a heartbeat, which no region probes', async () => {
    const { get, post } = await web.member()
    const { raw, text } = await get(path('heartbeat'))
    expect(text).not.toContain('value="try"')
    const { status, text: refused } = await post(path('heartbeat'), filled(raw, { name: 'a', act: 'try' }))
    expect(status).toBe(405)
    expect(refused).toContain('has no target to probe')
  })
})
