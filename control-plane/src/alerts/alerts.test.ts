import { beforeEach, describe, expect, test } from 'vitest'
import { publishChecks } from '../app/alerting/testing.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string
let channelId: string

const batchMs = 2_000

beforeEach(async () => {
  ;({ game, accountId } = stage)
  channelId = await game.channel(accountId)
})

const only = async (names: readonly string[] = ['shop']): Promise<string> => {
  const [id] = await game.checks(accountId, names)
  return id ?? ''
}

describe('a rule', () => {
  test('reports what, where, since when, the evidence and a link', async () => {
    await game.rule(accountId)
    const check = await only()
    await game.flip([check], 'down')
    await game.act()
    expect(await game.titles(accountId)).toEqual([])
    game.pass(batchMs)
    await game.act()
    const [alert] = await game.deliveries(accountId)
    expect(alert).toMatchObject({
      channelId,
      message: {
        event: 'alert',
        title: 'shop is down',
        text: 'connection refused\nSince 12:00 UTC, 20 Nov.\nFailing in fra, iad.',
        url: `https://mesh.example.org/dashboard/checks/${check}`,
        at: '2026-11-20T12:00:00.000Z',
      },
    })
    game.pass(60_000)
    await game.flip([check], 'operational')
    await game.act()
    game.pass(batchMs)
    await game.act()
    const [, recovery] = await game.deliveries(accountId)
    expect(recovery?.message).toMatchObject({
      event: 'recovery',
      title: 'shop has recovered after 1 min 2 s',
      alertKey: alert?.message.alertKey,
    })
    expect(await sql`select from alerts`).toHaveLength(0)
  })

  test('tells only those of a recovery whom it told of the outage', async () => {
    await game.rule(accountId)
    const [check = ''] = await game.checks(accountId, ['shop'])
    await game.flip([check], 'down')
    const settle = async (): Promise<void> => {
      await game.act()
      game.pass(batchMs)
      await game.act()
    }
    await settle()
    const late = await game.channel(accountId)
    game.pass(60_000)
    await game.flip([check], 'operational')
    await settle()
    expect(await game.titles(accountId)).toEqual(['shop is down', 'shop has recovered after 1 min 2 s'])

    await game.flip([check], 'down')
    await settle()
    const heard = (await game.deliveries(accountId)).filter(({ channelId }) => channelId === late)
    expect(heard.map(({ message }) => message.event)).toEqual(['alert'])
  })

  test('alerts only on outages that last afterSeconds', async () => {
    await game.rule(accountId, { afterSeconds: 120 })
    const [brief, long] = await game.checks(accountId, ['brief', 'long'])
    await game.flip([brief ?? '', long ?? ''], 'down')
    await game.act()
    game.pass(119_999)
    await game.flip([brief ?? ''], 'operational')
    await game.act()
    game.pass(1)
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual(['long is down'])
  })

  test('sends a reminder after an hour, then at doubled intervals', async () => {
    await game.rule(accountId)
    await game.flip([await only()], 'down')
    for (let minute = 0; minute < 8 * 60; minute += 5) {
      await game.act()
      game.pass(300_000)
    }
    expect(await game.titles(accountId)).toEqual([
      'shop is down',
      'shop is down, not operational for 1 h',
      'shop is down, not operational for 3 h',
      'shop is down, not operational for 7 h',
    ])
  })

  test('applies only to the named checks and notifies only the named channels', async () => {
    const [named, other] = await game.checks(accountId, ['named', 'other'])
    const second = await game.channel(accountId)
    await game.rule(accountId, { checkIds: [named ?? ''], channelIds: [second] })
    await game.flip([named ?? '', other ?? ''], 'down')
    await game.act()
    game.pass(batchMs)
    await game.act()
    const told = await game.deliveries(accountId)
    expect(told.map(({ channelId, message }) => [channelId, message.title])).toEqual([
      [second, 'named is down'],
    ])
  })

  test('never notifies one account about checks of another', async () => {
    const other = await game.account()
    await game.channel(other)
    await game.rule(other)
    await game.rule(accountId)
    await game.flip([await only()], 'down')
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(other)).toEqual([])
    expect(await game.titles(accountId)).toEqual(['shop is down'])
  })

  test('mails the users of the account when emailUsers is set', async () => {
    await sql`
      insert into users (id, account_id, email, password_hash, created_at)
      values (gen_random_uuid(), ${accountId}, 'ops@example.org', '', now())`
    await game.rule(accountId, { emailUsers: true, channelIds: [] })
    await game.flip([await only(['<b>shop</b>'])], 'down')
    await game.act()
    game.pass(batchMs)
    await game.act()
    const [mail] = await game.deliveries(accountId)
    expect(mail).toMatchObject({
      recipient: 'ops@example.org',
      message: { subject: '<b>shop</b> is down' },
    })
    expect(mail?.message.html).toContain('&lt;b&gt;shop&lt;/b&gt;')
    expect(mail?.message.html).not.toContain('<b>')
  })

  test('and another with the same outage notify each channel once', async () => {
    await game.rule(accountId)
    await game.rule(accountId, { name: 'again', afterSeconds: 30 })
    const check = await only()
    await game.flip([check], 'down')
    for (let second = 0; second < 60; second += 2) {
      await game.act()
      game.pass(2_000)
    }
    await game.flip([check], 'operational')
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual(['shop is down', 'shop has recovered after 1 min'])
  })

  test.each([
    ['paused', (id: string) => sql`update checks set paused = true where id = ${id}`],
    ['deleted', (id: string) => sql`delete from checks where id = ${id}`],
  ])('sends nothing more about a check that was %s', async (_, change) => {
    await game.rule(accountId, { afterSeconds: 60 })
    const check = await only()
    await game.flip([check], 'down')
    await game.act()
    await change(check)
    game.pass(3_600_000)
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual([])
    expect(await sql`select from alerts`).toHaveLength(0)
  })

  test('reports an outage again that still exists after a pause, and nothing during it', async () => {
    await game.rule(accountId, { statuses: ['down', 'stale'] })
    const check = await only()
    const settle = async () => {
      await game.act()
      game.pass(batchMs)
      await game.act()
    }
    const setPaused = (paused: boolean) => sql`update checks set paused = ${paused} where id = ${check}`
    await game.flip([check], 'down')
    await settle()
    await setPaused(true)
    await game.flip([check], 'stale')
    await settle()
    expect(await sql`select from alerts`).toHaveLength(0)
    game.pass(86_400_000)
    await settle()
    await setPaused(false)
    await settle()
    expect(await game.titles(accountId)).toEqual(['shop is down'])
    await game.flip([check], 'down')
    await settle()
    await game.flip([check], 'operational')
    await settle()
    expect(await game.titles(accountId)).toEqual([
      'shop is down',
      'shop is down',
      expect.stringContaining('shop has recovered'),
    ])
  })

  test('that is disabled closes its alerts', async () => {
    const rule = await game.rule(accountId, { afterSeconds: 60 })
    await game.flip([await only()], 'down')
    await game.act()
    await sql`update alert_rules set enabled = false where id = ${rule.id}`
    game.pass(60_000)
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual([])
    expect(await sql`select from alerts`).toHaveLength(0)
  })
})

