import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { createWorld, type Fate, type World } from './testing/world-model.ts'

const ids = Array.from({ length: 100 }, (_, n) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`)
/** A check of each of two partitions. */
const checks = [0, 1].map((partition) => ids.find((id) => partitionOf(id) === partition) ?? '')
/** The days' border, so that a batch has two parts in a table. */
const midnight = Date.UTC(2026, 0, 15)
const reading = (check: 0 | 1, minute: number, more: Partial<Reading> = {}): Reading =>
  readingAt('fra', 'up', midnight + minute * 60_000, { checkId: checks[check] ?? '', ...more })

/** Messages of two partitions; some readings come twice. */
const begin = async (messagesMax: number): Promise<World> => {
  const world = createWorld()
  world.publish([reading(0, -1), reading(0, 1), reading(0, 1)])
  world.publish([reading(1, -2), reading(1, 0, { verdict: 'down' }), reading(1, 0, { kind: 'confirmation' })])
  world.publish([reading(0, 1), reading(0, 0), reading(0, 2)])
  world.publish([reading(1, 1), reading(1, -2)])
  await world.start('a', [0, 1], messagesMax)
  return world
}
/** Lets a process end, or all of them, one after the other. */
const drain = async (world: World, only?: string): Promise<void> => {
  for (let calls = 0; calls < 1_000; calls += 1) {
    const waiting = world.calls.filter(({ process }) => only === undefined || process === only)
    const [call] = waiting.toSorted((a, b) => (a.process < b.process ? -1 : 1))
    if (call !== undefined) await world.answer(call)
    else if (!(await world.write())) return
  }
  throw new Error(`it does not end: ${world.calls.map(({ process, name }) => `${process} ${name}`).join()}`)
}
/** The next owner of everything finishes what is left. */
const finish = async (world: World): Promise<void> => {
  await drain(world)
  await world.start('z', [0, 1])
  await drain(world)
}
const dropped = async ({ metrics }: World, reason: string): Promise<number | undefined> =>
  (await metrics.dropped.get()).values.find(({ labels }) => labels.reason === reason)?.value

type Fault = (world: World) => Promise<unknown>
const treat =
  (fate: Fate): Fault =>
  async (world) => {
    if (world.calls[0] !== undefined) await world.answer(world.calls[0], fate)
  }
const crash: Fault = (world) => world.crash('a')
const take =
  (...partitions: number[]): Fault =>
  (world) =>
    world.start('b', partitions)
const kill =
  (part: boolean, token: boolean): Fault =>
  (world) =>
    world.killClickHouse(() => ({ part, token }))
const all =
  (...faults: Fault[]): Fault =>
  async (world) => {
    for (const fault of faults) await fault(world)
  }
const passBy = all(take(1), (world) => drain(world, 'b'))

test.each<[string, Fault]>([
  ['a call is not answered', treat('unanswered')],
  ['a call does not reach its server', treat('not reached')],
  ['the process is killed', crash],
  ['the process is killed after a call', all(treat('answered'), crash)],
  [
    'the process is killed and a check is deleted',
    all(crash, async (world) => world.deleted.add(checks[0] ?? '')),
  ],
  ['one partition gets another owner', take(0)],
  ['the other partition gets another owner', take(1)],
  ['both partitions get another owner', take(0, 1)],
  ['another owner ends before the former one notices it', passBy],
  ['another owner ends while a call is not answered', all(treat('unanswered'), passBy)],
  ['another owner is killed at its start', all(take(1), (world) => world.crash('b'))],
  ['ClickHouse is killed and loses parts and tokens', kill(false, false)],
  ['ClickHouse is killed and loses parts', kill(false, true)],
  ['ClickHouse is killed and loses tokens', kill(true, false)],
  ['ClickHouse is killed and loses nothing', kill(true, true)],
  ['all is killed and parts are lost', all(kill(false, true), crash)],
  ['all is killed and tokens are lost', all(kill(true, false), crash)],
])('stores each reading once, and releases none before, if %s after any step', async (_, fault) => {
  for (const messagesMax of [1, 2]) {
    for (let steps = 0, isRunning = true; isRunning; steps += 1) {
      const world = await begin(messagesMax)
      for (let step = 0; step < steps && isRunning; step += 1) {
        const call = world.calls[step % Math.max(1, world.calls.length)]
        if (call === undefined) isRunning = await world.write()
        else await world.answer(call)
      }
      await fault(world)
      await finish(world)
      expect({ messagesMax, steps, problems: world.problems() }).toEqual({ messagesMax, steps, problems: [] })
    }
  }
})

const often = (weight: number, is: string) => ({ weight, arbitrary: fc.constant(is) })
const event = fc.record({
  is: fc.oneof(
    often(12, 'answered'),
    often(4, 'write'),
    ...['unanswered', 'not reached', 'crash', 'take', 'arrive', 'kill'].map((is) => often(1, is)),
  ),
  at: fc.nat(11),
})

test('stores each reading once, however crashes, new owners and late inserts interleave', async () => {
  const events = fc.array(event, { minLength: 10, maxLength: 80 })
  const play = async (messagesMax: number, happened: { is: string; at: number }[]): Promise<void> => {
    const world = await begin(messagesMax)
    const [running, next] = [['a'], [...'bcdefgh']]
    let late: Awaited<ReturnType<World['crash']>> = []
    const start = async (partitions: number[]): Promise<void> => {
      running.push(next[0] ?? '')
      if (next.length > 0) await world.start(next.shift() ?? '', partitions, messagesMax)
    }
    for (const { is, at } of happened) {
      if (is === 'write') await world.write(at)
      else if (is === 'take') await start([[0], [1], [0, 1]][at % 3] ?? [])
      else if (is === 'arrive') late.shift()?.act()
      else if (is === 'crash') {
        late.push(...(await world.crash(running.shift() ?? '')))
        await start([0, 1])
      } else if (is === 'kill') {
        let block = at
        late = []
        await world.killClickHouse(() => ({ part: block % 2 > 0, token: (block++ * at) % 4 > 1 }))
      } else {
        const call = world.calls[at % Math.max(1, world.calls.length)]
        if (call !== undefined) await world.answer(call, is as Fate)
      }
    }
    await finish(world)
    for (const call of late) call.act()
    await finish(world)
    expect(world.problems()).toEqual([])
  }
  await forAllAsync([fc.constantFrom(1, 2, 4), events], { numRuns: 300 }, play)
})

/** Lets a process run until its next call is this one. */
const until = async (world: World, name: string): Promise<void> => {
  while (world.calls[0] !== undefined && world.calls[0].name !== name) await world.answer(world.calls[0])
}

test('stores each reading once, whenever an insert arrives while it is repeated, and however long it runs', async () => {
  for (const blocks of [0, 1, 2, 3, 4, 5]) {
    for (let steps = 0; steps < 20; steps += 1) {
      const world = await begin(2)
      await until(world, 'insert')
      const [late] = await world.crash('a')
      await world.start('b', [0, 1])
      for (let step = 0; step < steps; step += 1) {
        if (world.calls[0] === undefined) await world.write()
        else await world.answer(world.calls[0])
      }
      late?.act()
      for (let block = 0; block < blocks; block += 1) await world.write(1)
      await finish(world)
      expect({ blocks, steps, problems: world.problems() }).toEqual({ blocks, steps, problems: [] })
    }
  }
})

test('leaves out and counts readings of a deleted check, in a new batch and in a repeated one', async () => {
  for (const call of ['fetch', 'insert']) {
    const world = await begin(4)
    await until(world, call)
    await world.crash('a')
    world.deleted.add(checks[1] ?? '')
    await finish(world)
    expect(world.problems()).toEqual([])
    expect(world.clickhouse.rows.readings_raw.filter(({ checkId }) => checkId === checks[1])).toEqual([])
    expect(await dropped(world, 'deleted_check')).toBe(4)
  }
})

test('counts readings of an interrupted batch that could not be repeated when they come again', async () => {
  const world = createWorld()
  const sent = [reading(0, 1), reading(0, 2)]
  const message = world.publish(sent)
  await world.start('a', [0])
  await until(world, 'insert')
  await until(world, 'none')
  await world.write()
  await world.crash('a')
  let blocks = 0
  await world.killClickHouse(() => ({ part: blocks === 0, token: blocks++ === 0 }))
  expect(world.clickhouse.rows).toEqual({ readings_raw: sent, readings_minute: [], readings_hour: [] })
  world.lost.add(message)
  world.publish([...sent, reading(0, 3)])
  await finish(world)
  expect(world.problems()).toEqual([])
})

test('marks nothing after a message that the stream lost, also with a new owner, until the agent starts again', async () => {
  const world = createWorld()
  world.publish([reading(0, 1)])
  await world.start('a', [0])
  await drain(world)
  world.lost.add(world.publish([reading(0, 2)], 1))
  world.publish([reading(0, 3)], 2)
  await world.start('b', [0])
  await drain(world)
  expect(world.marks.get(0)).toBe(1)
  expect((await world.metrics.holes.get()).values[0]?.value).toBe(1)
  expect(world.clickhouse.rows.readings_raw).toHaveLength(2)
  world.publish([reading(0, 2)], null)
  world.publish([reading(0, 3)], 4)
  await finish(world)
  expect(world.marks.get(0)).toBe(5)
  expect(world.problems()).toEqual([])
})
