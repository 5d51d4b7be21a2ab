import { outgoingPools } from '@probe-mesh/contracts/channel/outgoing-pools'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { keyAgeMsMax } from '../accounts/authenticate-key.ts'
import { resumeAccount, suspendAccount } from './suspend-account.ts'
import type { DeliveryDraft } from '../notifications/delivery-record.ts'
import { findAssignableChecks } from '../records/check/many-checks-store.ts'
import { findAudit } from '../accounts/operations/audit-store.ts'
import { findRevisions } from '../records/check/check-revisions-store.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { claimChannelDeliveries, claimMails } from '../notifications/claim-deliveries-store.ts'
import { insertTestErrorProject } from '../stores/postgres/testing.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, logInAs, type TestUser } from '../app/testing/log-in.ts'

let key: string
const suspended = { status: 403, json: { code: 'SV-1012' } }
const http = { name: 'web', url: 'https://example.org/' }

const at = useTestApp({ config: { budgetScale: 1_000 } })
/** A suspended account on a real app, and its return. */
const user = useOnce(() => loggedIn(at))
const other = useOnce(() => loggedIn(at))
beforeAll(async () => {
  const made = await asUser(at, user, 'POST', '/keys', { name: 'ci', scope: 'read_write' })
  key = made.json.apiKey
})

const context = () => ({ sql: at.sql, now: at.now })
const done = async (act: typeof suspendAccount, of = user) => {
  const result = await act(context(), { accountId: of.accountId })
  if (isRefusal(result)) throw new Error(result.message)
  // the time for which a control plane caches a key
  at.pass(keyAgeMsMax)
  return result
}
const list = () => at.call('GET', '/v1/checks', { key })
const makeCheck = async (body: object = http) => {
  const { json } = await asUser(at, user, 'POST', 'type' in body ? '/typed-checks' : '/checks', body)
  return json.id as string
}
const assigned = async () => (await findAssignableChecks(at.sql)).map(({ id }) => id)

test('keys and sessions of a suspended account are refused, and no others', async () => {
  expect((await list()).status).toBe(200)
  await done(suspendAccount)
  expect(await list()).toMatchObject(suspended)
  // again, from the cache of keys
  expect(await list()).toMatchObject(suspended)
  expect(await asUser(at, user, 'GET', '/checks')).toMatchObject(suspended)
  const again = await logInAs(at, user.email)
  expect(again.status).toBe(200)
  expect(await asUser(at, user, 'POST', '/checks', http)).toMatchObject(suspended)
  expect((await asUser(at, other, 'GET', '/checks')).status).toBe(200)
  await done(resumeAccount)
  expect((await list()).status).toBe(200)
  expect((await asUser(at, user, 'GET', '/checks')).status).toBe(200)
})

test('its checks are unassigned, and no reading is expected, until it is resumed', async () => {
  const running = await makeCheck()
  const paused = await makeCheck()
  await at.sql`update checks set paused = true where id = ${paused}`
  expect(await assigned()).toContain(running)
  const { checks } = await done(suspendAccount)
  expect(checks).toBeGreaterThanOrEqual(1)
  expect(await assigned()).not.toContain(running)
  const resumed = await done(resumeAccount)
  expect(resumed.checks).toBe(checks)
  expect(await assigned()).toContain(running)
  expect(await assigned()).not.toContain(paused)
  const revisions = await findRevisions(at.sql, running, 0, at.now() + 60_000)
  expect(revisions.map((one) => one.paused)).toEqual([false, true, false])
  // each instant belongs to one revision
  for (const [n, { validToMs }] of revisions.entries()) {
    expect(validToMs).toBe(revisions[n + 1]?.validFromMs ?? null)
  }
})

test('its heartbeats expect no pings while it is suspended', async () => {
  const id = await makeCheck({
    type: 'heartbeat',
    name: 'backup',
    settings: { periodSeconds: 60, graceSeconds: 60 },
  })
  expect(id).toBeTypeOf('string')
  await done(suspendAccount)
  const [row] = await at.sql`select paused, suspended from checks where id = ${id}`
  expect(row).toEqual({ paused: true, suspended: true })
  await done(resumeAccount)
  const [back] = await at.sql`select paused, suspended from checks where id = ${id}`
  expect(back).toEqual({ paused: false, suspended: false })
})

