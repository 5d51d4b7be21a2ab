import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

const nasty = '<script>"&'

let web: TestWeb
beforeAll(async () => {
  web = await startTestWeb({ config: { budgetScale: 100 } })
})
afterAll(() => web.close())

const owner = async () => {
  const member = await web.member()
  const made = await member.post('/dashboard/keys', { name: 'test', scope: 'read_write' })
  const key = String(/sv_rw_\w{49}/.exec(made.text)?.[0])
  const body = { name: nasty, url: 'https://example.org/', regions: ['fra', 'nrt'] }
  const { json } = await web.at.call('POST', '/v1/checks', { key, body })
  const read = async () => (await web.at.call('GET', `/v1/checks/${json.id}`, { key })).json
  return { ...member, read, path: `/dashboard/checks/${String(json.id)}` }
}

test('measured now where no agent is, it says that nobody measured, and not that it is down', async () => {
  const { post, get, path } = await owner()
  const { status, text } = await post(`${path}/run`)
  expect(status).toBe(200)
  expect(text).toContain('no agent answered in time: fra, nrt')
  expect(text).not.toContain('down')
  expect(text).not.toContain('<script>')
  expect(await get(`${path}/run`)).toMatchObject({ status: 303, to: path })
})

test('a check is deleted after a page that says what is lost', async () => {
  const { post, get, path } = await owner()
  const asked = await get(`${path}/delete`)
  expect(asked.text).toContain('every reading')
  expect(asked.text).toContain('its component on every status page')
  expect(asked.text).not.toContain('<script>')
  expect(await get(path)).toMatchObject({ status: 200 })
  expect(await post(`${path}/delete`)).toMatchObject({ status: 303, to: '/dashboard/checks' })
  expect(await get(path)).toMatchObject({ status: 404 })
  expect(await post(`${path}/delete`)).toMatchObject({ status: 404 })
})

test('regions are replaced as a whole', async () => {
  const { post, get, path, read } = await owner()
  expect((await get(`${path}/regions`)).text).toContain('value="fra, nrt"')
  expect(await post(`${path}/regions`, { regions: ' iad,fra ' })).toMatchObject({
    status: 303,
    to: path,
  })
  expect(await read()).toMatchObject({ regions: expect.arrayContaining(['iad', 'fra']) })
  expect((await read()).regions).toHaveLength(2)
})

test.each([
  ['', 'at least one region'],
  ['fra, fra', 'named twice'],
  ['fra, xyz', 'live are'],
  [nasty, 'three lower-case letters'],
])(
  'the regions %j are refused beside the field, and kept as they were typed',
  async (regions, why) => {
    const { post, path, read } = await owner()
    const { status, text } = await post(`${path}/regions`, { regions })
    expect(status).toBe(422)
    expect(text).toContain('id="field-regions-problem"')
    expect(text).toContain(why)
    expect(text).not.toContain('<script>')
    expect((await read()).regions).toEqual(['fra', 'nrt'])
  },
)

test('assertions are replaced as a whole: what is empty is cleared', async () => {
  const { post, get, path, read } = await owner()
  const body = { assertionBodyOp: 'contains', assertionBodyValue: `a\r\n${nasty}` }
  expect(await post(`${path}/assertions`, { ...body, assertionStatusMin: '200' })).toMatchObject({
    status: 303,
  })
  expect(await read()).toMatchObject({
    assertionStatusMin: 200,
    assertionBodyValue: `a\n${nasty}`,
  })
  const shown = await get(`${path}/assertions`)
  expect(shown.text).toContain('value="200"')
  expect(shown.raw).toContain('a\n&lt;script&gt;&quot;&amp;</textarea>')
  await post(`${path}/assertions`, { assertionStatusMax: '299' })
  expect(await read()).toMatchObject({
    assertionStatusMin: null,
    assertionStatusMax: 299,
    assertionBodyOp: null,
    assertionBodyValue: null,
  })
})

test('every problem of the assertions is beside its field, and what was typed is kept', async () => {
  const { post, path } = await owner()
  const { status, text } = await post(`${path}/assertions`, {
    assertionStatusMin: 'many',
    assertionBodyValue: nasty,
    assertionJsonPath: '$..a',
    assertionJsonOp: 'exists',
  })
  expect(status).toBe(422)
  expect(text).toContain('id="field-assertionStatusMin-problem"')
  expect(text).toContain('id="field-assertionBodyOp-problem"')
  expect(text).toContain('id="field-assertionJsonPath-problem"')
  expect(text).toContain('value="many"')
  expect(text).toContain('<option value="exists" selected>')
  expect(text).not.toContain('<script>')
})

test('a stranger does nothing with it', async () => {
  const { path, get } = await owner()
  const stranger = await web.member()
  for (const act of ['run', 'delete', 'regions', 'assertions']) {
    expect(await stranger.post(`${path}/${act}`, { regions: 'fra' })).toMatchObject({ status: 404 })
  }
  expect(await get(path)).toMatchObject({ status: 200 })
})
