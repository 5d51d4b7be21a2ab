import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'
import { typedOfInstant } from '../../html/local-time.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })
const owner = useOnce(() => publisherOf(web))

const hourMs = 3_600_000
const inHours = (hours: number): string => typedOfInstant(web.at.now() + hours * hourMs)
const path = () => `/dashboard/maintenance/new?page=${owner.pageId}`
const announce = (more: Record<string, string>) =>
  owner.post(path(), { title: 'Disks', body: 'New ones.', ...more })
const windows = (title: string) =>
  web.at.sql<
    { id: string; starts_at: Date; ends_at: Date; whole_page: boolean }[]
  >`select id, starts_at, ends_at, whole_page from maintenance_windows where title = ${title}`

test('an account without windows is offered its first window', async () => {
  const member = await web.member()
  const { text } = await member.get('/dashboard/maintenance')
  expect(text).toContain('<a class="button primary" href="/dashboard/maintenance/new">')
})

test('times are in the zone of the form, and in UTC if it is unknown', async () => {
  const form = await owner.get(path())
  expect(form.text).toContain('<option value="UTC" selected>')
  const [startsAt, endsAt] = [inHours(1), inHours(2)]
  const made = await announce({ title: 'Zone', startsAt, endsAt, durationMinutes: '' })
  expect(made).toMatchObject({ status: 303, to: '/dashboard/maintenance' })
  const [window] = await windows('Zone')
  expect(window?.starts_at.toISOString()).toBe(`${startsAt}:00.000Z`)
  expect(window?.ends_at.toISOString()).toBe(`${endsAt}:00.000Z`)
  expect(window?.whole_page).toBe(true)
  const local = {
    title: 'Berlin',
    startsAt: '2030-07-01T12:00',
    durationMinutes: '60',
    zone: 'Europe/Berlin',
  }
  await announce(local)
  const [berlin] = await windows('Berlin')
  expect(berlin?.starts_at.toISOString()).toBe('2030-07-01T10:00:00.000Z')
})

test('a form starts in the zone of the browser, and shows times of a window in it', async () => {
  const times = { startsAt: '2030-07-01T12:00', durationMinutes: '60', zone: 'UTC' }
  await announce({ title: 'Zoned', ...times })
  const [window] = await windows('Zoned')
  const at = `/dashboard/maintenance/${window?.id}/change`
  const { text } = await owner.get(at, { cookie: 'zone=Asia/Tokyo' })
  expect(text).toContain('<option value="Asia/Tokyo" selected>')
  expect(text).toContain('value="2030-07-01T21:00"')
  const unknown = await owner.get(at, { cookie: 'zone=Mars/Olympus' })
  expect(unknown.text).toContain('<option value="UTC" selected>')
})

test('a preview shows title, times and message, and announces nothing', async () => {
  const typed = {
    title: hostile,
    body: 'Readers see this.',
    startsAt: '2030-07-01T12:00',
    durationMinutes: '60',
  }
  const shown = await announce({ ...typed, zone: 'Europe/Berlin', act: 'preview' })
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('1 Jul 2030, 12:00 to 1 Jul 2030, 13:00, Europe/Berlin')
  expect(shown.text).toContain('<bdi>Readers see this.</bdi>')
  expect(shown.text).not.toContain('<script>')
  expect(await windows(hostile)).toEqual([])
})

test('a duration can replace the end, and a window without a start is active at once', async () => {
  await announce({ title: hostile, durationMinutes: ' 30 ', startsAt: '', endsAt: '' })
  const [window] = await windows(hostile)
  expect(Number(window?.ends_at) - Number(window?.starts_at)).toBe(30 * 60_000)
  const { text } = await owner.get('/dashboard/maintenance')
  const row = text.split('<tr>').find((each) => each.includes('&lt;script&gt;'))
  expect(row).toContain('>Active</strong>')
  expect(row).toContain('<td class="where">the whole page</td>')
  expect(row).toContain(`/dashboard/maintenance/${window?.id}/end`)
  expect(text).not.toContain('<script>')
})

