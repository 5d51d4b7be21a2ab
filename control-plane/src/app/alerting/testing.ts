import type { JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import pino from 'pino'
import { Registry } from 'prom-client'
import { defaultRule, type AlertRuleRecord } from '../../alerts/alert-rule.ts'
import type { ChannelMessage } from '../../notifications/channels/forms/message.ts'
import type { MailMessage } from '../../notifications/mail/mail.ts'
import { insertAlertRule } from '../../alerts/alert-rules-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { newRegionState, type RegionState } from '../../status/state.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { processDueAlerts } from '../../alerts/claim-due-alerts.ts'
import { releaseHeld } from '../../incidents/held-failures.ts'
import { alertMetrics } from '../../alerts/metrics.ts'
import { sendNextBatch } from '../../alerts/send-batches.ts'
import { createUnsubscribeTokens } from '../../accounts/link-tokens.ts'
import { processFlips } from './process-flips.ts'

export const testRegions = ['fra', 'iad'] as const

export type TestDelivery = {
  channelId: string | null
  recipient: string | null
  message: ChannelMessage & MailMessage
}

/** The alerter's operations on a manual clock, with accounts, checks and flips to play. */
export const alertScenario = (sql: Sql) => {
  const clock = { nowMs: Date.parse('2026-11-20T12:00:00.000Z') }
  const context: AlertContext = {
    sql,
    publicUrl: 'https://mesh.example.org',
    tokens: createUnsubscribeTokens('the key of the tests'),
    metrics: alertMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    now: () => clock.nowMs,
  }
  const nowId = (): string => uuidv7(clock.nowMs)

  const account = async (): Promise<string> => {
    const id = nowId()
    await sql`insert into accounts values (${id}, 'test', 'scale', ${new Date(clock.nowMs)})`
    return id
  }
  const rule = async (accountId: string, more: Partial<AlertRuleRecord> = {}): Promise<AlertRuleRecord> => {
    const made = { ...defaultRule(accountId, clock.nowMs), ...more }
    await insertAlertRule(sql, made)
    return made
  }
  /** @param form of a `json` channel; the default one without */
  const channel = async (accountId: string, isVerified = true, form?: JsonForm): Promise<string> => {
    const [id, now] = [nowId(), new Date(clock.nowMs)]
    await sql`
      insert into notification_channels (id, account_id, type, name, credential, summary, created_at,
        updated_at, verified_at)
      values (${id}, ${accountId}, 'json', 'hook', '', ${sql.json({ ...(form !== undefined && { form }) })}, ${now}, ${now},
        ${isVerified ? now : null})`
    return id
  }
  /** @returns their ids */
  const checks = async (
    accountId: string,
    names: readonly string[],
    urlOf: (name: string) => string = (name) => `https://${name}.example.org/`,
  ): Promise<string[]> => {
    const now = new Date(clock.nowMs)
    const rows = names.map((name) => {
      const id = nowId()
      return { id, name, url: urlOf(name), partition: partitionOf(id) }
    })
    await sql`
      with new as (
        select * from jsonb_to_recordset(${sql.json(rows)}) as new (id uuid, name text, url text,
          partition smallint)
      ),
      made as (
        insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
          valid_from, created_at, updated_at)
        select id, ${accountId}, 'http', name, url, 60, ${[...testRegions]}, true, ${now}::timestamptz,
          ${now}::timestamptz, ${now}::timestamptz from new
        returning id
      )
      insert into check_states (check_id, partition)
      select new.id, partition from new join made on made.id = new.id`
    return rows.map(({ id }) => id)
  }
  /** Records flips as the assessor does. @param more.called whether to write the outbox row */
  const flip = async (
    checkIds: readonly string[],
    to: CheckStatus,
    more: { reason?: string; called?: boolean } = {},
  ): Promise<void> => {
    const reason =
      to === 'down'
        ? `2 of 2 regions fail (fra, iad): ${more.reason ?? 'connection refused'}`
        : (more.reason ?? null)
    const verdict = to === 'down' ? 'down' : 'up'
    const region: RegionState = { ...newRegionState, verdict, measuredAt: clock.nowMs }
    const regions = Object.fromEntries(testRegions.map((name) => [name, region]))
    const ids = checkIds.map((id) => ({ id, flip: nowId(), call: nowId() }))
    const at = new Date(clock.nowMs)
    await sql`
      with named as (
        select * from jsonb_to_recordset(${sql.json(ids)}) as named (id uuid, flip uuid, call uuid)
      ),
      before as (select check_id, status from check_states),
      moved as (
        update check_states set status = ${to}, status_reason = ${reason}, status_since = ${at}, version = version + 1,
          regions = ${sql.json(regions)}
        from named where check_id = named.id
        returning check_id, version
      ),
      flipped as (
        insert into flips (id, check_id, version, from_status, to_status, reason, at)
        select flip, moved.check_id, version, before.status, ${to}, ${reason}, ${at}
        from moved join named on named.id = moved.check_id
          join before on before.check_id = moved.check_id
      )
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      select call, 'alert', jsonb_build_object('flip', jsonb_build_object('checkId', id)), ${at}, ${at}
      from named where ${more.called ?? true}`
    await sql`select pg_notify('outbox', '')`
  }
  return {
    clock,
    context,
    account,
    rule,
    channel,
    checks,
    flip,
    pass: (ms: number): void => {
      clock.nowMs += ms
    },
    /** Runs all due work. */
    act: async (): Promise<void> => {
      while ((await processFlips(context, 200)) > 0);
      while ((await processDueAlerts(context, 200)) > 0);
      while ((await releaseHeld(context, 200)) > 0);
      while ((await sendNextBatch(context)) > 0);
    },
    deliveries: async (accountId: string): Promise<TestDelivery[]> => {
      const rows = await sql<TestDelivery[]>`
        select channel_id as "channelId", recipient, message from deliveries
        where account_id = ${accountId} order by created_at, id`
      return [...rows]
    },
    titles: async (accountId: string): Promise<string[]> => {
      const rows = await sql<{ title: string }[]>`
        select coalesce(message ->> 'title', message ->> 'subject') as title from deliveries
        where account_id = ${accountId} order by created_at, message ->> 'at'`
      return rows.map((row) => row.title)
    },
  }
}

/** A page that publishes these checks under their names. */
export const publishChecks = async (
  sql: Sql,
  accountId: string,
  checkIds: readonly string[],
): Promise<string> => {
  const [id, now] = [uuidv7(Date.now()), new Date()]
  await sql`
    insert into status_pages (id, account_id, name, slug, theme_preset, font, locale, created_at,
      updated_at)
    values (${id}, ${accountId}, 'page', ${id}, 'default', 'system', 'en', ${now}, ${now})`
  await sql`
    insert into components (id, account_id, status_page_id, check_id, display_name, created_at,
      updated_at)
    select gen_random_uuid(), ${accountId}, ${id}, id, name, ${now}::timestamptz, ${now}::timestamptz
    from checks where id = any(${[...checkIds]}::uuid[])`
  return id
}
