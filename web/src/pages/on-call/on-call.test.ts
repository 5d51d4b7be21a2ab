import ICAL from 'ical.js'
import { afterAll, expect, test } from 'vitest'
import { origin, useTestWeb, type Member } from '../../testing/test-web.ts'

const web = useTestWeb()
afterAll(async () => {
  await web?.close()
})

const path = '/dashboard/on-call'
const weekdays = ['1', '2', '3', '4', '5', '6', '7'].map((day): [string, string] => [
  'layers[0].weekdays',
  day,
])
const layer = (members: string, more: Record<string, string> = {}): [string, string][] => [
  ...Object.entries({
    name: 'Primary',
    timeZone: 'Europe/Berlin',
    'layers[0].userIds': members,
    'layers[0].handOver': '09:00',
    'layers[0].length': '1',
    'layers[0].unit': 'weeks',
    'layers[0].startDate': '2026-01-05',
    'overrides[0].userId': '',
    'overrides[0].from': '',
    'overrides[0].to': '',
    ...more,
  }),
  ...weekdays,
]
/** A second member of the account. */
const second = async (member: Member): Promise<{ id: string; email: string }> => {
  const id = crypto.randomUUID()
  const email = `${id}@example.org`
  await web.at.sql`
    insert into users (id, account_id, email, name, password_hash, created_at)
    values (${id}, ${member.accountId}, ${email}, 'Bob', '', now())`
  return { id, email }
}
const created = async (member: Member, form: [string, string][]): Promise<string> => {
  const { status, to, text } = await member.post(`${path}/schedules`, form)
  expect([status, text]).toEqual([303, expect.anything()])
  return to?.split('/').at(-1) ?? ''
}

test('a schedule is created, shown for four weeks, changed and deleted, without a script', async () => {
  const member = await web.member()
  const bob = await second(member)
  const id = await created(member, layer(`${member.email}\r\n${bob.email}\r\n`))
  const page = await member.get(`${path}/${id}`)
  expect(page.text).toContain('Next four weeks')
  expect(page.text).toContain('<bdi>Bob</bdi>')
  expect(page.text).toContain('(Europe/Berlin)')
  expect((await member.get(path)).text).toContain(`href="${path}/${id}"`)
  const form = layer(bob.email, { name: 'Renamed' })
  expect(await member.post(`${path}/${id}`, form)).toMatchObject({ status: 303, to: `${path}/${id}` })
  expect((await member.get(path)).text).toMatch(/Renamed.*<bdi>Bob<\/bdi>/)
  expect((await member.get(`${path}/${id}/delete`)).text).toContain('Delete schedule')
  expect(await member.post(`${path}/${id}/delete`)).toMatchObject({ to: path })
  expect((await member.get(path)).text).toContain('No schedule yet')
})

test('everything wrong is said at once, what was typed stays, and nothing is saved', async () => {
  const member = await web.member()
  const wrong = layer('nobody@example.org', {
    name: '',
    'layers[0].handOver': '25:00',
    'layers[0].length': '',
  })
  const { status, text } = await member.post(`${path}/schedules`, wrong)
  expect(status).toBe(422)
  for (const said of ['no member has the address nobody@example.org', 'must be a time such as 09:00']) {
    expect(text).toContain(said)
  }
  for (const field of ['name', 'layers-0--handOver', 'layers-0--length']) {
    expect(text).toContain(`id="field-${field}-problem"`)
  }
  expect(text).toContain('nobody@example.org</textarea>')
  expect((await member.get(path)).text).toContain('No schedule yet')
})

test('an override wins for its time, in the zone of the schedule', async () => {
  const member = await web.member()
  const bob = await second(member)
  const at = (ms: number): string =>
    new Date(web.at.now() + ms)
      .toLocaleString('sv', { timeZone: 'Europe/Berlin' })
      .replace(' ', 'T')
      .slice(0, 16)
  const override = { 'overrides[0].userId': bob.id, 'overrides[0].from': at(-3_600_000) }
  const id = await created(member, layer(member.email, { ...override, 'overrides[0].to': at(3_600_000) }))
  expect((await member.get(path)).text).toMatch(new RegExp(`${id}.*<bdi>Bob</bdi>`))
})