test('ticked components are covered and stay ticked', async () => {
  const [one, two] = [await owner.component(hostile), await owner.component('two')]
  await owner.component('three')
  const pairs: [string, string][] = [
    ['componentIds', one],
    ['componentIds', two],
    ['body', 'b'],
  ]
  const refused = await owner.post(path(), pairs)
  expect(refused.status).toBe(422)
  expect(refused.text.match(/value="[\w-]{36}" checked>/g)).toHaveLength(2)
  expect(refused.text).not.toContain('<script>')
  await owner.post(path(), [...pairs, ['title', 'Two of them'], ['durationMinutes', '5']])
  const { text } = await owner.get('/dashboard/maintenance')
  const row = text.split('<tr>').find((each) => each.includes('Two of them'))
  expect(row).toContain('<td class="where">2 components</td>')
  const [window] = await windows('Two of them')
  const covered = async () => (await owner.get(`/dashboard/maintenance/${window?.id}`)).text
  expect(await covered()).toContain('alert(1)&lt;/script&gt;</bdi></a>')
  expect(await covered()).toContain('<bdi>two</bdi></a>')
  expect(await covered()).not.toContain('<script>')
  await owner.post(`/dashboard/pages/${owner.pageId}/components/${two}/unpublish`)
  expect(await covered()).toContain('<li>1 no longer on the page</li>')
})

test.each<[string, Record<string, () => string>, string]>([
  ['neither an end nor minutes', {}, 'endsAt'],
  ['both', { endsAt: () => inHours(1), durationMinutes: () => '5' }, 'endsAt'],
  ['an end that is over', { startsAt: () => inHours(-2), endsAt: () => inHours(-1) }, 'endsAt'],
  ['minutes that are none', { durationMinutes: () => 'an hour' }, 'durationMinutes'],
  ['no minute', { durationMinutes: () => '0' }, 'durationMinutes'],
  ['a start that is no time', { startsAt: () => 'soon', durationMinutes: () => '5' }, 'startsAt'],
  ['no title', { title: () => ' ', durationMinutes: () => '5' }, 'title'],
])('%s is refused beside its field, and what was typed is kept', async (_name, more, field) => {
  const typed = Object.fromEntries(Object.entries(more).map(([name, make]) => [name, make()]))
  const { status, text } = await announce({ body: 'kept words', ...typed })
  expect(status).toBe(422)
  expect(text).toContain(`id="field-${field}-problem"`)
  expect(text).toContain(`<a href="#field-${field}">`)
  expect(text).toContain('kept words</textarea>')
  for (const value of Object.values(typed)) expect(text).toContain(`value="${value}"`)
  expect(text).toContain('<option value="UTC" selected>')
})

test('an active window is ended after a confirmation page', async () => {
  await announce({ title: 'Ends', durationMinutes: '60' })
  const [window] = await windows('Ends')
  const at = `/dashboard/maintenance/${window?.id}/end`
  const asked = await owner.get(at)
  expect(asked.text).toContain('<div data-dialog>')
  expect(asked.text).toContain('>End maintenance</button>')
  expect(await owner.post(at)).toMatchObject({ status: 303, to: '/dashboard/maintenance' })
  const { text } = await owner.get('/dashboard/maintenance')
  const row = text.split('<tr>').find((each) => each.includes('Ends'))
  expect(row).toContain('>Ended</strong>')
  expect((await owner.get(at)).text).toContain('It ended at')
})

test('a window that has not started stays unchanged, and the page says so', async () => {
  await announce({ title: 'Later', startsAt: inHours(5), durationMinutes: '60' })
  const [window] = await windows('Later')
  const at = `/dashboard/maintenance/${window?.id}/end`
  for (const shown of [await owner.get(at), await owner.post(at)]) {
    expect(shown).toMatchObject({ status: 200 })
    expect(shown.text).toContain('Only active maintenance can be ended')
  }
  expect(await windows('Later')).toEqual([window])
})

