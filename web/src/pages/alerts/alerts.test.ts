import { insertTestAlert, insertTestAlertLink } from '@probe-mesh/control-plane/src/alerts/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { useTestWeb, type Member } from '../../testing/test-web.ts'
import { snoozeBody, tomorrowMorning } from './snooze.ts'

const web = useTestWeb()
afterAll(async () => {
  await web?.close()
})

/** A member with a check that has an open alert. */
const failing = async () => {
  const member = await web.member()
  const { to } = await member.post('/dashboard/checks/new/http', {
    name: 'Shop',
    url: 'https://shop.example.org/',
    intervalSeconds: '60',
    regions: 'fra',
  })
  const checkId = /[0-9a-f-]{36}/.exec(to ?? '')?.[0] ?? ''
  const { accountId } = member
  const id = await insertTestAlert(web.at.sql, { accountId, checkId, atMs: web.at.now() - 60_000 })
  return { member, checkId, id, path: `/dashboard/checks/${checkId}` }
}

/** A link for the member. */
const linkFor = async ({ accountId, email }: Member, flipId: string): Promise<string> => {
  const [user] = await web.at.sql<{ id: string }[]>`select id from users where email = ${email}`
  return insertTestAlertLink(web.at.sql, { accountId, userId: user?.id ?? '', address: email, flipId })
}

describe('on the page of a check', () => {
  test('a member acknowledges by a form, and the page says who and when', async () => {
    const { member, id, path } = await failing()
    expect((await member.get(path)).text).toContain('not acknowledged')
    const acted = await member.post(`/dashboard/alerts/${id}/acknowledge`, { from: 'check' })
    expect(acted).toMatchObject({ status: 303, to: `${path}#alert` })
    const { text } = await member.get(path)
    expect(text).toMatch(new RegExp(`acknowledged by ?<bdi>${member.email}</bdi>`))
    expect(text).not.toContain('/acknowledge"')
    expect(text).not.toContain('/snooze"')
    expect(text).toContain('/resolve"')
  })

  test('a member snoozes for a choice or for typed minutes; wrong minutes are refused', async () => {
    const { member, id, path, checkId } = await failing()
    const snooze = (form: Record<string, string>) =>
      member.post(`/dashboard/alerts/${id}/snooze`, { checkId, ...form })
    expect(await snooze({ for: '240', minutes: '' })).toMatchObject({ status: 303 })
    expect((await member.get(path)).text).toContain('snoozed until')
    expect(await snooze({ for: '240', minutes: '90' })).toMatchObject({ status: 303 })
    for (const minutes of ['-1', '20000', 'abc']) {
      const { status, text } = await snooze({ for: '240', minutes })
      expect(status).toBe(422)
      expect(text).toContain(`action="/dashboard/alerts/${id}/snooze"`)
      expect(text).toMatch(new RegExp(`name="minutes"[^>]*value="${minutes}"`))
      expect(text).toMatch(/value="240" +selected/)
      expect(text).toMatch(/id="field-minutes-problem">must be /)
      expect(text).toContain(`href="${path}#alert"`)
    }
    expect(await snooze({ for: '' })).toMatchObject({ status: 422 })
  })

  test('a member ends the messages; the page says so and has no more buttons', async () => {
    const { member, id, path } = await failing()
    expect(await member.post(`/dashboard/alerts/${id}/resolve`)).toMatchObject({ status: 303 })
    const { text } = await member.get(path)
    expect(text).toMatch(new RegExp(`messages ended by ?<bdi>${member.email}</bdi>`))
    expect(text).not.toContain(`/dashboard/alerts/${id}`)
    const again = await member.post(`/dashboard/alerts/${id}/acknowledge`)
    expect([again.status, again.text.includes('This alert is closed')]).toEqual([409, true])
  })

  test("another account's alert is not found", async () => {
    const { id } = await failing()
    const other = await web.member()
    expect(await other.post(`/dashboard/alerts/${id}/acknowledge`)).toMatchObject({ status: 404 })
  })
})

test('the overview lists open alerts first and acknowledges them', async () => {
  const { member, id } = await failing()
  const shown = (await member.get('/dashboard')).text
  expect(shown).toContain(`action="/dashboard/alerts/${id}/acknowledge"`)
  expect(await member.post(`/dashboard/alerts/${id}/acknowledge`, { from: 'overview' })).toMatchObject({
    to: '/dashboard',
  })
  expect((await member.get('/dashboard')).text).toContain('acknowledged by')
})