test('a gap is said: no one is on call', async () => {
  const member = await web.member()
  await created(member, layer(member.email, { 'layers[0].startDate': '2099-01-01' }))
  expect((await member.get(path)).text).toContain('No one is on call')
})

test('a member who would never have a turn is refused by name, and turns in days on call are saved', async () => {
  const member = await web.member()
  const people = [member, ...(await Promise.all(Array.from({ length: 6 }, () => second(member))))]
  const all = people.map(({ email }) => email).join('\n')
  const turns = (unit: string): [string, string][] =>
    layer(all, { 'layers[0].unit': unit, 'layers[0].startDate': '2026-11-02' }).filter(
      ([name, value]) => name !== 'layers[0].weekdays' || Number(value) < 6,
    )
  const refused = await member.post(`${path}/schedules`, turns('days'))
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('Bob would never be on call: turns and days repeat every 7 days.')
  const saved = await member.post(`${path}/schedules`, turns('on_call_days'))
  expect(saved.status).toBe(303)
  expect((await member.get(saved.to ?? '')).text).not.toContain('turns are not equal')
})

test('hours of the day: a layer ends before its next hand-over', async () => {
  const member = await web.member()
  const bob = await second(member)
  const hours = { 'layers[0].until': '17:00', 'layers[0].unit': 'days', 'layers[0].length': '1' }
  const first = layer(`${member.email}\n${bob.email}`, hours)
  const noon = {
    userIds: bob.email,
    handOver: '12:00',
    until: '17:00',
    length: '1',
    unit: 'weeks',
    startDate: '2020-01-01',
    weekdays: '1',
  }
  const above = Object.entries(noon).map(([name, value]): [string, string] => [`layers[1].${name}`, value])
  const id = await created(member, [...first, ...above])
  const { text } = await member.get(`${path}/${id}`)
  expect(text).toContain('No one is on call')
  expect(text).toMatch(/name="layers\[0\].until"[^>]* value="17:00"/)
  const same = layer(member.email, { 'layers[0].handOver': '09:00', 'layers[0].until': '09:00' })
  const refused = await member.post(`${path}/schedules`, same)
  expect([refused.status, refused.text.includes('is the hand-over')]).toEqual([422, true])
})

test('the calendar at the secret address has every shift; no other address does', async () => {
  const member = await web.member()
  const bob = await second(member)
  const id = await created(member, layer(`${member.email}\n${bob.email}`))
  const url = /http:\/\/[\w.:]+(\/on-call\/[\w-]{64}\.ics)/.exec((await member.get(`${path}/${id}`)).text)
  expect(url?.[0].startsWith(origin)).toBe(true)
  const answer = await web.at.call('GET', url?.[1] ?? '')
  expect(answer.headers['content-type']).toContain('text/calendar')
  const events = new ICAL.Component(ICAL.parse(answer.text)).getAllSubcomponents('vevent')
  expect(events.length).toBeGreaterThan(7)
  expect(events.map((event) => String(event.getFirstPropertyValue('summary')))).toContain('Bob (Primary)')
  const forged = (url?.[1] ?? '').replace(/.{4}\.ics$/, 'AAAA.ics')
  expect((await web.at.call('GET', forged)).status).toBe(404)
})

test('a replaced calendar address answers, and the former one no more', async () => {
  const member = await web.member()
  const id = await created(member, layer(member.email))
  const address = async (): Promise<string> =>
    /\/on-call\/[\w-]{64}\.ics/.exec((await member.get(`${path}/${id}`)).text)?.[0] ?? ''
  const former = await address()
  expect((await member.get(`${path}/${id}/calendar-address`)).text).toContain('ends at once')
  expect((await web.at.call('GET', former)).status).toBe(200)
  expect(await member.post(`${path}/${id}/calendar-address`)).toMatchObject({ to: `${path}/${id}` })
  expect((await web.at.call('GET', await address())).status).toBe(200)
  expect((await web.at.call('GET', former)).status).toBe(404)
})

