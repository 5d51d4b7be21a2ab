// One act of the account on a database, ended by SIGKILL before a chosen step of its transaction.
// A step is a statement, the commit, or what follows the commit. Prints how many steps there were.
import { createIncident } from '@probe-mesh/control-plane/incidents/incidents'
import type { AccountContext } from '@probe-mesh/control-plane/operations/context'
import { expandNews } from '@probe-mesh/control-plane/subscribers/expand-news'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Sql, Transaction } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/subscribers/subscriber-tokens'
import type { CreateIncidentInput } from '@probe-mesh/contracts/incident/incident'

/** What the test hands over, as JSON. Without `killAt` the act is carried out. */
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

const carryOut = async (asked: KilledAct): Promise<number> => {
  const role = asked.act === 'create incident' ? 'probe_mesh_account' : 'probe_mesh_system'
  const pool = connectPostgres(asked.databaseUrl, { connectionsMax: 1, role })
  const { sql, steps } = killing(pool, asked.killAt)
  if (asked.act === 'create incident') {
    const rules = { regions: ['fra'] } as unknown as AccountContext['rules']
    const actor = { kind: 'operator' } as const
    const { accountId, body } = asked
    const input = { body, params: undefined, query: undefined } as never
    await createIncident({ sql, rules, now: Date.now }, { accountId, actor }, input)
  } else {
    const tokens = createUnsubscribeTokens('the key of the tests')
    const publicUrl = 'http://127.0.0.1:8080'
    await expandNews({ sql, tokens, publicUrl, now: Date.now }, asked.row)
  }
  await pool.end()
  return steps()
}

process.stdout.write(String(await carryOut(JSON.parse(process.argv[2] ?? '{}') as KilledAct)))
