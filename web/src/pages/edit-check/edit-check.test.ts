import { typedCheckTypes } from '@probe-mesh/control-plane/operations/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formIn } from '../../testing/form-in.ts'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
beforeAll(async () => {
  web = await startTestWeb({ config: { budgetScale: 100 } })
})
afterAll(() => web.close())

const nasty = '"><script>alert(1)</script>'
const nobody = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

/** A member with a way to make a check and to see what is stored of it. */
const owner = async () => {
  const member = await web.member()
  const made = await member.post('/dashboard/keys', { name: 'test', scope: 'read_write' })
  const key = String(/sv_rw_\w{49}/.exec(made.text)?.[0])
  return {
    ...member,
    http: async (body: object) => String((await web.at.call('POST', '/v1/checks', { key, body })).json.id),
    typed: async (type: string, form: Record<string, string>) => {
      const path = `/dashboard/checks/new/${type}`
      const { raw } = await member.get(path)
      const kept = formIn(raw).filter(([name]) => !(name in form))
      const { to } = await member.post(path, [...kept, ...Object.entries(form)])
      return String(to).split('/').at(-1) ?? ''
    },
    check: async (id: string) => (await web.at.call('GET', `/v1/checks/${id}`, { key })).json,
  }
}

const formOf = {
  tcp: { 'settings.host': 'db.example.org', 'settings.port': '8080', 'settings.send': 'a\r\n"<b>' },
  dns: {
    'settings.name': 'example.org',
    'settings.expect.op': 'includes',
    'settings.expect.values': '192.0.2.1\r\n192.0.2.2',
  },
  smtp: { 'settings.host': 'mail.example.org', 'settings.requireAuth': 'on' },
  browser: { 'settings.url': 'https://example.org/', 'settings.titleContains': nasty },
  multistep: { 'steps[0].name': nasty, 'steps[0].url': 'https://example.org/' },
  heartbeat: { 'settings.maxRuntimeSeconds': '60' },
} as const

describe.each(typedCheckTypes)('a %s check', (type) => {
  test('is shown as it is held, and saved unchanged it stays as it is', async () => {
    const { get, post, typed, check } = await owner()
    const id = await typed(type, { name: nasty, ...formOf[type] })
    const before = await check(id)
    const { raw, text } = await get(`/dashboard/checks/${id}/edit`)
    if (type !== 'multistep') expect(Object.fromEntries(formIn(raw))).toMatchObject(formOf[type])
    expect(text).not.toContain('<script>')
    const saved = await post(`/dashboard/checks/${id}/edit`, formIn(raw))
    expect(saved).toMatchObject({ status: 303, to: `/dashboard/checks/${id}` })
    expect(await check(id)).toMatchObject({ updatedAt: before.updatedAt, name: nasty })
  })

  test('is changed as a whole, or not at all with every problem beside its field', async () => {
    const { get, post, typed, check } = await owner()
    const id = await typed(type, { name: 'old', ...formOf[type] })
    const path = `/dashboard/checks/${id}/edit`
    const form = formIn((await get(path)).raw).filter(([name]) => name !== 'name')
    const refused = await post(path, [...form, ['name', ' '], ['paused', 'on']])
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="field-name-problem"')
    expect(formIn(refused.raw)).toContainEqual(['paused', 'on'])
    expect(await check(id)).toMatchObject({ name: 'old', paused: false })
    expect(await post(path, [...form, ['name', 'new'], ['paused', 'on']])).toMatchObject({
      status: 303,
    })
    expect(await check(id)).toMatchObject({ name: 'new', paused: true })
    await post(path, [...form, ['name', 'new']])
    expect(await check(id)).toMatchObject({ paused: false })
  })
})

test('settings that are emptied are unset, and a region that is unticked is measured from no more', async () => {
  const { get, post, typed, check } = await owner()
  const id = await typed('tcp', { name: 'db', ...formOf.tcp })
  const path = `/dashboard/checks/${id}/edit`
  const form = formIn((await get(path)).raw).filter(
    ([name, value]) => name !== 'settings.send' && value !== 'fra',
  )
  await post(path, form)
  const now = formIn((await get(path)).raw)
  expect(now).toContainEqual(['settings.send', ''])
  expect(await check(id)).toMatchObject({ regions: ['iad', 'sjc', 'nrt'], allRegions: false })
})

