import { beforeAll, expect, test } from 'vitest'
import { hostile, publisherOf, type Publisher } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'

let owner: Publisher
let checkId: string
let [componentId, otherId] = ['', '']
const web = useTestWeb({ config: { budgetScale: 100 } })
beforeAll(async () => {
  owner = await publisherOf(web)
  componentId = await owner.component(hostile)
  otherId = await owner.component('other')
  const [component] = await web.at.sql<{ check_id: string }[]>`
    select check_id from components where id = ${componentId}`
  checkId = component?.check_id ?? ''
})

const written = (more: Record<string, string> = {}) => ({
  statusPageId: owner.pageId,
  componentIds: componentId,
  impact: 'minor',
  status: 'investigating',
  title: 'Slow',
  body: 'We look into it.',
  ...more,
})
/** Posts an incident. @returns its path */
const open = async (more: Record<string, string> = {}): Promise<string> => {
  const opened = await owner.post('/dashboard/incidents/new', written(more))
  expect(opened).toMatchObject({ status: 303, to: expect.stringMatching(/^\/dashboard\/inc/) })
  return String(opened.to)
}
const mails = async (): Promise<number> => (await web.at.sql`select from outbox where kind = 'mail'`).length

test('an empty list offers the first post, or names what a page without components needs', async () => {
  const member = await web.member()
  expect((await member.get('/dashboard/incidents?view=posted')).text).toContain('No incidents yet')
  const { text } = await member.get('/dashboard/incidents/new')
  expect(text).toContain('No components to post about')
  expect(text).not.toContain('name="title"')
})

test('an address with a check ticks its component, and the post is mailed, confirmed and listed', async () => {
  await owner.subscriber('reader@example.org')
  const form = await owner.get(`/dashboard/incidents/new?check=${checkId}`)
  expect(form.text).toContain(`value="${componentId}" checked>`)
  expect(form.text).toContain(`value="${otherId}">`)
  const before = await mails()
  const path = await open({ title: hostile, body: `${hostile}\r\nline two` })
  expect(await mails()).toBe(before + 1)
  const { text, raw } = await owner.get(path)
  expect(text).toContain('up to 1 confirmed subscriber')
  expect(raw).toContain('&lt;/script&gt;\nline two</bdi></p>')
  expect(text).not.toContain('<script>')
  const list = await owner.get('/dashboard/incidents?view=posted')
  expect(list.text).toContain(`<a href="${path}">`)
  expect(list.text).not.toContain('<script>')
})

test('an incident with several components shows each of them as affected', async () => {
  const pairs = Object.entries(written({ title: 'Both', impact: 'major' }))
  const opened = await owner.post('/dashboard/incidents/new', [...pairs, ['componentIds', otherId]])
  const { text } = await owner.get(String(opened.to))
  const affected = text.slice(text.indexOf('<h2 id="affected">'))
  expect(affected).toContain('<bdi>other</bdi>')
  expect(affected).toContain('<bdi>&quot;&gt;&lt;script&gt;')
  expect(text).toContain('<dd>Major</dd>')
})

test('templates fill an empty message and never replace text of the author', async () => {
  const send = async (more: Record<string, string>) =>
    (await owner.post('/dashboard/incidents/new', written({ act: 'template-identified', ...more }))).text
  const filled = await send({ body: '' })
  expect(filled).toContain('We found the cause')
  expect(filled).toContain('<option value="identified" selected>')
  const kept = await send({ body: 'My own words.' })
  expect(kept).toContain('My own words.</textarea>')
  expect(kept).not.toContain('We found the cause')
  const swapped = await send({
    body: 'We found the cause of the problem and are working on a fix.',
    act: 'template-monitoring',
  })
  expect(swapped).toContain('A fix is in place')
})

