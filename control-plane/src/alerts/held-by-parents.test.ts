import { beforeEach, describe, expect, test } from 'vitest'
import { publishChecks } from '../app/alerting/testing.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string

beforeEach(async () => {
  ;({ game, accountId } = stage)
  await game.channel(accountId)
})

const depend = async (children: readonly string[], ...parents: readonly string[]): Promise<void> => {
  await sql`
    insert into check_parents (check_id, parent_id, account_id)
    select child, parent, ${accountId} from unnest(${[...children]}::uuid[]) as children (child),
      unnest(${[...parents]}::uuid[]) as parents (parent)`
}
/** Lets time pass and runs all due work each second. */
const settle = async (seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second++) {
    await game.act()
    game.pass(1_000)
  }
  await game.act()
}
const ids = async (...names: string[]): Promise<string[]> => game.checks(accountId, names)
/** A region of a check sees it fail, and that is not confirmed. */
const suspect = async (checkId: string): Promise<void> => {
  const measuredAt = game.clock.nowMs
  const state = {
    verdict: 'up',
    measuredAt,
    goods: 2,
    failing: false,
    unmeasuredAt: 0,
    suspect: { measuredAt, sinceMs: measuredAt, heardAtMs: measuredAt, confirmed: false, unanswered: true },
  }
  await sql`
    update check_states set regions = ${sql.json({ fra: state, iad: { ...state, suspect: null } })}
    where check_id = ${checkId}`
}
const children = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']

test('a parent and its nine children that fail together are one message, which names them', async () => {
  await game.rule(accountId)
  const [database = '', ...others] = await ids('Database', ...children)
  await depend(others, database)
  await game.flip([...others, database], 'down')
  await settle(90)
  const told = await game.deliveries(accountId)
  expect(told.map(({ message }) => message.title)).toEqual(['Database is down'])
  expect(told[0]?.message.text).toContain('9 checks that depend on it fail too: a, b, c, d, e, f, g, h, i.')
  await game.flip([...others, database], 'operational')
  await settle(90)
  expect(await game.titles(accountId)).toEqual([
    'Database is down',
    'Database has recovered after 1 min 30 s',
  ])
  expect(await sql`select from alerts`).toHaveLength(0)
})

test('a child that still fails after its parent alerts then, once', async () => {
  await game.rule(accountId)
  const [database = '', one = '', other = ''] = await ids('Database', 'one', 'other')
  await depend([one, other], database)
  await game.flip([one, other, database], 'down')
  await settle(60)
  await game.flip([database], 'operational')
  await settle(5)
  const [, recovery] = await game.deliveries(accountId)
  expect(recovery?.message.text).toContain('2 checks that depend on it have not recovered yet: one, other.')
  await game.flip([other], 'operational')
  await settle(200)
  const told = await game.deliveries(accountId)
  expect(told.map(({ message }) => message.title).slice(2)).toEqual(['one is down'])
  expect(told.at(-1)?.message.text).toContain('depends on Database, whose failure delayed this message')
})

test('a child that is seen failing after the end of its parent alerts at once', async () => {
  await game.rule(accountId)
  const [database = '', one = ''] = await ids('Database', 'one')
  await depend([one], database)
  await game.flip([one, database], 'down')
  await settle(60)
  await game.flip([database], 'operational')
  game.pass(1_000)
  await sql`
    update check_states set regions = jsonb_set(regions, '{fra,measuredAt}', to_jsonb(${game.clock.nowMs}::float8))
    where check_id = ${one}`
  await settle(20)
  expect(await game.titles(accountId)).toContain('one is down')
})

test('a child that was told before its parent failed stays told, and its recovery is told', async () => {
  await game.rule(accountId)
  const [database = '', one = ''] = await ids('Database', 'one')
  await depend([one], database)
  await game.flip([one], 'down')
  await settle(60)
  await game.flip([database], 'down')
  await settle(10)
  await game.flip([one], 'operational')
  await settle(10)
  expect(await game.titles(accountId)).toEqual([
    'one is down',
    'Database is down',
    expect.stringContaining('one has recovered'),
  ])
})

