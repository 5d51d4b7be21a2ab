import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test, vi } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import { startTestWeb, useTestWeb } from '../../testing/test-web.ts'

const store = useTestClickHouse()
const web = useTestWeb(() => ({
  clickhouseUrl: store.url,
  config: { budgetScale: 1_000 },
  presencePace: { ...presence, announceMs: 50 },
}))

const path = '/dashboard/mesh'

test('an agent that is gone is said to be gone, and its spool is what it last told, not none', async () => {
  const member = await web.member()
  const report = {
    at: 1,
    spool: { readings: 41, bytes: 4_100 },
    dropped: { full: 3, old: 0, damaged: 0, disk: 0 },
  }
  const announced = await web.at.bus.presence.announce(
    { agent: hostile, region: 'fra', version: hostile, startedAt: 8.7e15 },
    undefined,
    () => report,
  )
  let shown = await member.get(path)
  const shows = (words: RegExp) => async () => {
    shown = await member.get(path)
    return words.test(shown.text)
  }
  await untilShown(shows(/41, reported\s*<time/))
  expect(withoutOwnScript(shown.raw)).not.toContain('<script')
  expect(shown.text).toContain('3 queue full')
  await announced.close()
  await untilShown(shows(/Offline<\/strong>/))
  expect(shown.text).toMatch(/unknown; 41 in the last report at\s*<time/)
})

test('a probe that cannot resolve is one notice with its time until it can, and nothing about others', async () => {
  const member = await web.member()
  let ownFault: AgentReport['ownFault'] = { namesSince: Date.now() - 3_600_000 }
  const announced = await web.at.bus.presence.announce(
    { agent: 'nrt-1', region: 'nrt', version: '1', startedAt: 1 },
    undefined,
    () => ({ at: Date.now(), ownFault }),
  )
  const notice = 'nrt: the probe&#39;s resolver answers for no name'
  const noticesOf = async (): Promise<number> => (await member.get(path)).text.split(notice).length - 1
  try {
    await untilShown(async () => (await noticesOf()) === 1)
    const { text } = await member.get(path)
    expect(text).toMatch(/answers for no name<\/strong>\s*since\s*<time/)
    ownFault = null
    await untilShown(async () => (await noticesOf()) === 0)
  } finally {
    await announced.close()
  }
})

test('a clock that is far off and an older build are told, each with what to do', async () => {
  const member = await web.member()
  const announced = await web.at.bus.presence.announce(
    { agent: 'sjc-1', region: 'sjc', version: '0.0.1', startedAt: 1 },
    undefined,
    () => ({ at: Date.now() + 90_000 }),
  )
  try {
    await untilShown(async () => {
      const { text } = await member.get(path)
      return /the clock of sjc-1 is 1 min \d+ s ahead of/.test(text) && text.includes('NTP client')
    })
    const { text } = await member.get(path)
    expect(text).toContain('sjc: the probe runs an older build (0.0.1) than the control plane')
  } finally {
    await announced.close()
  }
})

test('slots that were due and are not stored are named, to their account only', async () => {
  const [publisher, other] = [await publisherOf(web), await web.member()]
  const id = await publisher.check(hostile)
  await web.at.sql`update check_revisions set valid_from = now() - interval '1 hour'
    where check_id = ${id}`
  const { status, text, raw } = await publisher.get(`${path}?minutes=15`)
  expect(status).toBe(200)
  expect(withoutOwnScript(raw)).not.toContain('<script')
  expect(text).toContain('Probes were missed in 4 of 4 rows')
  expect(text).toContain(`href="/dashboard/checks/${id}"`)
  // hours before the check, and since then
  expect(text).toMatch(/0 of \d+ measured, \d+ missed/)
  expect(text).toContain('<td>no probe due</td>')
  expect(text).toMatch(/<svg class="chart-plot"[^>]*aria-labelledby="coverage-title coverage-text"/)
  expect(text).toContain('class="lost"')
  expect(text).not.toContain('class="up"')
  const strangers = await other.get(path)
  expect(strangers.text).not.toContain(id)
  expect(strangers.text).toContain('No probe was due</p>')
  expect(strangers.text).toContain('No probe was due in the last 24 hours.')
})

test('without ClickHouse the ledger is said to be unread, and the rest is shown', async () => {
  const away = await startTestWeb()
  try {
    const publisher = await publisherOf(away)
    const id = await publisher.check('one')
    await away.at.sql`update check_revisions set valid_from = now() - interval '1 hour'
      where check_id = ${id}`
    const { status, text } = await publisher.get(path)
    expect(status).toBe(200)
    expect(text).toContain('History is delayed')
    expect(text).not.toContain('No probe was missed')
    expect(text).not.toMatch(/no probe (was )?due|data-chart/i)
    expect(text).toContain('<caption>Partitions</caption>')
  } finally {
    await away.close()
  }
})

const untilShown = (shown: () => Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await shown()).toBe(true))
