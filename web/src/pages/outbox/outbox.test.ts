import { expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 1_000 } })

const retryPath = /\/dashboard\/outbox\/[\w-]+\/retry/
const withMail = async () => {
  const member = await web.member()
  await web.at.call('POST', '/dashboard-api/login-links', { body: { email: member.email } })
  return member
}

test('unsent mail is shown completely with its link; waiting mail has no action', async () => {
  const member = await withMail()
  const waiting = await member.get('/dashboard/outbox')
  expect(waiting.text).toContain('Waiting</strong>')
  expect(waiting.text).not.toMatch(retryPath)
  await web.at.sql`update deliveries set state = 'kept' where account_id = ${member.accountId}`
  const kept = await member.get('/dashboard/outbox?state=kept')
  expect(kept.text).toContain(`<bdi>${member.email}</bdi>`)
  expect(kept.raw).toMatch(/<pre class="message">[^<]*https?:\/\/[^<]*token=[\w-]{43}/)
  expect((await member.get('/dashboard/outbox?state=dead')).text).toContain('No notification in this state')
})

test('a permanently failed delivery is sent again, but not by another account', async () => {
  const [member, other] = [await withMail(), await web.member()]
  await web.at.sql`update deliveries set state = 'dead', last_error = '<script>"'
    where account_id = ${member.accountId}`
  const { text, raw } = await member.get('/dashboard/outbox?state=dead')
  expect(withoutOwnScript(raw)).not.toContain('<script')
  expect(text).toContain('Last error:<bdi>&lt;script&gt;&quot;</bdi>')
  const path = String(retryPath.exec(text)?.[0])
  expect((await other.get('/dashboard/outbox')).text).not.toMatch(retryPath)
  expect((await other.post(path)).status).toBe(404)
  expect(await member.post(path)).toMatchObject({ status: 303, to: '/dashboard/outbox' })
  expect((await member.get('/dashboard/outbox?state=pending')).text).toContain('Waiting</strong>')
  expect((await member.post(path)).status).toBe(409)
})
