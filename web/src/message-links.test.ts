import { composeAlert } from '@probe-mesh/control-plane/src/alerts/alert-message'
import { composeDigest } from '@probe-mesh/control-plane/src/alerts/digest'
import { playAlert, t0, watchedCheck } from '@probe-mesh/control-plane/src/alerts/testing'
import { composeNotice } from '@probe-mesh/control-plane/src/app/alerting/notify-operator'
import type { ReportedNotice } from '@probe-mesh/control-plane/src/app/alerting/follow-notices'
import { composeExpiry, type Expiring } from '@probe-mesh/control-plane/src/checks/expiry/expiry-message'
import { afterAll, expect, test } from 'vitest'
import { origin, useTestWeb, type TestWeb } from './testing/test-web.ts'

const web = useTestWeb()
afterAll(async () => {
  await web?.close()
})

const createCheck = async (member: Awaited<ReturnType<TestWeb['member']>>): Promise<string> => {
  const { to } = await member.post('/dashboard/checks/new/http', {
    name: 'Shop',
    url: 'https://shop.example.org/',
    intervalSeconds: '60',
    regions: 'fra',
  })
  return /[0-9a-f-]{36}/.exec(to ?? '')?.[0] ?? ''
}

test('the link of every message opens a page for a logged-in member', async () => {
  const member = await web.member()
  const id = await createCheck(member)
  expect(id).not.toBe('')
  const game = playAlert()
  game.flip('down', t0)
  game.look(t0)
  game.flip('operational', t0 + 60_000)
  const check = watchedCheck({ fra: 'down' }, t0, { id })
  const alerts = game.notices.map((notice) => composeAlert(notice, check, 'rule', origin, 0))
  const by = { ruleName: 'rule', publicUrl: origin, nowMs: t0 }
  const expiring: Expiring = {
    kind: 'certificate',
    names: ['shop.example.org'],
    nameCount: 1,
    by: null,
    expiresAtMs: t0,
    seenAtMs: t0,
  }
  const silent: ReportedNotice = {
    region: 'fra',
    regions: ['fra'],
    what: 'network',
    text: 'fra lost its network',
    sinceMs: t0,
    goneSinceMs: null,
  }
  const urls = [
    ...alerts.map(({ content }) => content.url),
    composeDigest(
      alerts.map((alert) => ({ ...alert, checkId: id })),
      { alertKey: 'a', publicUrl: origin, isOver: false, now: new Map() },
    ).url,
    ...[[check], [check, check]].map(
      (checks) => composeExpiry({ event: 'renewed', expiring, checks }, by).url,
    ),
    composeNotice(silent, 'alert', by).url,
  ]
  expect(urls.length).toBeGreaterThanOrEqual(6)
  for (const url of urls) {
    const { status } = await member.get(url.slice(origin.length))
    expect([url, status]).toEqual([url, 200])
  }
})

test('links in messages of earlier versions lead to the check and to the list', async () => {
  const member = await web.member()
  const id = await createCheck(member)
  expect((await member.get(`/checks/${id}`)).to).toBe(`/dashboard/checks/${id}`)
  expect((await member.get('/checks')).to).toBe('/dashboard/checks')
})
