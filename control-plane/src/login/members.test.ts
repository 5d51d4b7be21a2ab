import { hash } from 'node:crypto'
import { membersMax, openInvitationsMax } from '@probe-mesh/contracts/account/members'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { pruneLogins } from './prune-logins-store.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { collect } from '../app/testing/events.ts'
import { asUser, cookieOf, loggedIn, logInAs, password, type TestUser } from '../app/testing/log-in.ts'

let base: string
const at = useTestApp({ config: { smtpUrl: 'smtp://127.0.0.1:9', budgetScale: 100 } })
const withoutMail = useTestApp()
beforeAll(async () => {
  base = await at.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => Promise.all([at.close(), withoutMail.close()]))

const dayMs = 86_400_000
let own: TestUser
let addresses = 0
let email: string
beforeEach(async () => {
  own = await loggedIn(at)
  addresses += 1
  email = `invited-${addresses}@example.org`
})

const invite = (address = email, by = own) => asUser(at, by, 'POST', '/invitations', { email: address })
const mailsTo = (address: string) =>
  at.sql<{ account_id: string; message: { subject: string; text: string; html: string } }[]>`
    select account_id, message from deliveries where recipient = ${address} order by sequence`
/** Invites an address. @returns the token in its mail */
const invited = async (address = email, by = own): Promise<string> => {
  expect(await invite(address, by)).toMatchObject({ status: 201, json: { link: null } })
  const mail = (await mailsTo(address)).at(-1)
  return /\/invitation\?token=([\w-]{43})/.exec(mail?.message.text ?? '')?.[1] ?? ''
}
const accept = (token: string, name = 'Kim') =>
  at.call('POST', '/dashboard-api/invitations/accept', { body: { token, name, password } })
const read = (token: string) => at.call('POST', '/dashboard-api/invitations/read', { body: { token } })
const list = async (by: Pick<TestUser, 'cookie'> = own) => (await asUser(at, by, 'GET', '/members')).json
/** A second member, logged in. */
const joined = async (): Promise<{ cookie: string; id: string }> => {
  const answer = await accept(await invited())
  return { cookie: cookieOf(answer), id: answer.json.user.id }
}
const remove = (id: string, by: Pick<TestUser, 'cookie'> = own) => asUser(at, by, 'DELETE', `/members/${id}`)
const audits = async (): Promise<string[]> =>
  (await asUser(at, own, 'GET', '/audit-log')).json.entries.map(
    (entry: { action: string; resourceType: string; resourceId: string; actor: { name: string } }) =>
      `${entry.actor.name} ${entry.action} ${entry.resourceType} ${entry.resourceId}`,
  )

describe('an invitation', () => {
  test('is mailed, and its link makes the receiver a member with a session', async () => {
    const token = await invited()
    const [row] = await at.sql`select token_hash from invitations where email = ${email}`
    expect(row?.['token_hash']).toEqual(hash('sha256', token, 'buffer'))
    expect((await read(token)).json).toMatchObject({ email, invitedBy: own.email })
    const answer = await accept(token)
    expect(answer).toMatchObject({
      status: 201,
      json: { user: { email }, account: { id: own.accountId } },
    })
    const { members, invitations } = await list({ cookie: cookieOf(answer) })
    expect(members).toMatchObject([
      { email: own.email, name: null, you: false },
      { email, name: 'Kim', you: true, lastSeenAt: expect.any(String) },
    ])
    expect(invitations).toEqual([])
    const [user] = await at.sql`select confirmed_at from users where email = ${email}`
    expect(user?.['confirmed_at']).not.toBeNull()
    expect(await audits()).toEqual(
      expect.arrayContaining([
        `${own.email} inviteMember member_invitation ${email}`,
        `${email} acceptInvitation member ${email}`,
      ]),
    )
  })

  test('is accepted once, also by two requests at the same time', async () => {
    const token = await invited()
    const answers = await Promise.all(Array.from({ length: 3 }, () => accept(token)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status, json } of [...answers, await accept(token)]) {
      if (status !== 201) expect(['SV-1008', 'SV-3002']).toContain(json.code)
    }
    expect(await accept(token)).toMatchObject({ status: 401, json: { code: 'SV-1008' } })
    expect((await list()).members).toHaveLength(2)
  })

  test('expires after 7 days and is deleted', async () => {
    const token = await invited()
    at.pass(7 * dayMs)
    expect(await read(token)).toMatchObject({ status: 401 })
    expect(await accept(token)).toMatchObject({ status: 401, json: { code: 'SV-1008' } })
    expect((await list()).invitations).toEqual([])
    await pruneLogins(at.sql, at.now(), 1_000)
    expect(await at.sql`select from invitations where email = ${email}`).toHaveLength(0)
  })

  test('no longer works after it was revoked, with an audit entry', async () => {
    const token = await invited()
    const [{ id }] = (await list()).invitations
    expect(await asUser(at, own, 'DELETE', `/invitations/${id}`)).toMatchObject({ status: 200 })
    expect(await accept(token)).toMatchObject({ status: 401 })
    expect(await asUser(at, own, 'DELETE', `/invitations/${id}`)).toMatchObject({ status: 404 })
    expect(await audits()).toContain(`${own.email} revokeInvitation member_invitation ${email}`)
  })

  test('of the same address in another case replaces the former one', async () => {
    const former = await invited()
    const token = await invited(email.toUpperCase())
    expect((await list()).invitations).toMatchObject([{ email: email.toUpperCase() }])
    expect(await accept(former)).toMatchObject({ status: 401 })
    expect(await accept(token)).toMatchObject({ status: 201 })
    expect(await logInAs(at, email)).toMatchObject({ status: 200 })
    expect(await invite(email.toUpperCase())).toMatchObject({
      status: 409,
      json: { code: 'SV-3002', errors: [{ path: 'email', message: 'is a member already' }] },
    })
  })

  test('for a user of another account is mailed, and its link says why it is refused', async () => {
    const other = await loggedIn(at)
    const token = await invited(other.email)
    for (const answer of [await read(token), await accept(token)]) {
      expect(answer).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
      expect(answer.json.message).toContain('a user belongs to one account')
    }
    expect((await list()).members).toHaveLength(1)
  })

  test('names the account in its mail as text without markup, links and line breaks', async () => {
    const name = '<b>Win</b> https://evil.example\r\nBcc: x@evil.example'
    await at.sql`update accounts set name = ${name} where id = ${own.accountId}`
    await invited()
    const message = (await mailsTo(email)).at(-1)?.message
    expect(message?.subject).toMatch(/^Join "<b>Win<\/b> Bcc:" on Probe Mesh$/)
    expect(message?.html).toContain('&lt;b&gt;Win')
    expect(message?.html).not.toContain('<b>')
    expect(JSON.stringify(message)).not.toContain('evil')
  })

  test('reports all problems of the name and the password, and stays valid', async () => {
    const token = await invited()
    const body = { token, name: ' \u0000', password: 'short' }
    expect(await at.call('POST', '/dashboard-api/invitations/accept', { body })).toMatchObject({
      status: 422,
      json: { errors: expect.arrayContaining([expect.objectContaining({ path: 'password' })]) },
    })
    const weak = { token, name: 'Kim', password: 'password1234' }
    expect(await at.call('POST', '/dashboard-api/invitations/accept', { body: weak })).toMatchObject({
      status: 422,
      json: { errors: [{ path: 'password' }] },
    })
    expect(await accept(token)).toMatchObject({ status: 201 })
  })

  test('of a suspended account is refused until the account is resumed', async () => {
    const token = await invited()
    await at.sql`update accounts set suspended_at = now() where id = ${own.accountId}`
    expect(await accept(token)).toMatchObject({ status: 403, json: { code: 'SV-1012' } })
    await at.sql`update accounts set suspended_at = null where id = ${own.accountId}`
    expect(await accept(token)).toMatchObject({ status: 201 })
  })

  test('is limited for one address, and each account has a limit of open ones and of members', async () => {
    for (let n = 0; n < 3; n++) await invited()
    const refused = await invite()
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6005' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

    const many = await loggedIn(at)
    for (let n = 0; n < openInvitationsMax; n++) {
      at.pass(3_600_000)
      await invited(`many-${n}-${addresses}@example.org`, many)
    }
    at.pass(3_600_000)
    expect(await invite(email, many)).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    // the same address again is no further invitation
    expect(await invite(`MANY-1-${addresses}@example.org`, many)).toMatchObject({ status: 201 })

    const full = await loggedIn(at)
    const token = await invited(`last-${addresses}@example.org`, full)
    const rows = Array.from({ length: membersMax - 1 }, () => ({
      id: uuidv7(at.now()),
      account_id: full.accountId,
      password_hash: '',
      created_at: new Date(),
    })).map((row) => ({ ...row, email: `${row.id}@example.org` }))
    await at.sql`insert into users ${at.sql(rows)}`
    expect(await accept(token)).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect(await invite(`one-more-${addresses}@example.org`, full)).toMatchObject({ status: 409 })
  })

  test('without a mail server has a link in the answer, which does not confirm the address', async () => {
    const user = await loggedIn(withoutMail)
    const answer = await asUser(withoutMail, user, 'POST', '/invitations', { email })
    expect(answer).toMatchObject({ status: 201 })
    const token = String(answer.json.link).split('/invitation?token=')[1]
    expect(await withoutMail.sql`select from deliveries where recipient = ${email}`).toHaveLength(0)
    const body = { token, name: 'Kim', password }
    const accepted = await withoutMail.call('POST', '/dashboard-api/invitations/accept', { body })
    expect(accepted).toMatchObject({ status: 201 })
    const [row] = await withoutMail.sql`select confirmed_at from users where email = ${email}`
    expect(row?.['confirmed_at']).toBeNull()
    const seen = await asUser(withoutMail, user, 'GET', '/members')
    expect(seen.json).toMatchObject({ sendsMail: false, invitations: [] })
  })
})

describe('removing a member', () => {
  test('ends its sessions and its live streams at once, and keeps its audit entries', async () => {
    const member = await joined()
    const stay = new AbortController()
    const watch = async ({ cookie }: { cookie: string }) =>
      collect(
        await fetch(`${base}/dashboard-api/events`, {
          headers: { cookie, 'sec-fetch-site': 'same-origin' },
          signal: stay.signal,
        }),
      ).seen
    const [theirs, mine] = [await watch(member), await watch(own)]
    expect(await remove(member.id)).toMatchObject({ status: 200, json: { removed: true } })
    await vi.waitFor(() => expect(theirs.ended).toBe(true), { timeout: 4_000 })
    expect(mine.ended).toBe(false)
    stay.abort()
    expect(await asUser(at, member, 'GET', '/members')).toMatchObject({ status: 401 })
    expect(await logInAs(at, email)).toMatchObject({ status: 401 })
    expect(await audits()).toEqual(
      expect.arrayContaining([
        `${own.email} removeMember member ${email}`,
        `${email} acceptInvitation member ${email}`,
      ]),
    )
  })

  test('allows to leave an account while another member stays', async () => {
    const member = await joined()
    const [{ id }] = (await list()).members
    expect(await remove(id)).toMatchObject({ status: 200 })
    expect(await asUser(at, own, 'GET', '/members')).toMatchObject({ status: 401 })
    expect((await list(member)).members).toHaveLength(1)
    expect(await remove(member.id, member)).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect((await list(member)).members).toHaveLength(1)
  })

  test('leaves one of two members who remove each other at the same time', async () => {
    const member = await joined()
    const [{ id }] = (await list()).members
    const { removing } = await at.sql.begin(async (tx) => {
      await tx`select from accounts where id = ${own.accountId} for no key update`
      const removing = Promise.all([remove(id, member), remove(member.id)])
      // both passed the check of their session, and wait for the account
      await vi.waitFor(async () => {
        const waiting = await at.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(2)
      })
      return { removing }
    })
    const answers = await removing
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await at.sql`select from users where account_id = ${own.accountId}`).toHaveLength(1)
  })

  test('and revoking reach no other account, which also sees nothing', async () => {
    const member = await joined()
    const pending = `pending-${email}`
    await invited(pending)
    const [{ id: invitationId }] = (await list()).invitations
    const stranger = await loggedIn(at)
    const seen = await list(stranger)
    expect(seen.members).toHaveLength(1)
    expect(JSON.stringify(seen)).not.toContain(email)
    expect(await remove(member.id, stranger)).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    expect(await asUser(at, stranger, 'DELETE', `/invitations/${invitationId}`)).toMatchObject({
      status: 404,
    })
    // both accounts may invite the same address
    await invited(pending, stranger)
    const now = await list()
    expect([now.members.length, now.invitations.length]).toEqual([2, 1])
  })
})