test('a parent whose failure is not confirmed holds its child for one confirmation, and no longer', async () => {
  await game.rule(accountId)
  const [database = '', one = ''] = await ids('Database', 'one')
  await depend([one], database)
  await suspect(database)
  await game.flip([one], 'down')
  await settle(10)
  expect(await game.titles(accountId)).toEqual([])
  await suspect(database)
  await settle(40)
  await suspect(database)
  await settle(5)
  expect(await game.titles(accountId)).toEqual(['one is down'])
})

describe('a child is not held', () => {
  const failing = async (rule: object = {}): Promise<[string, string]> => {
    await game.rule(accountId, rule)
    const [database = '', one = ''] = await ids('Database', 'one')
    await depend([one], database)
    await game.flip([database], 'down')
    await settle(60)
    return [database, one]
  }

  test('by a parent in maintenance', async () => {
    const [database, one] = await failing()
    const page = await publishChecks(sql, accountId, [database])
    const [from, to] = [new Date(game.clock.nowMs - 1_000), new Date(game.clock.nowMs + 3_600_000)]
    await sql`
      insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at, whole_page,
        created_at)
      values (gen_random_uuid(), ${accountId}, ${page}, 'work', '', ${from}, ${to}, true, ${from})`
    await game.flip([one], 'down')
    await settle(5)
    expect(await game.titles(accountId)).toEqual(['Database is down', 'one is down'])
  })

  test.each(['paused', 'deleted'])('by a parent that is %s meanwhile', async (how) => {
    const [database, one] = await failing()
    await game.flip([one], 'down')
    await settle(30)
    expect(await game.titles(accountId)).toEqual(['Database is down'])
    if (how === 'paused') await sql`update checks set paused = true where id = ${database}`
    else await sql`delete from checks where id = ${database}`
    await settle(20)
    expect(await game.titles(accountId)).toContain('one is down')
  })

  test('by a parent whose outage its rule does not tell', async () => {
    const [database = '', one = ''] = await ids('Database', 'one')
    await depend([one], database)
    await game.rule(accountId, { checkIds: [one] })
    await game.flip([database, one], 'down')
    await settle(5)
    expect(await game.titles(accountId)).toEqual(['one is down'])
  })

  test('by a parent that was down before the rule existed', async () => {
    const [database = '', one = ''] = await ids('Database', 'one')
    await depend([one], database)
    await game.flip([database], 'down')
    await settle(5)
    await game.rule(accountId)
    await game.flip([one], 'down')
    await settle(60)
    expect(await game.titles(accountId)).toEqual(['one is down'])
  })
})

test('a chain of dependent checks is one message about the first of them', async () => {
  await game.rule(accountId)
  const [disk = '', database = '', shop = ''] = await ids('Disk', 'Database', 'Shop')
  await depend([database], disk)
  await depend([shop], database)
  await game.flip([shop, database, disk], 'down')
  await settle(60)
  const told = await game.deliveries(accountId)
  expect(told.map(({ message }) => message.title)).toEqual(['Disk is down'])
  expect(told[0]?.message.text).toContain('2 checks that depend on it fail too: Database, Shop.')
})

test('held alerts change neither incidents nor outages', async () => {
  await game.rule(accountId)
  const [database = '', one = ''] = await ids('Database', 'one')
  await depend([one], database)
  await publishChecks(sql, accountId, [database, one])
  await game.flip([database, one], 'down')
  await settle(5)
  expect(await sql`select from incident_members`).toHaveLength(2)
  expect(await sql`select from outages`).toHaveLength(2)
})

test('alerts processed long after the failures hold children all the same', async () => {
  await game.rule(accountId)
  const [database = '', ...others] = await ids('Database', ...children)
  await depend(others, database)
  await game.flip(others, 'down')
  game.pass(5_000)
  await game.flip([database], 'down')
  game.pass(1_800_000)
  await settle(20)
  expect(await game.titles(accountId)).toEqual(['Database is down'])
})
