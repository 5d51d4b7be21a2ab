import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { startErrorPersister } from '@probe-mesh/error-tracking/persist/persister'
import {
  startTestApp,
  type TestAccount,
  type TestApp,
} from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { tiersDefault, type Tier } from '@probe-mesh/contracts/account/tiers'
import pino from 'pino'
import { Registry } from 'prom-client'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'

/** A project for tests of SDKs: its configuration and its counts of this month. */
type TestProject = {
  id: string
  account: TestAccount
  dsn: string
  /** Events by outcome: `stored`, or the reason for the drop. */
  counts(): Promise<Record<string, number>>
  /** Drops in client reports, by `<reason> <category>`. */
  reported(): Promise<Record<string, number>>
  /** Items of other types, by type. */
  unsupported(): Promise<Record<string, number>>
  /** Each issue from the REST API, last seen first. */
  issues(): Promise<Record<string, unknown>[]>
}

/** An app on a loopback port for SDKs, with a persister. */
export type ErrorSystem = {
  at: TestApp
  /** Without a slash at its end. */
  origin: string
  /** A project of a new account. */
  project(tier?: Tier): Promise<TestProject>
  /** Sets the count of events that the account has used this month. */
  spend(project: TestProject, events: number): Promise<void>
  close(): Promise<void>
}

export const startErrorSystem = async (
  options: { errorEventsPerSecond?: number } = {},
): Promise<ErrorSystem> => {
  const store = await createTestClickHouse()
  const at = await startTestApp({ clickhouseUrl: store.url, ...options })
  const clickhouse = connectClickHouse(store.url)
  const origin = await at.app.listen({ host: '127.0.0.1', port: 0 })
  const persister = startErrorPersister({
    sql: at.systemSql,
    clickhouse,
    bus: at.bus,
    tiers: tiersDefault,
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: Date.now,
  })
  for (const lease of await acquireTestLeases(at.sql)) persister.take(lease)
  return {
    at,
    origin,
    project: (tier = 'scale') => createProject(at, origin, tier),
    spend: async ({ id, account }, events) => {
      const month = `${new Date().toISOString().slice(0, 7)}-01`
      await at.sql`
        insert into error_counts (project_id, month, outcome, account_id, events)
        values (${id}, ${month}, 'stored', ${account.id}, ${events})`
    },
    close: async () => {
      await persister.close()
      await clickhouse.close()
      await at.close()
      await store.close()
    },
  }
}

const createProject = async (at: TestApp, origin: string, tier: Tier): Promise<TestProject> => {
  const account = await at.account(tier)
  const id = await insertTestErrorProject(at.sql, account.id)
  const [row] = await at.sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  const sums = async (rows: PromiseLike<{ name: string; sum: number }[]>) =>
    Object.fromEntries((await rows).map(({ name, sum }) => [name, sum]))
  return {
    id,
    account,
    dsn: `${origin.replace('//', `//${row?.key}@`)}/${row?.number}`,
    counts: () =>
      sums(at.sql`
        select outcome as name, events::integer as sum from error_counts where project_id = ${id}`),
    reported: () =>
      sums(at.sql`
        select reason || ' ' || category as name, quantity::integer as sum
        from error_client_reports where project_id = ${id}`),
    unsupported: () =>
      sums(at.sql`
        select type as name, items::integer as sum from error_unsupported_items
        where project_id = ${id}`),
    issues: async () => {
      const key = account.readKey
      const listed = await at.call('GET', `/v1/errors/projects/${id}/issues`, { key })
      const ids = (listed.json.issues as { id: string }[]).map((issue) => issue.id)
      const answers = await Promise.all(
        ids.map((issue) => at.call('GET', `/v1/errors/issues/${issue}`, { key })),
      )
      return answers.map(({ json }) => json as Record<string, unknown>)
    },
  }
}