test('the timeout and the meaning of a refusal are fields of a new http check, and changed by a form of their own', async () => {
  const { get, post, typed, check } = await owner()
  const asked = { timeoutSeconds: '9', refusedAs: 'blocked' }
  const id = await typed('http', { name: 'web', url: 'https://example.org/', ...asked })
  const path = `/dashboard/checks/${id}/edit`
  const { raw } = await get(path)
  expect(raw).toMatch(/name="timeoutSeconds"[^>]*value="9"/)
  expect(raw).toMatch(/value="blocked"\s+selected/)
  expect(raw).toContain('Above it, up to 0.9, there is no such')
  await post(`${path}/header`, { sendRegion: 'on' })
  expect(await check(id)).toMatchObject({ timeoutSeconds: 9, refusedAs: 'blocked' })
  const refused = await post(`${path}/judging`, { timeoutSeconds: '31', refusedAs: '' })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('id="field-timeoutSeconds-problem"')
  expect(await post(`${path}/judging`, { timeoutSeconds: '', refusedAs: '' })).toMatchObject({
    status: 303,
  })
  const after = await check(id)
  expect([after.timeoutSeconds, after.refusedAs]).toEqual([undefined, undefined])
})

describe('whether the region is sent', () => {
  test('is asked of a new http check, and changed by a form of its own', async () => {
    const { get, post, typed } = await owner()
    const id = await typed('http', { name: 'web', url: 'https://example.org/', sendRegion: 'on' })
    const path = `/dashboard/checks/${id}/edit`
    const isTicked = async () => /name="sendRegion"[^>]*checked/.test((await get(path)).raw)
    expect(await isTicked()).toBe(true)
    await post(`${path}/assertions`, { assertionStatusMin: '200' })
    expect(await isTicked()).toBe(true)
    expect(await post(`${path}/header`, {})).toMatchObject({ status: 303 })
    expect(await isTicked()).toBe(false)
    await post(`${path}/header`, { sendRegion: 'on' })
    expect(await isTicked()).toBe(true)
  })

  test('is changed with all else of a journey, and stays when its steps are replaced', async () => {
    const { get, post, typed } = await owner()
    const id = await typed('multistep', { name: 'login', ...formOf.multistep, sendRegion: 'on' })
    const path = `/dashboard/checks/${id}`
    const form = async () => formIn((await get(`${path}/edit`)).raw)
    expect(await form()).toContainEqual(['sendRegion', 'on'])
    const steps = formIn((await get(`${path}/steps`)).raw).map(([name, value]): [string, string] => [
      name,
      name === 'steps[0].name' ? 'other' : value,
    ])
    expect(await post(`${path}/steps`, steps)).toMatchObject({ status: 303 })
    expect(await form()).toContainEqual(['sendRegion', 'on'])
    await post(
      `${path}/edit`,
      (await form()).filter(([name]) => name !== 'sendRegion'),
    )
    expect((await form()).some(([name]) => name === 'sendRegion')).toBe(false)
  })
})

describe('an http check', () => {
  const body = {
    name: nasty,
    url: 'https://example.org/',
    assertionJsonPath: 'a["<b>"]',
    assertionJsonOp: 'equals',
    assertionJsonValue: '"1"',
  }

  test('says what cannot be changed, and leads to making another like it', async () => {
    const { get, http } = await owner()
    const id = await http(body)
    const { text } = await get(`/dashboard/checks/${id}/edit`)
    expect(text).toContain('the interval of an http check stay as they were made')
    expect(text).toContain(`/dashboard/checks/new/http?from=${id}`)
    expect(text).not.toContain('<script>')
  })

  test('has its assertions replaced, or the form again with what was typed', async () => {
    const { get, post, http, check } = await owner()
    const id = await http(body)
    const path = `/dashboard/checks/${id}/edit`
    const shown = formIn((await get(path)).raw)
    expect(shown).toContainEqual(['assertionJsonPath', 'a["<b>"]'])
    const more = (each: Record<string, string>): [string, string][] => [
      ...shown.filter(([name]) => !(name in each)),
      ...Object.entries(each),
    ]
    const refused = await post(
      `${path}/assertions`,
      more({ assertionJsonPath: '$..a', assertionStatusMin: 'x' }),
    )
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="field-assertionJsonPath-problem"')
    expect(refused.text).toContain('id="field-assertionStatusMin-problem"')
    expect(formIn(refused.raw)).toContainEqual(['assertionJsonPath', '$..a'])
    // the other form of the page stands as the check is
    expect(refused.raw.match(/name="regions"[^>]*checked/g)).toHaveLength(4)
    const taken = await post(`${path}/assertions`, { assertionStatusMin: '200' })
    expect(taken).toMatchObject({ status: 303, to: `/dashboard/checks/${id}` })
    expect(await check(id)).toMatchObject({ assertionStatusMin: 200, assertionJsonPath: null })
  })

  test('is measured from the regions that are ticked, at least one', async () => {
    const { post, http, check } = await owner()
    const id = await http(body)
    const path = `/dashboard/checks/${id}/edit/regions`
    expect(
      await post(path, [
        ['regions', 'fra'],
        ['regions', 'nrt'],
      ]),
    ).toMatchObject({ status: 303 })
    expect(await check(id)).toMatchObject({ regions: ['fra', 'nrt'], assertionJsonOp: 'equals' })
    const none = await post(path)
    expect(none.status).toBe(422)
    expect(none.text).toContain('id="field-regions-problem"')
    expect(await check(id)).toMatchObject({ regions: ['fra', 'nrt'] })
  })
})

