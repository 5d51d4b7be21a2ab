import { insertTestHeartbeat } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import type { TestWeb } from './test-web.ts'

/** Creates checks named `check 0` and so on. @returns their ids in that order */
export const manyChecks = async (
  { at: { sql } }: TestWeb,
  accountId: string,
  count: number,
): Promise<string[]> => {
  const { checkId } = await insertTestHeartbeat(sql, { accountId })
  const rows = await sql<{ id: string; name: string }[]>`
    with made as (
      insert into checks
      select (jsonb_populate_record(checks, jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'check ' || n))).*
      from checks, generate_series(1, ${count - 1}) as n where id = ${checkId}
      returning id, name
    ), states as (
      insert into check_states
      select (jsonb_populate_record(check_states, jsonb_build_object('check_id', made.id))).*
      from check_states, made where check_states.check_id = ${checkId}
    )
    select id, name from made`
  await sql`update checks set name = 'check 0' where id = ${checkId}`
  const number = ({ name }: { name: string }): number => Number(name.slice(6))
  return [checkId, ...rows.toSorted((a, b) => number(a) - number(b)).map(({ id }) => id)]
}
