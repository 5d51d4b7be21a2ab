import postgres from 'postgres'
import { Registry } from 'prom-client'
import { beforeEach, expect, test, vi } from 'vitest'
import { stateOf } from '../app/degradable-parts.ts'
import { createFaults, faultsOf, keepLooping, showFaults, type Faults } from './faults.ts'
import { retryWhileRefused } from './retry.ts'

let nowMs = 0
let lines: [string, unknown][] = []
const log = {
  warn: (fields: unknown, text?: string) => void lines.push([String(text), fields]),
  info: (fields: unknown, text?: string) => void lines.push([String(text), fields]),
} as unknown as Parameters<typeof createFaults>[0]
const refused = (code: string, message: string) => new postgres.PostgresError({ code, message } as never)
const readOnly = () => refused('25006', 'cannot execute INSERT in a read-only transaction')
const [storing, judging] = [{ what: 'readings cannot be stored' }, { what: 'readings cannot be judged' }]
let faults: Faults
beforeEach(() => {
  nowMs = 0
  lines = []
  faults = createFaults(log, () => nowMs)
})

test('a fault that many loops meet is two lines: one when it begins, and one with its count', () => {
  for (let n = 0; n < 50; n++) {
    nowMs += 100
    faults.failed(storing, readOnly())
    faults.failed(judging, readOnly())
  }
  expect(lines.map(([text]) => text)).toEqual([
    'readings cannot be stored; retrying. Further failures are counted',
  ])
  faults.worked(storing)
  nowMs += 10_000
  expect(faults.open()).toHaveLength(1)
  faults.worked(judging)
  expect(faults.open()).toEqual([])
  expect(lines.slice(1)).toEqual([
    ['what failed works again', { store: 'postgres', state: 'read_only', failures: 100, seconds: 5 }],
  ])
})

test('work that fails and succeeds by turns is one fault', () => {
  for (let n = 0; n < 20; n++) {
    faults.failed(storing, readOnly())
    faults.worked(storing)
    nowMs += 1_000
    expect(faults.open()).toHaveLength(1)
  }
  expect(lines).toHaveLength(1)
})

test('work that is not tried again does not keep a fault open', () => {
  faults.failed(storing, readOnly())
  faults.failed(judging, readOnly())
  faults.worked(judging)
  nowMs += 59_000
  expect(faults.open()).toHaveLength(1)
  nowMs += 1_000
  expect(faults.open()).toEqual([])
})

test('errors of our own are one fault for each kind of work', () => {
  for (const work of [storing, judging, storing]) faults.failed(work, new TypeError('no'))
  expect(faults.open().map(({ store, waiting }) => [store, ...waiting])).toEqual([
    ['program', 'readings cannot be stored'],
    ['program', 'readings cannot be judged'],
  ])
})

test('a failed request is a fault for ten seconds', () => {
  faults.refused(readOnly())
  nowMs += 9_000
  expect(faults.open()).toHaveLength(1)
  nowMs += 2_000
  expect(faults.open()).toEqual([])
})

test('metrics have what is open and what failed since the start', async () => {
  const registry = new Registry()
  showFaults(registry, faults)
  faults.failed(storing, readOnly())
  faults.failed(storing, readOnly())
  const text = await registry.metrics()
  expect(text).toContain('store_faults{store="postgres",state="read_only"} 1')
  expect(text).toContain('store_failures_total{store="postgres",state="read_only"} 2')
})

test.each([
  [readOnly(), 'read_only', /^Postgres is read-only\. .* Waiting: readings cannot be stored\.$/],
  [
    refused('42501', 'permission denied for table checks'),
    'forbidden',
    /^Postgres refuses its role a permission \(table checks\)\./,
  ],
  [
    refused('42P01', 'relation "checks" does not exist'),
    'missing',
    /^Postgres lacks something that this version needs \(relation checks\)\./,
  ],
])('the state of a store names what it misses and what waits: %o', (error, state, effect) => {
  faults.failed(storing, error)
  expect(stateOf(faults.open(), 'postgres')).toEqual({ state, effect: expect.stringMatching(effect) })
  expect(stateOf(faults.open(), 'clickhouse')).toBeNull()
})

test('no error ends a loop, and it continues once its store accepts its work', async () => {
  const errors = [readOnly(), refused('ZZ999', '?'), new TypeError()]
  let rounds = 0
  const loop = keepLooping(log, {
    what: 'work cannot be done',
    everyMs: 1,
    round: async () => {
      rounds += 1
      const error = errors.shift()
      if (error !== undefined) throw error
    },
  })
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(6))
  await loop.close()
  await expect(loop.ended).resolves.toBeUndefined()
  expect(lines.map(([text]) => text).slice(0, 3)).toEqual(
    Array.from({ length: 3 }, () => 'work cannot be done; retrying. Further failures are counted'),
  )
})

test.each(['25006', '42501', '42P01', '55006', '53100', 'ZZ999'])(
  'a statement that Postgres refuses with %s is repeated, and one whose data it refuses is not',
  async (code) => {
    const repeated = refused(code, 'no')
    const wrong = refused('22003', 'no')
    const answers: (Error | string)[] = [repeated, repeated, 'stored']
    const attempt = async () => {
      const answer = answers.shift() ?? wrong
      if (typeof answer === 'string') return answer
      throw answer
    }
    const { signal } = new AbortController()
    const options = {
      signal,
      log: log as never,
      what: 'readings cannot be stored',
      store: 'postgres',
    } as const
    expect(await retryWhileRefused(attempt, options)).toBe('stored')
    await expect(retryWhileRefused(attempt, options)).rejects.toBe(wrong)
    expect(
      faultsOf(log)
        .open()
        .flatMap(({ waiting }) => waiting),
    ).toEqual([])
  },
)