describe('the steps of a journey', () => {
  const journey = { name: nasty, ...formOf.multistep }

  test('are edited without being saved, then replaced as a whole', async () => {
    const { get, post, typed } = await owner()
    const id = await typed('multistep', journey)
    const path = `/dashboard/checks/${id}/steps`
    const added = await post(path, [...formIn((await get(path)).raw), ['act', 'add']])
    expect(added.text).not.toContain('<script>')
    const two: [string, string][] = formIn(added.raw).map(([name, value]) => {
      if (name === 'steps[1].name') return [name, 'second']
      return name === 'steps[1].url' ? [name, 'https://example.org/2'] : [name, value]
    })
    const moved = await post(path, [...two, ['act', 'up-1']])
    expect(formIn((await get(path)).raw)).toHaveLength(formIn(moved.raw).length / 2)
    const saved = await post(path, [...formIn(moved.raw), ['act', 'save']])
    expect(saved).toMatchObject({ status: 303, to: `/dashboard/checks/${id}` })
    const now = formIn((await get(path)).raw)
    expect(now).toEqual(formIn(moved.raw))
    expect(now).toContainEqual(['steps[0].name', 'second'])
    expect(now).toContainEqual(['steps[1].name', nasty])
  })

  test('are refused with every problem of every step, and stay as they were', async () => {
    const { get, post, typed } = await owner()
    const id = await typed('multistep', journey)
    const path = `/dashboard/checks/${id}/steps`
    const form = formIn((await get(path)).raw)
    const wrong: [string, string][] = [
      ...form.filter(([name]) => name !== 'steps[0].contentType'),
      ['steps[0].contentType', nasty],
      ['steps[1].name', 'x'],
      ['steps[1].method', 'BREW'],
      ['steps[1].url', 'http://'],
      ['steps[1].assertions.headerName', 'a b'],
    ]
    const { status, text, raw } = await post(path, wrong)
    expect(status).toBe(422)
    for (const name of ['0--contentType', '1--method', '1--assertions-headerName']) {
      expect(text).toContain(`id="field-steps-${name}-problem"`)
    }
    expect(formIn(raw)).toContainEqual(['steps[0].contentType', nasty])
    expect(formIn((await get(path)).raw)).toEqual(form)
    expect((await post(path)).text).toContain('at least one step is required')
  })

  test('are no part of a check of another type', async () => {
    const { get, http } = await owner()
    const id = await http({ name: 'a', url: 'https://example.org/' })
    const shown = await get(`/dashboard/checks/${id}/steps`)
    expect(shown).toMatchObject({ status: 303, to: `/dashboard/checks/${id}/edit` })
  })
})

test.each([
  ['tcp', 'edit', 'settings.host', 'other.example.org'],
  ['multistep', 'steps', 'steps[0].url', 'https://other.example.org/'],
] as const)('a %s check is tried from its page %s, and stays as it is', async (type, page, name, value) => {
  const { get, post, typed } = await owner()
  const id = await typed(type, { name: 'a', ...formOf[type] })
  const path = `/dashboard/checks/${id}/${page}`
  const form = formIn((await get(path)).raw)
  const sent = form.map(([each, was]): [string, string] => [each, each === name ? value : was])
  const asked: unknown[] = []
  const serving = await web.at.bus.runs.serve('sjc', async ({ assignment }) => {
    asked.push(assignment)
    return { agent: 'sjc-1', error: 'busy' }
  })
  const tried = await post(path, [...sent, ['act', 'try']])
  await serving.close()
  expect(tried.status).toBe(200)
  expect(tried.text).toContain('No answer from iad, sjc, fra, nrt')
  expect(JSON.stringify(asked)).toContain(value)
  expect(formIn(tried.raw)).toEqual(sent)
  expect(formIn((await get(path)).raw)).toEqual(form)
})

test.each(['edit', 'steps', 'edit/regions', 'edit/assertions'])(
  "%s of another account's check, and of none, is not there",
  async (page) => {
    const [one, other] = [await owner(), await owner()]
    const id = await one.typed('tcp', { name: 'a', ...formOf.tcp })
    for (const each of [id, nobody]) {
      const path = `/dashboard/checks/${each}/${page}`
      expect(await other.post(path, { name: 'taken' })).toMatchObject({ status: 404 })
      const shown = await other.get(path)
      expect(page.includes('/') ? shown.to : shown.status).toBe(
        page.includes('/') ? `/dashboard/checks/${each}/edit` : 404,
      )
    }
    expect(await one.check(id)).toMatchObject({ name: 'a', target: 'db.example.org:8080' })
  },
)