test('a policy names levels; a rule names the policy, which then cannot be deleted, nor its schedule', async () => {
  const member = await web.member()
  const scheduleId = await created(member, layer(member.email))
  const form: [string, string][] = [
    ['name', 'Night'],
    ['repeats', '2'],
    ['repeatAfterMinutes', '15'],
    ['levels[0].afterMinutes', '0'],
    ['levels[0].scheduleIds', scheduleId],
    ['levels[1].afterMinutes', '10'],
    ['levels[1].scheduleIds', scheduleId],
    ['levels[2].afterMinutes', ''],
  ]
  expect(await member.post(`${path}/policies`, form)).toMatchObject({ status: 303, to: path })
  const [, policyId = ''] = /policies\/([0-9a-f-]{36})/.exec((await member.get(path)).text) ?? []
  const shown = (await member.get(`${path}/policies/${policyId}`)).text
  expect(shown).toContain('name="levels[2].afterMinutes"')
  expect(shown).toContain('value="15"')
  const rules = (await member.get('/dashboard/rules/new')).text
  expect(rules).toContain(`<option value="${policyId}"`)
  const rule = { name: 'r', enabled: 'on', statuses: 'down', afterSeconds: '0', escalationId: policyId }
  expect(await member.post('/dashboard/rules', rule)).toMatchObject({ status: 303 })
  const kept = await member.post(`${path}/policies/${policyId}/delete`)
  expect([kept.status, kept.text.includes('Alert rules name this policy: r')]).toEqual([409, true])
  const used = await member.post(`${path}/${scheduleId}/delete`)
  expect([used.status, used.text.includes('Escalation policies name this schedule: Night')]).toEqual([
    409,
    true,
  ])
})

test('a level before the one above it is refused beside its field', async () => {
  const member = await web.member()
  const [row] = await web.at.sql<{ id: string }[]>`select id from users where email = ${member.email}`
  const { status, text } = await member.post(`${path}/policies`, [
    ['name', 'Night'],
    ['repeats', '0'],
    ['repeatAfterMinutes', '30'],
    ['levels[0].afterMinutes', '5'],
    ['levels[0].userIds', row?.id ?? ''],
    ['levels[1].afterMinutes', '5'],
  ])
  expect(status).toBe(422)
  for (const said of [
    'must be 0 for the first level',
    'must be later than the level before',
    'name at least one member, schedule or channel',
  ]) {
    expect(text).toContain(said)
  }
})

test('the page before the removal of a member names the schedules and policies that name the member', async () => {
  const member = await web.member()
  const bob = await second(member)
  const remove = `/dashboard/members/${bob.id}/remove`
  expect((await member.get(remove)).text).not.toContain('These schedules and policies')
  const named = (name: string, members: string, more: Record<string, string> = {}) =>
    created(member, layer(members, { name, ...more }))
  const override = { 'overrides[0].userId': bob.id, 'overrides[0].from': '2020-01-01T09:00' }
  const turns = await named('Turns', `${member.email}\n${bob.email}`)
  const ahead = await named('Ahead', member.email, { ...override, 'overrides[0].to': '2099-01-01T09:00' })
  const past = await named('Past', member.email, { ...override, 'overrides[0].to': '2020-01-02T09:00' })
  const levels: [string, string][] = [
    ['name', 'Night'],
    ['repeats', '0'],
    ['repeatAfterMinutes', '15'],
    ['levels[0].afterMinutes', '0'],
    ['levels[0].userIds', bob.id],
  ]
  expect(await member.post(`${path}/policies`, levels)).toMatchObject({ status: 303 })
  const { text } = await member.get(remove)
  expect(text).toContain('These schedules and policies name this member:')
  expect(text).toContain('their turns will have no one on call.')
  for (const id of [turns, ahead]) expect(text).toContain(`href="${path}/${id}"`)
  expect(text).toMatch(/on-call\/policies\/[\w-]{36}">\s*<bdi>Night/)
  expect(text).not.toContain(past)
})
