import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { beforeEach, expect, test } from 'vitest'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { createDecodeOnce } from '../../readings/decode-once.ts'
import { createSetAside } from '../../readings/poison.ts'
import type { FirstReader } from '../../readings/first-read/first-reader.ts'
import { createFactsOfChecks } from './check-facts.ts'
import { useIngest } from './testing/use-ingest.ts'

/** The content of one message blocks neither the writer nor other messages. */

const ingest = useIngest()
const { publish, reading, allDone } = ingest
beforeEach(async () => {
  await ingest.sql`delete from poison_messages`
})

/** @param failsOn a check for which our own code overflows the stack */
const start = (
  failsOn?: string,
  how: Pick<Lease, 'afterDeath'> & { firstReader?: FirstReader } = {},
): ReturnType<typeof ingest.start> => {
  const setAside = createSetAside()
  const factsOfChecks = createFactsOfChecks({ sql: ingest.sql, tiers: tiersDefault, now: Date.now })
  return ingest.start({
    factsOfChecks: {
      ...factsOfChecks,
      find: async (checkIds) => {
        const wanted = [...checkIds]
        if (failsOn !== undefined && wanted.includes(failsOn)) {
          throw new RangeError('Maximum call stack size exceeded')
        }
        return factsOfChecks.find(wanted)
      },
    },
    decode: createDecodeOnce(setAside),
    setAside,
    ...how,
  })
}
const stored = async () => (await ingest.stored())[0]

test('finds the message that cannot be stored among others and sets it aside', async () => {
  let fatal: string
  do fatal = await insertTestCheck(ingest.sql, { regions: ['fra'] })
  while (partitionOf(fatal) !== partitionOf(ingest.checkId))
  await publish([reading(1)])
  await publish([reading(2, { checkId: fatal })])
  await publish([reading(3)])
  await start(fatal)
  await allDone()
  expect(await stored()).toBe(2)
  const kept = await ingest.sql`select owner, reason from poison_messages`
  expect(kept).toEqual([{ owner: 'fra', reason: 'it cannot be stored: Maximum call stack size exceeded' }])
})

test('sets aside a message nested 20,000 deep, at first and after a restart', async () => {
  await publish(`[${'['.repeat(20_000)}${']'.repeat(20_000)}]`)
  await publish([reading(1)])
  for (const life of [1, 2]) {
    const { close } = await start()
    await allDone()
    expect(await stored(), `life ${life}`).toBe(1)
    await close()
  }
  const kept = await ingest.sql`select owner, length(payload) as bytes from poison_messages`
  expect(kept).toMatchObject([{ owner: 'unknown' }])
  expect(Number(kept[0]?.['bytes'])).toBeGreaterThan(40_000)
})

test('keeps a share of unreadable messages of each owner per minute, and counts and acknowledges the rest', async () => {
  await start()
  // 64 KB each, of which 8 MB are stored
  const large = JSON.stringify(Array.from({ length: 7 }, () => 'x'.repeat(64 * 1024)))
  for (let n = 0; n < 30; n++) await publish(large)
  await publish([reading(1)])
  await allDone()
  expect(await stored()).toBe(1)
  const [kept] = await ingest.sql`select sum(length(payload))::integer as bytes from poison_messages`
  expect(Number(kept?.['bytes'])).toBeGreaterThan(7 * 1024 * 1024)
  expect(Number(kept?.['bytes'])).toBeLessThanOrEqual(8 * 1024 * 1024)
})

test('after a crash, sets aside unread the message that ends its reader, and stores the others', async () => {
  await publish([reading(1)])
  await publish([reading(2)])
  await publish([reading(3)])
  const [, fatal] = await ingest.bus.readings.replay(partitionOf(ingest.checkId), 1, 3)
  const firstReader: FirstReader = {
    fatalOf: async (messages) => messages.filter(({ sequence }) => sequence === fatal?.sequence),
    close: async () => undefined,
  }
  await start(undefined, { afterDeath: true, firstReader })
  await allDone()
  expect(await stored()).toBe(2)
  const kept = await ingest.sql`select sequence, reason from poison_messages`
  expect(kept).toMatchObject([
    { sequence: String(fatal?.sequence), reason: expect.stringContaining('crashed the process') },
  ])
})

test('after a crash, sets aside no readable message', async () => {
  for (let k = 1; k <= 3; k++) await publish([reading(k)])
  await start(undefined, { afterDeath: true })
  await allDone()
  expect(await stored()).toBe(3)
})
