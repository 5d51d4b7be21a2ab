import { password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { afterAll, describe, expect, test } from 'vitest'
import { hostile } from '../../testing/publisher.ts'
import { useTestWeb, type Member } from '../../testing/test-web.ts'

const byMail = useTestWeb({ config: { smtpUrl: 'smtp://127.0.0.1:9' } })
const withoutMail = useTestWeb()
afterAll(() => Promise.all([byMail.close(), withoutMail.close()]))

const path = '/dashboard/members'
const linkIn = (text: string): string => /\/invitation\?token=[\w-]{43}/.exec(text)?.[0] ?? ''
const tokenOf = (link: string): string => link.split('token=')[1] ?? ''
/** Invites an address. @returns the link in its mail */
const invited = async (member: Member, email: string): Promise<string> => {
  expect(await member.post(`${path}/invitations`, { email })).toMatchObject({ status: 303, to: path })
  const [row] = await byMail.at.sql<{ text: string }[]>`
    select message ->> 'text' as text from deliveries where recipient = ${email} order by sequence desc`
  return linkIn(row?.text ?? '')
}
const actionIn = (text: string, action: string): string =>
  new RegExp(`${path}/[\\w/-]+/${action}`).exec(text)?.[0] ?? ''

describe('with a mail server', () => {
  test('a member invites by mail, and the receiver chooses name and password and is listed, escaped', async () => {
    const member = await byMail.member()
    const email = 'kim@example.org'
    const link = await invited(member, email)
    const open = await member.get(path)
    expect(open.text).toContain('Open invitations')
    expect(open.text).toContain('Invitation queued.')
    expect(open.text).not.toContain(tokenOf(link))
    const visitor = byMail.visitor()
    const page = await visitor.get(link)
    expect(page.text).toMatch(new RegExp(`<bdi>${member.email}</bdi> ?invites you`))
    const form = { token: tokenOf(link), name: `Kim ${hostile}`, password: 'short' }
    const refused = await visitor.post('/invitation', form)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="field-password-problem"')
    expect(refused.text).toContain('value="Kim ')
    expect(refused.raw).not.toContain('<script>alert')
    expect(await visitor.post('/invitation', { ...form, password })).toMatchObject({ to: '/dashboard' })
    const list = await visitor.get(path)
    expect(list.text).toContain('<bdi>Kim &quot;&gt;&lt;script&gt;')
    expect(list.text).toContain(`<bdi>${member.email}</bdi>`)
    expect(list.text).not.toContain('Open invitations')
    expect(list.raw).not.toContain('<script>alert')
    const again = await byMail.visitor().get(link)
    expect([again.status, again.text.includes('is used, replaced, revoked or expired')]).toEqual([401, true])
    const audit = (await member.get('/dashboard/audit?what=member')).text
    for (const words of ['Invited member', 'Accepted invitation']) expect(audit).toContain(words)
    expect(audit).toMatch(new RegExp(`member invitation ?<bdi>${email}</bdi>`))
  })

  test('an invitation is sent again and revoked after a confirmation page', async () => {
    const member = await byMail.member()
    const former = await invited(member, 'again@example.org')
    const link = await invited(member, 'again@example.org')
    expect((await byMail.visitor().get(former)).status).toBe(401)
    const revoke = actionIn((await member.get(path)).text, 'revoke')
    expect((await member.get(revoke)).text).toContain('stops working at once')
    expect(await member.post(revoke)).toMatchObject({ status: 303, to: path })
    expect((await byMail.visitor().get(link)).status).toBe(401)
    expect((await member.get(path)).text).not.toContain('again@example.org')
  })

  test('a problem of the address is shown at its field, and the input is kept', async () => {
    const member = await byMail.member()
    const shown = await member.post(`${path}/invitations`, { email: hostile })
    expect(shown.status).toBe(422)
    expect(shown.text).toContain('id="field-email-problem"')
    expect(shown.raw).toContain('value="&quot;&gt;&lt;script&gt;')
  })

  test('a member is removed after a confirmation page, and one leaves; the last one stays', async () => {
    const member = await byMail.member()
    const other = byMail.visitor()
    const token = tokenOf(await invited(member, 'leaving@example.org'))
    await other.post('/invitation', { token, name: 'Lee', password })
    const list = (await member.get(path)).text
    const ids = [...list.matchAll(/members\/([\w-]{36})\/remove/g)].map(([, id]) => id)
    expect(ids).toHaveLength(2)
    const [own, theirs] = ids.map((id) => `${path}/${id}/remove`) as [string, string]
    expect((await member.get(own)).text).toContain('Leave this account?')
    expect((await member.get(theirs)).text).toContain('API keys stay valid')
    expect(await member.post(theirs)).toMatchObject({ status: 303, to: path })
    expect(await other.get(path)).toMatchObject({ status: 303 })
    expect((await member.get(path)).text).not.toContain('/remove')
    expect((await member.get(own)).text).toContain('the last member cannot be removed')
    expect((await member.post(own)).status).toBe(409)

    const third = byMail.visitor()
    const next = tokenOf(await invited(member, 'staying@example.org'))
    await third.post('/invitation', { token: next, name: 'Sam', password })
    expect(await member.post(own)).toMatchObject({ status: 303, to: '/login' })
    expect((await member.get(path)).to).toContain('/login')
    expect((await third.get(path)).status).toBe(200)
  })

  test('a link that is none is a page without a form', async () => {
    for (const link of ['/invitation', `/invitation?token=${encodeURIComponent(hostile)}`]) {
      const shown = await byMail.visitor().get(link)
      expect(shown.status).toBe(404)
      expect(shown.text).toContain('This is not an invitation link.')
      expect(shown.raw).not.toContain('<script>alert')
    }
  })
})

test('without a mail server the page says so, and shows the link once', async () => {
  const member = await withoutMail.member()
  expect((await member.get(path)).text).toContain('This server sends no mail.')
  const asked = await member.post(`${path}/invitations`, { email: 'new@example.org' })
  expect(asked).toMatchObject({ status: 303, to: `${path}/invited` })
  const shown = await member.get(`${path}/invited`)
  expect(shown.text).toContain('was not notified')
  const link = linkIn(shown.raw)
  expect(await member.get(`${path}/invited`)).toMatchObject({ status: 303, to: path })
  expect((await member.get(path)).raw).not.toContain(tokenOf(link))
  const form = { token: tokenOf(link), name: 'New', password }
  expect(await withoutMail.visitor().post('/invitation', form)).toMatchObject({ to: '/dashboard' })
})