test('its messages wait until it is resumed', async () => {
  const nowMs = at.now()
  const expiresAtMs = nowMs + 3_600_000
  const mailTo = ({ accountId }: TestUser, recipient: string): DeliveryDraft => ({
    kind: 'mail',
    accountId,
    recipient,
    cause: `test ${recipient}`,
    message: { subject: 'down', text: 'web is down', html: '<p>web is down</p>' },
    expiresAtMs,
  })
  const config = { type: 'json', name: 'hook', config: { url: 'http://127.0.0.1:9/' } }
  const channel = await asUser(at, user, 'POST', '/notification-channels', config)
  expect(channel.status).toBe(201)
  await at.sql`update notification_channels set verified_at = now() where id = ${channel.json.id}`
  const drafts: DeliveryDraft[] = [
    mailTo(user, 'a@example.org'),
    mailTo(other, 'b@example.org'),
    {
      kind: 'channel',
      accountId: user.accountId,
      channelId: channel.json.id,
      cause: 'test channel',
      message: {
        event: 'test',
        title: 'test',
        text: 'text',
        facts: [],
        url: 'https://example.org/',
        at: new Date(nowMs).toISOString(),
        alertKey: 'test',
      },
      expiresAtMs,
    },
  ]
  await insertDeliveries(at.sql, drafts, nowMs)
  const { channelDeliveries, mailDeliveries } = outgoingPools
  const claim = { claimMs: 1, held: [] }
  const mails = async () =>
    (await claimMails(at.systemSql, { ...claim, bounds: mailDeliveries.delivery }, at.now())).map(
      ({ recipient }) => recipient,
    )
  const channels = async () =>
    await claimChannelDeliveries(at.systemSql, { ...claim, bounds: channelDeliveries.delivery }, at.now())
  await done(suspendAccount)
  expect(await mails()).toEqual(['b@example.org'])
  expect(await channels()).toEqual([])
  await done(resumeAccount)
  expect((await mails()).toSorted()).toEqual(['a@example.org', 'b@example.org'])
  expect(await channels()).toHaveLength(1)
})

test('its error events are refused by every control plane until it is resumed', async () => {
  const id = await insertTestErrorProject(at.sql, user.accountId)
  const [row] = await at.sql<{ number: string; public_key: string }[]>`
    select number, public_key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  const send = async () =>
    (
      await at.call('POST', `/api/${row?.number}/store/?sentry_key=${row?.public_key}`, {
        body: { event_id: 'a'.repeat(32), message: 'broke', platform: 'node' },
      })
    ).status
  expect(await send()).toBe(200)
  await done(suspendAccount)
  await vi.waitFor(async () => expect(await send()).toBe(403))
  await done(resumeAccount)
  await vi.waitFor(async () => expect(await send()).toBe(200))
})

describe('its private agents', () => {
  test('are refused by the relay, and later connect with the same token', async () => {
    const { json } = await asUser(at, user, 'POST', '/agents', { name: 'office' })
    const presence = () =>
      at.call('POST', '/relay/runs/0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', {
        headers: { authorization: `Bearer ${json.token}` },
        body: {},
      })
    expect((await presence()).status).toBe(422)
    await done(suspendAccount)
    expect(await presence()).toMatchObject(suspended)
    await done(resumeAccount)
    expect((await presence()).status).toBe(422)
  })
})

test('its status pages stay readable', async () => {
  const [page] = await at.sql<{ slug: string }[]>`
    select slug from status_pages where account_id = ${user.accountId}`
  await done(suspendAccount)
  expect((await at.call('GET', `/status/${page?.slug}/page.json`)).status).toBe(200)
  await done(resumeAccount)
})

test('each change has one audit entry, and a repeated change is refused', async () => {
  expect(await resumeAccount(context(), { accountId: user.accountId })).toMatchObject({
    refused: 'SV-3002',
  })
  await done(suspendAccount)
  expect(await suspendAccount(context(), { accountId: user.accountId })).toMatchObject({
    refused: 'SV-3002',
  })
  await done(resumeAccount)
  const audit = await findAudit(at.sql, user.accountId, { limit: 2 })
  expect(audit.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['resumeAccount', 'operator'],
    ['suspendAccount', 'operator'],
  ])
})