describe('the link of a mail', () => {
  test('shows what happens and changes nothing; its button acknowledges without a login, once', async () => {
    const { member, id, path } = await failing()
    const token = await linkFor(member, id)
    const visitor = web.visitor()
    const page = await visitor.get(`/alerts/acknowledge?token=${token}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Acknowledge the alert on Shop?')
    expect(page.text).toMatch(new RegExp(`It is acknowledged as ?<bdi>${member.email}</bdi>`))
    expect(page.headers['cache-control']).toContain('no-store')
    expect((await member.get(path)).text).toContain('not acknowledged')
    const used = await visitor.post('/alerts/acknowledge', { token })
    expect([used.status, used.text.includes('Acknowledged')]).toEqual([200, true])
    expect((await member.get(path)).text).toMatch(new RegExp(`acknowledged by ?<bdi>${member.email}</bdi>`))
    const again = await visitor.get(`/alerts/acknowledge?token=${token}`)
    expect([again.status, again.text.includes('This link was used')]).toEqual([200, true])
    expect(again.text).not.toContain('<button class="primary"')
    const audit = (await member.get('/dashboard/audit?what=alert')).text
    expect(audit).toContain('Acknowledged alert by link')
  })

  test('of an alert that has ended says each time that nothing was acknowledged', async () => {
    const { member, id, checkId } = await failing()
    const token = await linkFor(member, id)
    await web.at.sql`delete from alerts where check_id = ${checkId}`
    for (let use = 0; use < 2; use++) {
      const { status, text } = await web.visitor().post('/alerts/acknowledge', { token })
      expect([status, text.includes('Nothing to acknowledge')]).toEqual([200, true])
      expect(text).not.toContain('This link was used')
    }
  })

  test('that is forged, cut or expired says so with 410', async () => {
    const { member, id } = await failing()
    const token = await linkFor(member, id)
    await web.at.sql`update alert_links set expires_at = ${new Date(web.at.now() - 1)}`
    for (const sent of [token, `${token.slice(0, -2)}xx`, 'x', '']) {
      const { status, text } = await web.visitor().get(`/alerts/acknowledge?token=${sent}`)
      expect([sent, status, text.includes('This link does not work')]).toEqual([sent, 410, true])
    }
    expect(await web.visitor().post('/alerts/acknowledge', { token })).toMatchObject({ status: 410 })
  })

  test('shows no token in the outbox, also where no mail is sent', async () => {
    const member = await web.member()
    const token = 'x'.repeat(43)
    const message = {
      subject: 'shop is down',
      text: `Acknowledge: https://mesh.example.org/alerts/acknowledge?token=${token}\n`,
      html: '',
    }
    await web.at.sql`
      insert into deliveries (id, account_id, kind, recipient, cause, message, state, next_attempt_at, expires_at,
        created_at)
      values (gen_random_uuid(), ${member.accountId}, 'mail', 'bob@example.org', 'c',
        ${web.at.sql.json(message)}, 'kept', now(), now(), now())`
    const { text } = await member.get('/dashboard/outbox')
    expect(text).toContain('/alerts/acknowledge?token=…')
    expect(text).not.toContain(token)
  })
})

test.each([
  ['Europe/Berlin', '2026-11-28T20:00:00Z', '2026-11-29T08:00:00.000Z'],
  // the clock goes back at night
  ['Europe/Berlin', '2026-10-24T22:30:00Z', '2026-10-26T08:00:00.000Z'],
  // the local day is ahead of that in UTC
  ['Pacific/Auckland', '2026-11-28T12:00:00Z', '2026-11-29T20:00:00.000Z'],
  ['UTC', '2026-11-28T23:59:59Z', '2026-11-29T09:00:00.000Z'],
])('tomorrow 09:00 in %s at %s is %s', (zone, now, morning) => {
  expect(tomorrowMorning(Date.parse(now), zone)).toBe(morning)
  const form = new URLSearchParams({ for: 'tomorrow', minutes: ' ' })
  expect(snoozeBody(form, { nowMs: Date.parse(now), zone })).toEqual({ until: morning })
})
