// One act of the account on a database, ended by SIGKILL before a chosen step of its transaction. A step is a
// statement, the commit, or the work after the commit. Prints the number of steps.
import { createIncident } from '@probe-mesh/control-plane/src/incidents/incidents'
import type { AccountContext } from '@probe-mesh/control-plane/accounts/operations/context'
import { expandNews } from '@probe-mesh/control-plane/src/subscribers/expand-news'
import {
  connectPostgres,
  type Sql,
  type Transaction,
} from '@probe-mesh/control-plane/stores/postgres/connect'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import type { CreateIncidentInput } from '@probe-mesh/contracts/incident/incident'

/** The input as JSON. With `killAt` null the act completes. */
export type KilledAct = { databaseUrl: string; killAt: number | null } & (
  | { act: 'create incident'; accountId: string; body: CreateIncidentInput }
  | { act: 'expand news'; row: { id: string; payload: unknown } }
)

const killing = (sql: Sql, killAt: number | null): { sql: Sql; steps(): number } => {
  let steps = 0
  const step = (): void => {
    steps += 1
    if (steps === killAt) process.kill(process.pid, 'SIGKILL')
  }
  const counted = (transaction: Transaction): Transaction =>
    new Proxy(transaction, {
      apply: (target, self, parts) => {
        step()
        return Reflect.apply(target, self, parts)
      },
    })
  const begin = async (work: (transaction: Transaction) => Promise<unknown>): Promise<unknown> => {
    const result = await sql.begin(async (transaction) => {
      const result = await work(counted(transaction))
      step()
      return result
    })
    step()
    return result
  }
  const killed = new Proxy(sql, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
  })
  return { sql: killed, steps: () => steps }
}

const carryOut = async (given: KilledAct): Promise<number> => {
  const role = given.act === 'create incident' ? 'probe_mesh_account' : 'probe_mesh_system'
  const pool = connectPostgres(given.databaseUrl, { connectionsMax: 1, role })
  const { sql, steps } = killing(pool, given.killAt)
  if (given.act === 'create incident') {
    const rules = { regions: ['fra'] } as unknown as AccountContext['rules']
    const actor = { kind: 'operator' } as const
    const { accountId, body } = given
    const input = { body, params: undefined, query: undefined } as never
    await createIncident({ sql, rules, now: Date.now }, { accountId, actor }, input)
  } else {
    const tokens = createUnsubscribeTokens('the key of the tests')
    const publicUrl = 'http://127.0.0.1:8080'
    await expandNews({ sql, tokens, publicUrl, now: Date.now }, given.row)
  }
  await pool.end()
  return steps()
}

process.stdout.write(String(await carryOut(JSON.parse(process.argv[2] ?? '{}') as KilledAct)))