describe('maintenance', () => {
  const maintain = async (checkId: string, forMs: number): Promise<void> => {
    const page = await publishChecks(sql, accountId, [checkId])
    const [from, to] = [new Date(game.clock.nowMs), new Date(game.clock.nowMs + forMs)]
    await sql`
      insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at,
        ends_at, whole_page, created_at)
      values (gen_random_uuid(), ${accountId}, ${page}, 'work', 'work', ${from}, ${to}, true, ${from})`
  }

  test('holds an alert until its end, then sends it once', async () => {
    await game.rule(accountId)
    const check = await only()
    await maintain(check, 600_000)
    await game.flip([check], 'down')
    for (let second = 0; second < 590; second += 10) {
      await game.act()
      game.pass(10_000)
    }
    expect(await game.titles(accountId)).toEqual([])
    for (let second = 0; second < 60; second += 2) {
      await game.act()
      game.pass(2_000)
    }
    const told = await game.deliveries(accountId)
    expect(told.map(({ message }) => message.title)).toEqual(['shop is down'])
    expect(told[0]?.message.text).toContain('Maintenance delayed this message until now.')
  })

  test('that is ended early releases the alerts that it held', async () => {
    await game.rule(accountId)
    const check = await only()
    await maintain(check, 86_400_000)
    await game.flip([check], 'down')
    await game.act()
    await sql`update maintenance_windows set ends_at = ${new Date(game.clock.nowMs)}`
    for (let second = 0; second < 20; second += 2) {
      await game.act()
      game.pass(2_000)
    }
    expect(await game.titles(accountId)).toEqual(['shop is down'])
  })

  test('of another component holds no alert', async () => {
    await game.rule(accountId)
    const [shop, other] = await game.checks(accountId, ['shop', 'other'])
    await maintain(other ?? '', 600_000)
    await game.flip([shop ?? ''], 'down')
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual(['shop is down'])
  })
})

describe('flips', () => {
  test('are processed in order of version when their outbox rows arrive out of order', async () => {
    await game.rule(accountId)
    const check = await only()
    await game.flip([check], 'down', { called: false })
    game.pass(60_000)
    await game.flip([check], 'operational')
    game.pass(60_000)
    await game.act()
    // the row of the first flip arrives after that of the second
    await sql`
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      values (gen_random_uuid(), 'alert', ${sql.json({ flip: { checkId: check } })}, now(),
        ${new Date(game.clock.nowMs)})`
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual(['shop failed and recovered after 1 min'])
    expect(await sql`select from alerts`).toHaveLength(0)
    expect(await sql`select from outbox where done_at is null and kind = 'alert'`).toHaveLength(0)
  })

  test('that fail do not block others', async () => {
    await game.rule(accountId)
    const [bad, good] = await game.checks(accountId, ['bad', 'good'])
    await game.flip([bad ?? ''], 'down')
    await game.flip([good ?? ''], 'down')
    await sql`
      update flips set at = '-infinity' where check_id = ${bad ?? ''}`
    await game.act()
    game.pass(batchMs)
    await game.act()
    expect(await game.titles(accountId)).toEqual(['good is down'])
    const [aside] = await sql<{ attempts: number }[]>`
      select attempts from outbox where done_at is null and kind = 'alert'`
    expect(aside?.attempts).toBe(1)
  })
})
