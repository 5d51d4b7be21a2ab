import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import {
  checkOutFormerVersion,
  hasCommit,
  type FormerVersion,
} from '@probe-mesh/infra/testing/former-version'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { setTimeout as elapse } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createChecks } from '../testing/create-checks.ts'
import {
  groups,
  insertEscalation,
  insertPage,
  insertRules,
  insertToldSpike,
  startOutside,
  type Group,
  type Message,
  type Outside,
} from './alerts-in-every-state.ts'
import { createVersions, everyStatusIs, formerCommit } from './versions.ts'

/**
 * Judges upgrades by what people receive: 40 alerts in every state that an alert can have are told by one version, and
 * another one ends them. Whoever was told of an outage is told of its end, and nobody of anything twice.
 */

const regions = ['fra']
/** Channels that no group of checks has. */
const others = ['errors', 'burn', 'second']
const intervalSeconds = 10
const patience = { timeout: 240_000, interval: 500 }
/** Later than every message: batches wait 15 s, and retries of a channel 30 s. */
const restMs = 60_000
const timeout = 1_200_000

type Stage = {
  mesh: Processes
  sql: Sql
  outside: Outside
  checks: ReadonlyMap<Group, readonly string[]>
  accountId: string
  channels: ReadonlyMap<string, string>
  page: string
  api(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** Replaces a control plane by another version; null: this one. */
  replace(at: number, by: FormerVersion | null): Promise<void>
}

const withMesh = async (
  begun: FormerVersion | null,
  work: (stage: Stage) => Promise<void>,
): Promise<void> => {
  const outside = await startOutside()
  const versions = createVersions(begun)
  const mesh = await startProcesses({
    regions,
    agentsPerRegion: 1,
    tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
    budgetScale: 10_000,
    environment: { CHANNEL_ALLOW: '127.0.0.0/8' },
    ...versions.options,
  })
  const sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 3 })
  const api: Stage['api'] = async (method, path, body) => {
    const answer = await fetch(`${mesh.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${mesh.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': uuidv7(Date.now()),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  try {
    const names = Object.keys(groups) as Group[]
    const all = names.flatMap((group) => Array.from({ length: groups[group].of }, (_, n) => ({ group, n })))
    const inputs = all.map(({ group, n }) => ({
      name: `${group} ${n}`,
      url: outside.urlOf(group, n),
      intervalSeconds,
    }))
    const ids = await createChecks(mesh, inputs)
    const checks = new Map(
      names.map((group) => [group, ids.filter((_, index) => all[index]?.group === group)] as const),
    )
    for (const name of [...names, ...others]) {
      await api('POST', '/notification-channels', {
        type: 'json',
        name,
        config: { url: outside.hookOf(name) },
      })
    }
    const rows = await sql<{ id: string; name: string; accountId: string }[]>`
      select id, name, account_id as "accountId" from notification_channels`
    const channels = new Map(rows.map(({ id, name }) => [name, id]))
    const accountId = rows[0]?.accountId ?? ''
    await sql`update notification_channels set verified_at = now()`
    const seeded = { accountId, channels }
    const rules = await insertRules(sql, seeded, checks)
    await insertEscalation(sql, seeded, rules.get('escalated') ?? '')
    const page = await insertPage(sql, seeded, checks)
    await everyStatusIs(sql, ids, 'operational', patience)
    await work({
      mesh,
      sql,
      outside,
      checks,
      accountId,
      channels,
      page,
      api,
      replace: async (at, by) => {
        const part = mesh.controlPlanes[at]
        if (part === undefined) throw new Error('no such control plane')
        await versions.replace(part, by)
      },
    })
  } finally {
    await sql.end({ timeout: 1 })
    await mesh.close()
    await outside.close()
  }
}

const of = ({ checks }: Stage, ...names: Group[]): string[] => names.flatMap((name) => checks.get(name) ?? [])

/** The outages begin, and the first version sends what it sends. */
const tell = async (stage: Stage): Promise<void> => {
  const { sql, outside, checks, api, page } = stage
  outside.deaf.add('retried')
  for (const group of checks.keys()) if (group !== 'mixed') outside.failing.add(group)
  const failing = [...checks.keys()].filter((group) => group !== 'mixed')
  await everyStatusIs(sql, of(stage, ...failing), 'down', patience)
  await vi.waitFor(async () => {
    const quiet = failing.filter((group) => !['pending', 'maintained', 'retried', 'mail'].includes(group))
    for (const group of quiet) expect(outside.accepted.has(group), group).toBe(true)
    expect(outside.accepted.get('second')).toHaveLength(2)
    // what a channel that fails is told later waits as messages
    const deaf = stage.channels.get('retried') ?? ''
    expect(await sql`select from alert_messages where receiver_id <> ${deaf}`).toHaveLength(0)
    expect(await sql`select from deliveries where message ->> 'subject' like 'mail %'`).toHaveLength(4)
  }, patience)
  const [checkId = ''] = of(stage, 'published')
  const posted = { statusPageId: page, checkId, region: 'fra', title: 'By hand', body: 'We look at it.' }
  await api('POST', '/incidents', posted)
  await sql`update alerts set next_at = now(), state = jsonb_set(state, '{dueMs}', '0')
    where check_id = any(${of(stage, 'reminded')}::uuid[])`
}

/** Acts, an escalation, a burn alert. */
const tellLater = async ({ mesh, sql, outside, accountId, channels, checks, api }: Stage): Promise<void> => {
  const [first = '', second = ''] = checks.get('acknowledged') ?? []
  const { alerts } = (await api('GET', '/alerts?limit=100')) as { alerts: { id: string; checkId: string }[] }
  const alertOf = (checkId: string): string => alerts.find((each) => each.checkId === checkId)?.id ?? ''
  await api('POST', `/alerts/${alertOf(first)}/acknowledge`, {})
  await api('POST', `/alerts/${alertOf(second)}/snooze`, { minutes: 60 })
  // a check that does not fail, so that the burn is over
  const url = outside.urlOf('healthy', 0)
  const [healthy = ''] = await createChecks(mesh, [{ name: 'healthy', url, intervalSeconds }])
  const [objective, rule] = [uuidv7(Date.now()), uuidv7(Date.now())]
  const channelIds = [channels.get('burn') ?? '']
  await sql`
    insert into alert_rules (id, account_id, name, enabled, check_ids, statuses, after_seconds, channel_ids,
      email_users, created_at, updated_at)
    values (${rule}, ${accountId}, 'burn', true, ${[healthy]}::uuid[], '{down}', 0, ${channelIds}::uuid[], false, now(),
      now())`
  await sql`
    insert into objectives (id, account_id, name, target, window_days, check_id, alert_rule_id, created_at)
    values (${objective}, ${accountId}, 'burn', 50, 30, ${healthy}, ${rule}, now())`
  await sql`
    insert into burn_alerts (objective_id, pair, account_id, since, receivers)
    values (${objective}, '1h', ${accountId}, now(), ${channelIds}::uuid[])`
  await sql`
    insert into burn_looks (account_id, looked_at, judged_at) values (${accountId}, 'epoch', 'epoch')
    on conflict do nothing`
}

/** Another version takes over, while one outage more is told and a channel answers again. Then all ends. */
const end = async (stage: Stage, by: FormerVersion | null): Promise<void> => {
  const { sql, outside, checks } = stage
  await insertToldSpike(sql, stage)
  await stage.replace(0, by)
  outside.failing.add('mixed')
  outside.deaf.clear()
  await everyStatusIs(sql, of(stage, 'mixed'), 'down', patience)
  await vi.waitFor(() => expect(outside.accepted.has('mixed')).toBe(true), patience)
  await stage.replace(1, by)
  await sql`update maintenance_windows set ends_at = now()`
  await sql`update alerts set next_at = now() where check_id = any(${of(stage, 'maintained')}::uuid[])`
  await vi.waitFor(() => {
    for (const group of ['maintained', 'retried', 'errors'])
      expect(outside.accepted.has(group), group).toBe(true)
  }, patience)
  const [incident] = await sql<{ id: string }[]>`select id from incidents where source = 'manual'`
  await stage.api('POST', `/incidents/${incident?.id}/updates`, {
    status: 'resolved',
    body: 'It works again.',
  })
  // an earlier version gathers the ends that come within a minute of their begins
  if (by !== null) await elapse(restMs)
  outside.failing.clear()
  await everyStatusIs(sql, of(stage, ...checks.keys()), 'operational', patience)
  await vi.waitFor(async () => {
    expect(await sql`select from alerts`).toHaveLength(0)
    expect(await sql`select from incidents where source = 'automatic' and resolved_at is null`).toHaveLength(
      0,
    )
  }, patience)
  await elapse(restMs)
}

const countsOf = (messages: readonly Pick<Message, 'event' | 'alertKey'>[], ...events: string[]) =>
  Map.groupBy(
    messages.filter(({ event }) => events.includes(event)),
    ({ alertKey }) => alertKey,
  )

/** How many messages, single or digests, say that a check fails, and that it has recovered. */
const mentions = (name: string, messages: readonly Message[]): { begins: number; ends: number } => {
  const names = new RegExp(`(?:^|[ ,:])${name}(?![0-9])`)
  const lines = messages.flatMap(({ title, text, event }) =>
    event === 'digest' || title.includes(', ') || /^\d+ checks? /.test(title) ? text.split('\n') : [title],
  )
  const about = lines.filter((line) => names.test(line))
  const isEnd = (line: string): boolean => /recovered/.test(line)
  return { begins: about.filter((line) => !isEnd(line)).length, ends: about.filter(isEnd).length }
}

/** What was opened at a receiver is closed there, each once. */
const judge = async (stage: Stage): Promise<string> => {
  const { sql, outside, checks } = stage
  const problems: string[] = []
  let ends = 0
  const mails = await sql<{ subject: string }[]>`
    select message ->> 'subject' as subject from deliveries where kind = 'mail' and message ->> 'subject' like 'mail %'`
  const judged = new Map<string, readonly string[]>(checks)
  if (checks.has('escalated')) judged.set('second', [])
  for (const [group, ids] of judged) {
    const messages = outside.accepted.get(group) ?? []
    const twice = [...Map.groupBy(messages, ({ id }) => id).values()].filter((same) => same.length > 1)
    if (twice.length > 0) problems.push(`${group}: ${twice.length} messages twice`)
    if (group === 'pending') {
      if (messages.length > 0) problems.push(`pending: told of an outage that was too short`)
      else ends += ids.length
      continue
    }
    if (group === 'mail') {
      const recovered = mails.filter(({ subject }) => subject.includes('recovered'))
      if (mails.length !== 2 * ids.length || recovered.length !== ids.length)
        problems.push(`mail: ${mails.map(({ subject }) => subject).join(', ')}`)
      else ends += ids.length
      continue
    }
    if (group === 'digest') {
      for (const [n] of ids.entries()) {
        const { begins, ends: recoveries } = mentions(`digest ${n}`, messages)
        if (begins === 0 || recoveries !== 1)
          problems.push(`digest ${n}: ${begins} begins, ${recoveries} ends`)
        else ends += 1
      }
      continue
    }
    const opened = countsOf(messages, 'alert', 'digest')
    const closed = countsOf(messages, 'recovery')
    for (const [key, same] of [...opened, ...closed])
      if (same.length > 1 && !key.startsWith('storm:')) problems.push(`${group}: ${key} ${same.length} times`)
    const open = [...opened.keys()].filter((key) => !closed.has(key))
    const unheard = [...closed.keys()].filter((key) => !opened.has(key))
    const heard = messages.map(({ event, alertKey, title }) => `${event} ${alertKey} "${title}"`).join('; ')
    if (open.length > 0) problems.push(`${group}: never told of the end: ${open.join(', ')}, but of ${heard}`)
    if (unheard.length > 0) problems.push(`${group}: an end without a begin: ${unheard.join(', ')}`)
    if (opened.size === 0) problems.push(`${group}: never told`)
    if (closed.size === ids.length) ends += ids.length
  }
  const read = await sql<{ subject: string }[]>`
    select message ->> 'subject' as subject from deliveries where cause like 'incident_update:%'`
  if (read.length !== 2) problems.push(`subscriber: ${read.map(({ subject }) => subject).join(', ')}`)
  const reminders = countsOf(outside.accepted.get('reminded') ?? [], 'reminder')
  for (const [key, same] of reminders) if (same.length > 1) problems.push(`reminded twice: ${key}`)
  if (reminders.size !== checks.get('reminded')?.length) problems.push(`${reminders.size} reminders`)
  for (const name of ['errors', 'burn']) {
    const told = outside.accepted.get(name) ?? []
    if (told.length !== 1) problems.push(`${name}: ${told.length} messages about its end`)
  }
  expect(problems).toEqual([])
  return `${ends} of ${[...checks.values()].flat().length} alerts have their end, 0 told twice`
}

test.for([
  ['an upgrade from', 'from'],
  ['a roll back to', 'back to'],
] as const)(
  'after %s 2026-11-29 everyone who was told of an outage is told of its end, once',
  { timeout },
  async ([, way], context) => {
    if (!(await hasCommit(formerCommit))) return context.skip(`this clone has no commit ${formerCommit}`)
    const former = await checkOutFormerVersion(formerCommit)
    const [begun, by] = way === 'from' ? [former, null] : [null, former]
    await withMesh(begun, async (stage) => {
      await tell(stage)
      await tellLater(stage)
      await end(stage, by)
      await recordFigure(context, `${way} 2026-11-29: ${await judge(stage)}`)
    }).finally(former.close)
  },
)