test('a preview shows the banner of the impact and posts nothing', async () => {
  const incidents = async () => (await web.at.sql`select from incidents`).length
  const before = await incidents()
  const shown = await owner.post(
    '/dashboard/incidents/new',
    written({ title: hostile, impact: 'critical', act: 'preview' }),
  )
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('Major outage: &quot;&gt;&lt;script&gt;')
  expect(shown.text).toContain('value="critical" checked>')
  expect(shown.text).not.toContain('<script>')
  expect(await incidents()).toBe(before)
})

test('an outage shows the incident that it posted', async () => {
  const path = await open({ title: 'Machine' })
  const id = String(path.split('/').at(-1))
  await web.at.sql`update incidents set source = 'automatic', region = null where id = ${id}`
  const list = await owner.get('/dashboard/incidents?view=posted')
  const row = list.text.split('<tr>').find((each) => each.includes('Machine'))
  expect(row).toContain('<td class="posts">an outage</td>')
  expect((await owner.get(path)).text).toContain('Posted by an outage')
})

test('the newest update comes first, and a resolved incident can be reopened', async () => {
  const path = await open({ title: 'Updated' })
  const add = (status: string, body: string) => owner.post(`${path}/updates`, { status, body })
  expect(await add('resolved', 'All good.')).toMatchObject({ status: 303, to: path })
  const resolved = await owner.get(path)
  const timeline = resolved.text.slice(resolved.text.indexOf('<ol class="timeline"'))
  expect(timeline.indexOf('All good.')).toBeLessThan(timeline.indexOf('We look into it.'))
  expect(resolved.text).toContain('reopens the incident')
  await add('monitoring', 'Not so good.')
  const { text } = await owner.get(path)
  expect(text).toContain('<dt>Resolved</dt><dd>not yet</dd>')
  expect(text).toContain('<option value="monitoring" selected>')
})

test('an update changes title, impact and components; unchanged fields of the form keep their values', async () => {
  const path = await open({ title: 'Before' })
  const subject = { subject: 'on', title: 'After', impact: 'major', componentIds: otherId }
  const update = { status: 'identified', body: 'Found.', ...subject }
  expect(await owner.post(`${path}/updates`, update)).toMatchObject({ status: 303, to: path })
  const { text } = await owner.get(path)
  expect(text).toContain('<h1>After</h1>')
  expect(text).toContain('<dd>Major</dd>')
  expect(text).toContain(`value="${otherId}" checked>`)
  expect(text).toContain(`value="${componentId}">`)
  const none = Object.entries(update).filter(([name]) => name !== 'componentIds')
  const refused = await owner.post(`${path}/updates`, none)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('id="field-componentIds-problem"')
  expect(refused.text).toContain('<details open>')
})

test('an update without a message is refused at its field, and the status stays', async () => {
  const path = await open({ title: 'Empty update' })
  const { status, text } = await owner.post(`${path}/updates`, { status: 'identified', body: ' ' })
  expect(status).toBe(422)
  expect(text).toContain('id="field-body-problem"')
  expect(text).toContain('<option value="identified" selected>')
})

test('every problem of a new incident is shown at its field, and the input is kept', async () => {
  const wrong = written({ impact: 'total', title: ' ', body: hostile, componentIds: 'none' })
  const { status, text } = await owner.post('/dashboard/incidents/new', wrong)
  expect(status).toBe(422)
  for (const field of ['impact', 'title', 'componentIds']) {
    expect(text).toContain(`id="field-${field}-problem"`)
  }
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;</textarea>')
  expect(text).not.toContain('<script>')
})

test("another account's incident is not found, and its page accepts none", async () => {
  const path = await open({ title: 'Mine' })
  const stranger = await web.member()
  expect(await stranger.get(path)).toMatchObject({ status: 404 })
  const update = { status: 'resolved', body: 'Not mine.' }
  expect(await stranger.post(`${path}/updates`, update)).toMatchObject({ status: 404 })
  expect((await stranger.get('/dashboard/incidents?view=posted')).text).not.toContain(path)
  const { status } = await stranger.post('/dashboard/incidents/new', written())
  expect(status).toBe(404)
})
