import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import type { Torn } from './testing/tables-model.ts'
import { createWorld, nowMs } from './testing/world-model.ts'
import type { Fate, World } from './testing/world-model.ts'

const idOf = (n: number): string => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`
/** A check of each of two partitions. */
const checks = [0, 1].map((partition) => {
  let n = 1
  while (partitionOf(idOf(n)) !== partition) n += 1
  return idOf(n)
}) as [string, string]
const minuteMs = 60_000
/** Batches span two days, so that tables write several parts. */
const midnight = Date.UTC(2026, 0, 15)
const reading = (check: 0 | 1, k: number, more: Partial<Reading> = {}): Reading => ({
  ...readingAt('fra', 'up', midnight + k * minuteMs),
  checkId: checks[check],
  ...more,
})

/** Two batches of two partitions; some readings come twice. */
const publish = (world: World): void => {
  world.publish([reading(0, -1), reading(0, 1), reading(0, 1)])
  world.publish([reading(1, -2), reading(1, 0, { verdict: 'down' }), reading(1, 0, { kind: 'confirmation' })])
  world.publish([reading(0, 1), reading(0, 0), reading(0, 2)])
  world.publish([reading(1, 1), reading(1, -2)])
}
/** Lets a process end, or all of them, one after the other. */
const drain = async (world: World, only?: string): Promise<void> => {
  for (let calls = 0; calls < 1_000; calls += 1) {
    const waiting = world.calls.filter(({ process }) => only === undefined || process === only)
    const [call] = waiting.toSorted((a, b) => (a.process < b.process ? -1 : 1))
    if (call !== undefined) await world.answer(call)
    else if (!(await world.advance())) return
  }
  throw new Error(`it does not end: ${world.calls.map(({ process, name }) => `${process} ${name}`).join()}`)
}
/** The next owner of everything finishes what is left. */
const finish = async (world: World): Promise<void> => {
  await drain(world)
  await world.start('z', [0, 1])
  await drain(world)
}


type Fault = (world: World) => Promise<unknown>
const fates: Fate[] = ['answered', 'unanswered', 'not reached']
const treat =
  (fate: Fate): Fault =>
  async (world) => {
    const [call] = world.calls
    if (call !== undefined) await world.answer(call, fate)
  }
const crash: Fault = (world) => world.crash('a')
const take =
  (...partitions: number[]): Fault =>
  (world) =>
    world.start('b', partitions)
const kill =
  (torn: Torn): Fault =>
  (world) =>
    world.killClickHouse(() => torn)
/** The next owner of a partition ends before the former one notices it. */
const faster: Fault = async (world) => {
  await world.start('b', [1])
  await drain(world, 'b')
}
/** A process and the server are killed together, as on one machine. */
const both =
  (...faults: Fault[]): Fault =>
  async (world) => {
    for (const fault of faults) await fault(world)
  }
const torn: Torn[] = [0, 1, 2, 3].map((bits) => ({ part: bits > 1, token: bits % 2 > 0 }))
const faults: [string, Fault][] = [
  ['a call is not answered', treat('unanswered')],
  ['a call does not reach its server', treat('not reached')],
  ['the process is killed', crash],
  ['the process is killed after a call', both(treat('answered'), crash)],
  ['one partition gets another owner', take(0)],
  ['the other partition gets another owner', take(1)],
  ['both partitions get another owner', take(0, 1)],
  ['one partition gets a faster owner', faster],
  ['a call is not answered and one partition gets a faster owner', both(treat('unanswered'), faster)],
  ['one partition gets another owner, whose start is interrupted', both(take(1), (world) => world.crash('b'))],
  ...torn.flatMap((one): [string, Fault][] => {
    const left = `${one.part ? 'with' : 'without'} rows and ${one.token ? 'with' : 'without'} tokens`
    return [
      [`ClickHouse is killed ${left}`, kill(one)],
      [`the process and ClickHouse are killed ${left}`, both(kill(one), crash)],
    ]
  }),
]

/** One reading of each message, or two messages, make a batch. */
const sizes = [1, 2]

test.each(faults)('every reading is stored once if %s, after any step', async (_, fault) => {
  for (const size of sizes) {
    for (let steps = 0, isRunning = true; isRunning; steps += 1) {
      const world = createWorld()
      publish(world)
      await world.start('a', [0, 1], size)
      for (let step = 0; step < steps && isRunning; step += 1) {
        const call = world.calls[step % Math.max(1, world.calls.length)]
        if (call !== undefined) await world.answer(call)
        else isRunning = await world.advance()
      }
      await fault(world)
      await finish(world)
      expect({ size, steps, problems: world.problems() }).toEqual({ size, steps, problems: [] })
    }
  }
})

/** What happens next. Most of it is that a call is answered. */
const event = fc.oneof(
  { weight: 12, arbitrary: fc.record({ is: fc.constant('call' as const), at: fc.nat(3), fate: fc.constant<Fate>('answered') }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('call' as const), at: fc.nat(3), fate: fc.constantFrom<Fate>('unanswered', 'not reached') }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('write' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('crash' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('take' as const), partitions: fc.subarray([0, 1], { minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('arrive' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('kill' as const), torn: fc.infiniteStream(fc.constantFrom(...torn)) }) },
)

test('every reading is stored once, however crashes, new owners and late inserts interleave', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 2, 4), fc.array(event, { minLength: 10, maxLength: 80 }), async (size, events) => {
      const world = createWorld()
      publish(world)
      const names = [...'abcdefgh']
      const running: string[] = []
      let late: Awaited<ReturnType<World['crash']>> = []
      const take = async (partitions: number[]): Promise<void> => {
        const name = names.shift()
        if (name === undefined) return
        running.push(name)
        await world.start(name, partitions, size)
      }
      await take([0, 1])
      for (const happens of events) {
        if (happens.is === 'call') {
          const call = world.calls[happens.at % Math.max(1, world.calls.length)]
          if (call !== undefined) await world.answer(call, happens.fate)
        } else if (happens.is === 'write') await world.advance()
        else if (happens.is === 'take') await take(happens.partitions)
        else if (happens.is === 'crash') {
          const name = running.shift()
          if (name !== undefined) late.push(...(await world.crash(name)))
          await take([0, 1])
        } else if (happens.is === 'arrive') {
          const call = late.shift()
          call?.act()
        } else {
          late = []
          await world.killClickHouse(() => happens.torn.next().value)
        }
      }
      await finish(world)
      for (const call of late) call.act()
      await finish(world)
      expect(world.problems()).toEqual([])
    }),
    { numRuns: Number(process.env['RUNS'] ?? 1_000) },
  )
})
