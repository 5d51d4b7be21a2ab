import { beforeEach, expect, test } from 'vitest'
import { publishChecks } from '../app/alerting/testing.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string

beforeEach(() => {
  ;({ game, accountId } = stage)
})

const behind = async (cdn: string, ...names: string[]): Promise<string[]> => {
  const ids = await game.checks(accountId, names)
  await sql`
    insert into check_providers (check_id, region, cdn, seen_at)
    select id, 'fra', ${cdn}, ${new Date(game.clock.nowMs)} from unnest(${ids}::uuid[]) as ids (id)`
  return ids
}
const openings = async (): Promise<string[]> =>
  (await sql<{ body: string }[]>`select body from incident_updates order by sequence`).map(({ body }) => body)

test('an automatic incident names the cause that its checks share, without their numbers', async () => {
  const shops = await behind('fastly', 'a', 'b', 'c')
  await behind('cloudflare', 'docs')
  await publishChecks(sql, accountId, shops.slice(0, 1))
  await game.flip(shops, 'down')
  await game.act()
  expect(await openings()).toEqual([
    'connection refused\nFailing in fra, iad. Other checks behind the CDN Fastly fail too.',
  ])
})

test('an incident names nothing where nothing fits, or where the database does not answer in time', async () => {
  const [one = ''] = await behind('fastly', 'a')
  await publishChecks(sql, accountId, [one])
  await game.flip([one], 'down')
  await sql.begin(async (tx) => {
    await tx`lock table check_providers in access exclusive mode`
    await game.act()
  })
  expect(await openings()).toEqual(['connection refused\nFailing in fra, iad.'])
})
