import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/**
 * Groups of checks, each with an alert rule and a channel of its own, so that their messages meet no other's. `of`: how
 * many checks.
 */
export const groups = {
  single: { of: 4 },
  digest: { of: 14 },
  mail: { of: 4 },
  pending: { of: 2, afterSeconds: 3_600 },
  reminded: { of: 2 },
  maintained: { of: 2 },
  published: { of: 2 },
  retried: { of: 2 },
  mixed: { of: 4 },
  acknowledged: { of: 2 },
  escalated: { of: 2 },
} as const
export type Group = keyof typeof groups

/** A message as its receiver got it. */
export type Message = { id: string; event: string; alertKey: string; title: string; text: string }

/** A site with a page for each check, and the receiver of all channels. */
export type Outside = {
  urlOf(group: string, n: number): string
  hookOf(group: string): string
  /** The groups whose pages fail, and the groups whose channel answers 503. */
  readonly failing: Set<Group>
  readonly deaf: Set<string>
  /** What was accepted, by the group of its channel, in order. */
  readonly accepted: ReadonlyMap<string, Message[]>
  close(): Promise<void>
}

export const startOutside = async (): Promise<Outside> => {
  const failing = new Set<Group>()
  const deaf = new Set<string>()
  const accepted = new Map<string, Message[]>()
  const server = createServer((request, response) => {
    const [, kind = '', group = ''] = (request.url ?? '').split('/')
    if (kind === 'page') {
      response.statusCode = failing.has(group as Group) ? 503 : 200
      return response.end()
    }
    void bodyOf(request).then((body) => {
      response.statusCode = deaf.has(group) ? 503 : 204
      response.end()
      if (response.statusCode !== 204) return
      const { event, alertKey, title, text } = body
      const message = { id: String(request.headers['webhook-id']), event, alertKey, title, text }
      accepted.set(group, [...(accepted.get(group) ?? []), message])
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    urlOf: (group, n) => `${origin}/page/${group}/${n}`,
    hookOf: (group) => `${origin}/hook/${group}`,
    failing,
    deaf,
    accepted,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The default form of a JSON channel. */
const bodyOf = async (request: IncomingMessage): Promise<Omit<Message, 'id'>> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
    type: string
    data: { alertKey: string; title: string; text: string }
  }
  return { event: type, ...data }
}

type Seeded = { accountId: string; channels: ReadonlyMap<string, string> }

/** One rule for each group, with columns that every version has. @returns the rule of each group */
export const insertRules = async (
  sql: Sql,
  { accountId, channels }: Seeded,
  checks: ReadonlyMap<Group, readonly string[]>,
): Promise<ReadonlyMap<Group, string>> => {
  await sql`update alert_rules set enabled = false where account_id = ${accountId}`
  const rules = new Map<Group, string>()
  for (const [group, checkIds] of checks) {
    const [id, given] = [uuidv7(Date.now()), groups[group]]
    const afterSeconds = 'afterSeconds' in given ? given.afterSeconds : 0
    const channelIds = group === 'mail' ? [] : [channels.get(group) ?? '']
    await sql`
      insert into alert_rules (id, account_id, name, enabled, check_ids, statuses, after_seconds, channel_ids,
        email_users, created_at, updated_at)
      values (${id}, ${accountId}, ${group}, true, ${[...checkIds]}::uuid[], '{down}', ${afterSeconds},
        ${channelIds}::uuid[], ${group === 'mail'}, now(), now())`
    rules.set(group, id)
  }
  return rules
}

/** A page with a subscriber, one maintenance window over the maintained checks, and an incident by hand. */
export const insertPage = async (
  sql: Sql,
  { accountId }: Seeded,
  checks: ReadonlyMap<Group, readonly string[]>,
): Promise<string> => {
  const [page, window] = [uuidv7(Date.now()), uuidv7(Date.now())]
  await sql`
    insert into status_pages (id, account_id, name, slug, theme_preset, font, locale, created_at, updated_at)
    values (${page}, ${accountId}, 'page', ${page}, 'default', 'system', 'en', now(), now())`
  for (const group of ['maintained', 'published'] as const) {
    await sql`
      insert into components (id, account_id, status_page_id, check_id, display_name, created_at, updated_at)
      select gen_random_uuid(), ${accountId}, ${page}, id, name, now(), now() from checks
      where id = any(${[...(checks.get(group) ?? [])]}::uuid[])`
  }
  await sql`
    insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at, whole_page,
      created_at)
    values (${window}, ${accountId}, ${page}, 'Work', '', now() - interval '1 minute', now() + interval '1 day', false,
      now() - interval '1 hour')`
  await sql`
    insert into maintenance_components (account_id, window_id, component_id, position)
    select ${accountId}, ${window}, components.id, 0 from components
    where check_id = any(${[...(checks.get('maintained') ?? [])]}::uuid[])`
  await sql`
    insert into subscribers (id, account_id, status_page_id, email, confirm_before, asked_at, confirmed_at, created_at)
    values (gen_random_uuid(), ${accountId}, ${page}, 'reader@test.example', now(), '{}', now(), now())`
  return page
}

/** A spike of errors that its rule told 20 minutes ago, and that is over since. */
export const insertToldSpike = async (sql: Sql, { accountId, channels }: Seeded): Promise<void> => {
  const [project, rule, spike] = [uuidv7(Date.now()), uuidv7(Date.now()), uuidv7(Date.now())]
  await sql`
    insert into error_projects (id, account_id, name, created_at)
    values (${project}, ${accountId}, 'shop', now())`
  await sql`
    insert into error_rules (id, account_id, name, enabled, events, spike_of, spike_span_minutes, spike_events_min,
      spike_factor, channel_ids, email_users, created_at, updated_at)
    values (${rule}, ${accountId}, 'spikes', true, '{spike}', 'project', 5, 10, 2,
      ${[channels.get('errors') ?? '']}::uuid[], false, now() - interval '1 hour', now() - interval '1 hour')`
  await sql`
    insert into error_rule_states (rule_id, account_id, bound, looked_at)
    values (${rule}, ${accountId}, ${sql.json({ hourAtMs: null, told: 0, waiting: null })},
      now() - interval '20 minutes')
    on conflict do nothing`
  await sql`
    insert into error_spikes (id, account_id, rule_id, project_id, began_at, last_met_at, told)
    values (${spike}, ${accountId}, ${rule}, ${project}, now() - interval '30 minutes', now() - interval '20 minutes',
      true)`
}

/** The rule escalates to the channel `second` after a minute. */
export const insertEscalation = async (
  sql: Sql,
  { accountId, channels }: Seeded,
  ruleId: string,
): Promise<void> => {
  const level = (afterMinutes: number, channel: string) => ({
    afterMinutes,
    userIds: [],
    scheduleIds: [],
    channelIds: [channels.get(channel) ?? ''],
  })
  const id = uuidv7(Date.now())
  await sql`
    insert into escalation_policies (id, account_id, name, levels, repeats, repeat_after_minutes, created_at)
    values (${id}, ${accountId}, 'second', ${sql.json([level(0, 'escalated'), level(1, 'second')])}, 0, 30, now())`
  await sql`update alert_rules set escalation_id = ${id} where id = ${ruleId}`
}
