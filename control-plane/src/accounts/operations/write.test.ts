import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test, vi } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { ownerOf } from '../../app/testing/pages.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { lockPagesOfChecks } from '../../incidents/joinable-incidents-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../../alerts/watched-checks-store.ts'
import { operator } from './context.ts'
import { write } from './write.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const account = useEach(() => at.account('scale'))
const owner = useEach(() => ownerOf(at, account))

const name = { action: 'test', resourceType: 'check', resourceId: () => 'the resource' }
/** A write on a connection that may set the deadlock timeout. */
const writing = (work: (tx: Transaction) => Promise<unknown>, onWriteRepeated: () => void) =>
  write({ sql: at.sql, now: at.now, onWriteRepeated }, { accountId: account.id, ...operator }, name, work)
const noted = async (): Promise<number> =>
  (await at.sql`select from audit_log where account_id = ${account.id} and action = 'test'`).length

/** Waits until a session of the test waits for a row lock. */
const untilOneWaits = () =>
  vi.waitFor(async () => {
    const waiting = await at.sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    expect(waiting).toHaveLength(1)
  })

const lock = (tx: Transaction, id: string) => tx`select from checks where id = ${id} for update`

describe('two deadlocked transactions', () => {
  test('a write that Postgres ended is retried as a whole, once, and counted', async () => {
    const [first, second] = [await owner.checkId(), await owner.checkId()]
    const hasFirst = Promise.withResolvers<void>()
    const hasSecond = Promise.withResolvers<void>()
    // only the write detects the deadlock soon, so Postgres ends the write and not the rival
    const rival = transact(at.sql, async (tx) => {
      await tx`set local deadlock_timeout = '1min'`
      await lock(tx, second)
      hasSecond.resolve()
      await hasFirst.promise
      await lock(tx, first)
    })
    await hasSecond.promise
    const repeated = vi.fn<() => void>()
    let attempts = 0
    const written = await writing(async (tx) => {
      attempts++
      await tx`set local deadlock_timeout = '10ms'`
      await tx`update checks set name = name || '!' where id = ${first}`
      hasFirst.resolve()
      if (attempts === 1) await untilOneWaits()
      await lock(tx, second)
      return 'written'
    }, repeated)
    await rival
    expect(written).toBe('written')
    expect(attempts).toBe(2)
    expect(repeated).toHaveBeenCalledTimes(1)
    // the first attempt left nothing
    expect(await at.sql`select name from checks where id = ${first}`).toEqual([{ name: 'web!' }])
    expect(await noted()).toBe(1)
  })

  test('do not occur between flips of a check and its publication on a page', async () => {
    const pageId = await owner.pageId()
    const [shown, added] = [await owner.checkId(), await owner.checkId()]
    const publish = (checkId: string) => owner.post(`/status-pages/${pageId}/components`, { checkId })
    await publish(shown)
    const hasPage = Promise.withResolvers<void>()
    const flips = transact(at.systemSql, async (tx) => {
      await lockWatchedChecksShared(tx, [shown])
      const pages = await lockPagesOfChecks(tx, [shown])
      hasPage.resolve()
      await untilOneWaits()
      // an incident of the page may refer to any check, also to the one that waits for the page
      expect([...(await lockWatchedChecksShared(tx, [added])).keys()]).toEqual([added])
      return pages
    })
    await hasPage.promise
    const published = publish(added)
    expect(await flips).toMatchObject([{ checkId: shown, statusPageId: pageId }])
    expect((await published).status).toBe(201)
    const metrics = await at.registry.metrics()
    expect(metrics).toMatch(/^account_writes_repeated_total 0$/m)
  })
})

const fail = (tx: Transaction, state: string) =>
  tx.unsafe(`do $$ begin raise exception 'for the test' using errcode = '${state}'; end $$`)

describe('the retry of a write', () => {
  test.each([
    ['40P01', 5],
    ['40001', 5],
    // a unique violation, an unavailable server, and a server without space
    ['23505', 1],
    ['57P03', 1],
    ['53100', 1],
  ])('after an error %s makes %i attempts, and returns the last error', async (state, most) => {
    const repeated = vi.fn<() => void>()
    let attempts = 0
    const outcome = writing(async (tx) => {
      attempts++
      await fail(tx, state)
    }, repeated)
    await expect(outcome).rejects.toMatchObject({ code: state })
    expect(attempts).toBe(most)
    expect(repeated).toHaveBeenCalledTimes(most - 1)
    expect(await noted()).toBe(0)
  })

  test('does not follow a refusal', async () => {
    const refusal = refuse('SV-3002')
    const work = vi.fn<() => Promise<typeof refusal>>().mockResolvedValue(refusal)
    expect(await writing(work, () => {})).toBe(refusal)
    expect(work).toHaveBeenCalledTimes(1)
    expect(await noted()).toBe(0)
  })
})

test('a write that failed all attempts is SV-9002, not SV-9001', async () => {
  const id = await owner.checkId()
  await at.sql.unsafe(`
    create or replace function collide() returns trigger language plpgsql as $$
      begin raise exception 'for the test' using errcode = '40P01'; end $$;
    create trigger collides before insert on components for each row execute function collide();`)
  try {
    const path = `/status-pages/${await owner.pageId()}/components`
    const answer = await owner.post(path, { checkId: id })
    expect(answer).toMatchObject({ status: 503, json: { code: 'SV-9002' } })
    expect(answer.headers).toHaveProperty('retry-after')
    expect(await at.registry.metrics()).toMatch(/^account_writes_repeated_total 4$/m)
  } finally {
    await at.sql`drop trigger collides on components`
  }
})
