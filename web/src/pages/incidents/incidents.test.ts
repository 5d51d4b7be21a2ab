import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import type { Publisher } from '../../testing/publisher.ts'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
let owner: Publisher
let checkId: string
beforeAll(async () => {
  web = await startTestWeb({ config: { budgetScale: 100 } })
  owner = await publisherOf(web)
  checkId = await owner.check(hostile)
})
afterAll(() => web.close())

const said = (more: Record<string, string> = {}) => ({
  statusPageId: owner.pageId,
  checkId,
  region: 'fra',
  title: 'Slow',
  body: 'We look into it.',
  ...more,
})
/** Opens an incident. @returns its path */
const open = async (more: Record<string, string> = {}): Promise<string> => {
  const opened = await owner.post('/dashboard/incidents/new', said(more))
  expect(opened).toMatchObject({ status: 303, to: expect.stringMatching(/^\/dashboard\/inc/) })
  return String(opened.to)
}
const mails = async (): Promise<number> => (await web.at.sql`select from outbox where kind = 'mail'`).length

test('an account without incidents is told so, and one without checks cannot open any', async () => {
  const member = await web.member()
  expect((await member.get('/dashboard/incidents?view=posted')).text).toContain('No incidents yet')
  expect((await member.get('/dashboard/incidents/new')).text).toContain('there is none yet')
})

test('one is opened, said to be mailed, and listed with what it is about', async () => {
  await owner.subscriber('reader@example.org')
  const form = await owner.get(`/dashboard/incidents/new?page=${owner.pageId}&check=${checkId}`)
  expect(form.text).toContain('mailed to the confirmed subscribers')
  expect(form.text).toContain(`<option value="${checkId}" selected>`)
  for (const region of ['iad', 'sjc', 'fra', 'nrt']) {
    expect(form.text).toContain(`<option value="${region}">`)
  }
  const before = await mails()
  const path = await open({ title: hostile, body: `${hostile}\r\nline two` })
  expect(await mails()).toBe(before + 1)
  const { text, raw } = await owner.get(path)
  expect(text).toContain('<dt>Source</dt><dd>manual</dd>')
  expect(text).toContain('the page has 1 in all')
  expect(raw).toContain('&lt;/script&gt;\nline two</bdi></p>')
  expect(text).not.toContain('<script>')
  const list = await owner.get('/dashboard/incidents?view=posted')
  expect(list.text).toContain(`<a href="${path}">`)
  expect(list.text).not.toContain('<script>')
})

test('an automatic one is marked as such, and one of a heartbeat has no region', async () => {
  const path = await open({ title: 'Machine' })
  const id = String(path.split('/').at(-1))
  await web.at.sql`update incidents set source = 'automatic', region = null where id = ${id}`
  const list = await owner.get('/dashboard/incidents?view=posted')
  const row = list.text.split('<tr>').find((each) => each.includes('Machine'))
  expect(row).toContain('<td>an outage</td>')
  expect(row).toContain('<td>-</td>')
  expect((await owner.get(path)).text).toContain('none: a heartbeat is measured in no region')
})

test('an update goes on with it; the newest stands first, and resolved can be opened again', async () => {
  const path = await open({ title: 'Goes on' })
  const add = (status: string, body: string) => owner.post(`${path}/updates`, { status, body })
  expect(await add('resolved', 'All good.')).toMatchObject({ status: 303, to: path })
  const resolved = await owner.get(path)
  expect(resolved.text.indexOf('All good.')).toBeLessThan(resolved.text.indexOf('We look into it.'))
  expect(resolved.text).toContain('opens the incident again')
  await add('monitoring', 'Not so good.')
  const { text } = await owner.get(path)
  expect(text).toContain('<dd>not yet</dd>')
  expect(text).toContain('<option value="monitoring" selected>')
})

test('an update without words is refused beside its field, and the status is kept', async () => {
  const path = await open({ title: 'Empty update' })
  const { status, text } = await owner.post(`${path}/updates`, { status: 'identified', body: ' ' })
  expect(status).toBe(422)
  expect(text).toContain('id="field-body-problem"')
  expect(text).toContain('<option value="identified" selected>')
})

test('every problem of a new one is said beside its field, and what was typed is kept', async () => {
  const wrong = said({ region: 'Frankfurt', title: ' ', body: hostile, checkId: 'none' })
  const { status, text } = await owner.post('/dashboard/incidents/new', wrong)
  expect(status).toBe(422)
  for (const field of ['region', 'title', 'checkId']) {
    expect(text).toContain(`id="field-${field}-problem"`)
  }
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;</textarea>')
  expect(text).not.toContain('<script>')
  const far = await owner.post('/dashboard/incidents/new', said({ region: 'xyz' }))
  expect(far.status).toBe(422)
  expect(far.text).toContain('id="field-region-problem"')
})

test("another account's incident is not there, and its page takes none", async () => {
  const path = await open({ title: 'Mine' })
  const stranger = await web.member()
  expect(await stranger.get(path)).toMatchObject({ status: 404 })
  const update = { status: 'resolved', body: 'Not mine.' }
  expect(await stranger.post(`${path}/updates`, update)).toMatchObject({ status: 404 })
  expect((await stranger.get('/dashboard/incidents?view=posted')).text).not.toContain(path)
  const { status } = await stranger.post('/dashboard/incidents/new', said())
  expect(status).toBe(404)
})