test('an account with several pages chooses the page first', async () => {
  const several = await publisherOf(web)
  expect((await several.get('/dashboard/maintenance/new')).text).toContain('name="title"')
  await several.post('/dashboard/pages', { name: hostile, slug: 'the-second' })
  const { text } = await several.get('/dashboard/maintenance/new')
  expect(text).toContain(`href="/dashboard/maintenance/new?page=${several.pageId}">`)
  expect(text).not.toContain('name="title"')
  expect(text).not.toContain('<script>')
})

test("another account's window and page are not found", async () => {
  await announce({ title: 'Mine', durationMinutes: '60' })
  const [window] = await windows('Mine')
  const stranger = await web.member()
  const at = `/dashboard/maintenance/${window?.id}/end`
  expect(await stranger.get(`/dashboard/maintenance/${window?.id}`)).toMatchObject({ status: 404 })
  expect(await stranger.get(at)).toMatchObject({ status: 404 })
  expect(await stranger.post(at)).toMatchObject({ status: 404 })
  expect(await stranger.get(path())).toMatchObject({ status: 404 })
  const form = { title: 'a', body: 'b', durationMinutes: '5' }
  expect(await stranger.post(path(), form)).toMatchObject({ status: 404 })
  expect(await windows('Mine')).toEqual([window])
})

test('a window that has not started is changed and cancelled on separate pages', async () => {
  await announce({ title: 'Sooner', startsAt: inHours(5), durationMinutes: '60' })
  const [window] = await windows('Sooner')
  const at = `/dashboard/maintenance/${window?.id}`
  expect((await owner.get(at)).text).toContain(`href="${at}/change"`)
  const form = await owner.get(`${at}/change`)
  expect(form.text).toContain('value="Sooner"')
  const startsAt = inHours(6)
  const title = `Moved ${hostile}`
  const typed = { title, body: 'b', startsAt, endsAt: inHours(6), durationMinutes: '30' }
  const changed = await owner.post(`${at}/change`, typed)
  expect(changed).toMatchObject({ status: 303, to: at })
  const [now] = await windows(title)
  expect(now?.starts_at.toISOString()).toBe(`${startsAt}:00.000Z`)
  expect(Number(now?.ends_at) - Number(now?.starts_at)).toBe(30 * 60_000)
  const refused = await owner.post(`${at}/change`, { title: 'x', body: 'b', startsAt: inHours(-1) })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('id="field-startsAt-problem"')
  const asked = await owner.get(`${at}/cancel`)
  expect(asked.text).toContain('>Cancel maintenance</button>')
  expect(asked.text).not.toContain('<script>')
  expect(await owner.post(`${at}/cancel`)).toMatchObject({
    status: 303,
    to: '/dashboard/maintenance',
  })
  expect((await owner.get(at)).text).toContain('before its start')
  for (const path of [`${at}/change`, `${at}/cancel`]) {
    expect((await owner.get(path)).text).toContain('It was cancelled at')
  }
})

test('a note for the team is written, shown, changed and cleared, and the public page has none', async () => {
  await announce({ title: 'Noted', startsAt: inHours(5), durationMinutes: '60', note: `CHG-7 ${hostile}` })
  const [window] = await windows('Noted')
  const at = `/dashboard/maintenance/${window?.id}`
  const shown = await owner.get(at)
  expect(shown.text).toContain('Note for your team')
  expect(shown.text).toContain('CHG-7')
  expect(shown.text).not.toContain('<script>')
  const typed = { title: 'Noted', body: 'b', startsAt: inHours(6), durationMinutes: '30' }
  expect((await owner.get(`${at}/change`)).text).toContain('CHG-7')
  await owner.post(`${at}/change`, { ...typed, note: '' })
  expect((await owner.get(at)).text).not.toContain('Note for your team')
})
