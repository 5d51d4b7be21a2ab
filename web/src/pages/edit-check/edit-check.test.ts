import { typedCheckTypes } from '@probe-mesh/control-plane/src/app/testing/operation-context'
import { describe, expect, test } from 'vitest'
import { formIn } from '../../testing/form-in.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const nasty = '"><script>alert(1)</script>'
const nobody = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

/** A member who can create a check and read its stored form. */
const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
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
  grpc: { 'settings.host': 'api.example.org', 'settings.port': '8443', 'settings.security': 'none' },
  browser: { 'settings.url': 'https://example.org/', 'settings.titleContains': nasty },
  multistep: { 'steps[0].name': nasty, 'steps[0].url': 'https://example.org/' },
  heartbeat: { 'settings.maxRuntimeSeconds': '60' },
} as const

describe.each(typedCheckTypes)('a %s check', (type) => {
  test('is shown as stored, and an unchanged form changes nothing', async () => {
    const { get, post, typed, check } = await owner()
    const id = await typed(type, { name: nasty, ...formOf[type] })
    const before = await check(id)
    const { raw, text } = await get(`/dashboard/checks/${id}/edit`)
    expect(Object.fromEntries(formIn(raw))).toMatchObject(formOf[type])
    expect(text).not.toContain('<script>')
    const saved = await post(`/dashboard/checks/${id}/edit`, formIn(raw))
    expect(saved).toMatchObject({ status: 303, to: `/dashboard/checks/${id}` })
    expect(await check(id)).toMatchObject({ updatedAt: before.updatedAt, name: nasty })
  })

  test('is changed completely, or not at all with every problem at its field', async () => {
    const { get, post, typed, check } = await owner()
    const id = await typed(type, { name: 'old', ...formOf[type] })
    const path = `/dashboard/checks/${id}/edit`
    const form = formIn((await get(path)).raw).filter(([name]) => name !== 'name')
    const refused = await post(path, [...form, ['name', 'x'.repeat(201)], ['paused', 'on']])
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

test('emptied settings are unset, and an unticked region no longer measures it', async () => {
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

describe('an http check', () => {
  const body = {
    name: nasty,
    url: 'https://example.org/',
    tags: ['shop'],
    timeoutSeconds: 9,
    refusedAs: 'blocked',
    assertionJsonPath: 'a["<b>"]',
    assertionJsonOp: 'equals',
    assertionJsonValue: '"1"',
  }
  const editing = async () => {
    const member = await owner()
    const id = await member.http(body)
    const path = `/dashboard/checks/${id}/edit`
    const shown = await member.get(path)
    const sent = (more: Record<string, string>): [string, string][] => [
      ...formIn(shown.raw).filter(([name]) => !(name in more)),
      ...Object.entries(more),
    ]
    return { ...member, id, path, shown, sent, stored: () => member.check(id) }
  }

  test('is shown as stored, and an unchanged form changes nothing', async () => {
    const { shown, post, path, sent, stored, id } = await editing()
    expect(shown.text).not.toContain('<script>')
    const before = await stored()
    expect(await post(path, sent({}))).toMatchObject({ status: 303, to: `/dashboard/checks/${id}` })
    expect(await stored()).toEqual(before)
  })

  test('keeps its id when its name, URL, interval, tags and assertions change', async () => {
    const { shown, post, path, sent, stored, id } = await editing()
    expect(shown.text).toContain('Terraform with the old URL would replace this check')
    const url = 'https://example.net/'
    const more = {
      name: 'web',
      url,
      intervalSeconds: '300',
      tags: 'a, b',
      assertionJsonPath: '',
      assertionJsonOp: '',
      assertionJsonValue: '',
      assertionStatusMin: '200',
    }
    expect(await post(path, sent(more))).toMatchObject({ status: 303 })
    expect(await stored()).toMatchObject({
      id,
      name: 'web',
      url,
      intervalSeconds: 300,
      tags: ['a', 'b'],
      timeoutSeconds: 9,
      assertionStatusMin: 200,
      assertionJsonPath: null,
    })
  })

  test('is refused with every problem at its field, and stays unchanged', async () => {
    const { post, path, sent, stored } = await editing()
    const before = await stored()
    const more = { assertionJsonPath: '$..a', assertionStatusMin: 'x', timeoutSeconds: '31' }
    const refused = await post(path, sent(more))
    expect(refused.status).toBe(422)
    for (const name of Object.keys(more)) expect(refused.text).toContain(`id="field-${name}-problem"`)
    expect(formIn(refused.raw)).toContainEqual(['assertionJsonPath', '$..a'])
    const unsafe = await post(path, sent({ url: 'http://10.0.0.1/' }))
    expect(unsafe.text).toContain('id="field-url-problem"')
    const nowhere = await post(
      path,
      sent({}).filter(([name]) => name !== 'regions'),
    )
    expect(nowhere.text).toContain('id="field-regions-problem"')
    expect(await stored()).toEqual(before)
  })
})

test('the region header setting of a journey is saved with the rest', async () => {
  const { get, post, typed } = await owner()
  const id = await typed('multistep', { name: 'login', ...formOf.multistep, sendRegion: 'on' })
  const path = `/dashboard/checks/${id}/edit`
  const form = async () => formIn((await get(path)).raw)
  expect(await form()).toContainEqual(['sendRegion', 'on'])
  await post(
    path,
    (await form()).filter(([name]) => name !== 'sendRegion'),
  )
  expect((await form()).some(([name]) => name === 'sendRegion')).toBe(false)
})

describe('the steps of a journey', () => {
  const journey = { name: nasty, ...formOf.multistep }

  test('are edited without saving, then replaced as a whole', async () => {
    const { get, post, typed } = await owner()
    const id = await typed('multistep', journey)
    const path = `/dashboard/checks/${id}/edit`
    const added = await post(path, [...formIn((await get(path)).raw), ['act', 'add']])
    expect(added.text).not.toContain('<script>')
    const two: [string, string][] = formIn(added.raw).map(([name, value]) => {
      if (name === 'steps[1].name') return [name, 'second']
      return name === 'steps[1].url' ? [name, 'https://example.org/2'] : [name, value]
    })
    const moved = await post(path, [...two, ['act', 'up-1']])
    expect(formIn((await get(path)).raw).some(([name]) => name.startsWith('steps[1]'))).toBe(false)
    const saved = await post(path, [...formIn(moved.raw), ['act', 'save']])
    expect(saved).toMatchObject({ status: 303, to: `/dashboard/checks/${id}` })
    const now = formIn((await get(path)).raw)
    expect(now).toEqual(formIn(moved.raw))
    expect(now).toContainEqual(['steps[0].name', 'second'])
    expect(now).toContainEqual(['steps[1].name', nasty])
  })

  test('are refused with every problem of every step, and stay unchanged', async () => {
    const { get, post, typed } = await owner()
    const id = await typed('multistep', journey)
    const path = `/dashboard/checks/${id}/edit`
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
    const none = form.filter(([name]) => !name.startsWith('steps['))
    expect((await post(path, none)).text).toContain('at least one step is required')
  })

  test('had a separate page in earlier versions, which redirects to the form', async () => {
    const { get, http } = await owner()
    const id = await http({ name: 'a', url: 'https://example.org/' })
    const shown = await get(`/dashboard/checks/${id}/steps`)
    expect(shown).toMatchObject({ status: 303, to: `/dashboard/checks/${id}/edit` })
  })
})

test.each([
  ['tcp', 'settings.host', 'other.example.org'],
  ['multistep', 'steps[0].url', 'https://other.example.org/'],
] as const)('a %s check is tried with another %s and stays as it is', async (type, name, value) => {
  const { get, post, typed } = await owner()
  const id = await typed(type, { name: 'a', ...formOf[type] })
  const path = `/dashboard/checks/${id}/edit`
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
  expect(tried.text.match(/no answer from the agent/g)).toHaveLength(4)
  expect(JSON.stringify(asked)).toContain(value)
  expect(formIn(tried.raw)).toEqual(sent)
  expect(formIn((await get(path)).raw)).toEqual(form)
})

test("another account's check and an unknown one are not found", async () => {
  const [one, other] = [await owner(), await owner()]
  const id = await one.typed('tcp', { name: 'a', ...formOf.tcp })
  for (const each of [id, nobody]) {
    const path = `/dashboard/checks/${each}/edit`
    expect(await other.post(path, { name: 'taken' })).toMatchObject({ status: 404 })
    expect(await other.get(path)).toMatchObject({ status: 404 })
  }
  expect(await one.check(id)).toMatchObject({ name: 'a', target: 'db.example.org:8080' })
})

describe('what a check depends on', () => {
  test('is chosen in its form, shown on its page and on that of its parent, and kept by other forms', async () => {
    const { get, post, http } = await owner()
    const database = await http({ name: nasty, url: 'https://example.org/db' })
    const shop = await http({ name: 'shop', url: 'https://example.org/shop' })
    const path = `/dashboard/checks/${shop}/edit`
    const form = formIn((await get(path)).raw)
    expect((await get(path)).text).not.toContain(`value="${shop}"`)
    expect(await post(path, [...form, ['parentIds', database]])).toMatchObject({ status: 303 })
    const shown = await get(`/dashboard/checks/${shop}`)
    expect(shown.text).not.toContain('<script>alert')
    expect(shown.text).toContain(`/dashboard/checks/${database}`)
    expect((await get(`/dashboard/checks/${database}`)).text).toContain('Depend on it')
    const again = formIn((await get(path)).raw)
    expect(again).toContainEqual(['parentIds', database])
    await post(
      path,
      again.filter(([name]) => name !== 'parents' && name !== 'parentIds'),
    )
    expect(formIn((await get(path)).raw)).toContainEqual(['parentIds', database])
    await post(
      path,
      again.filter(([name]) => name !== 'parentIds'),
    )
    expect(formIn((await get(path)).raw).some(([name]) => name === 'parentIds')).toBe(false)
  })

  test('is refused as a circle, and the form keeps what was ticked', async () => {
    const { get, post, http } = await owner()
    const database = await http({ name: 'database', url: 'https://example.org/db' })
    const shop = await http({ name: 'shop', url: 'https://example.org/shop' })
    const [first, second] = [`/dashboard/checks/${shop}/edit`, `/dashboard/checks/${database}/edit`]
    await post(first, [...formIn((await get(first)).raw), ['parentIds', database]])
    const refused = await post(second, [...formIn((await get(second)).raw), ['parentIds', shop]])
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('a circle: database depends on shop, which depends on database')
    expect(formIn(refused.raw)).toContainEqual(['parentIds', shop])
  })
})
