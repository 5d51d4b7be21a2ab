import { isPlainReading } from '@probe-mesh/contracts/reading/plain-reading'
import { parseReading, Reading } from '@probe-mesh/contracts/reading/reading'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkId, readingAt } from '../status/testing.ts'
import { decodeMessage } from './decode.ts'

const atMs = 1_700_000_000_000
const sound = readingAt('fra', 'up', atMs)

const edges: readonly unknown[] = [
  [null, true, false, '', [], {}, -1, -0, 0, 0.1, 1, 2, 3, 99, 100, 999, 1_000, 1.5, 1e300],
  [3_600_000, 3_600_000.1, 86_400_000, 86_400_001, 4_294_967_295, 4_294_967_296, atMs],
  [8_640_000_000_000_000, 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER + 1],
  [
    'up',
    'down',
    'Down',
    'scheduled',
    'manual',
    'none',
    'probe',
    'fra',
    'iad',
    'a_1',
    'A',
    'ok\n',
    '\u0000',
    '\ud800',
  ],
  [
    checkId.toUpperCase(),
    `${checkId} `,
    '00000000-0000-0000-0000-000000000000',
    checkId.replace('7000', '9000'),
  ],
  ['x'.repeat(40), 'x'.repeat(41), 'y'.repeat(45), 'y'.repeat(46), 'z'.repeat(500), 'z'.repeat(10_000)],
  [sound.timings, { ...sound.timings, dnsMs: -1 }, { ...sound.timings, more: 1 }, { dnsMs: 1 }],
  [{ type: 'http', cdn: null, nameServers: [] }, { type: 'of a newer version' }, 'aGVsbG8='],
].flat()

/** Values at and around the limits of any field, and of other types. */
const value = fc.oneof(fc.constantFrom<unknown>(...edges), fc.jsonValue())
const name = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...Object.keys(Reading.shape)) },
  { weight: 1, arbitrary: fc.constantFrom('unknown', '__proto__', 'constructor', 'toString') },
)
const change = fc.oneof(
  { weight: 9, arbitrary: fc.record({ name, value }) },
  { weight: 1, arbitrary: fc.record({ name, value: fc.constant(undefined) }) },
)
/** As they come from JSON. */
const candidate = fc.array(change, { maxLength: 3 }).map((changes): unknown => {
  const entries = new Map<string, unknown>(Object.entries(sound))
  for (const { name: field, value: changed } of changes) {
    if (changed === undefined) entries.delete(field)
    else entries.set(field, changed)
  }
  const text = [...entries]
    .map(([field, changed]) => `${JSON.stringify(field)}:${JSON.stringify(changed)}`)
    .join()
  return JSON.parse(`{${text}}`)
})

test('a reading that is read without the schema is one that the schema takes as it is', () => {
  let [plain, refused] = [0, 0]
  forAll([candidate], { numRuns: 5_000, seed: 53 }, (one) => {
    const parsed = Reading.safeParse(one)
    if (!parsed.success) refused += 1
    if (!isPlainReading(one, 'fra')) return
    plain += 1
    expect(parsed.success).toBe(true)
    expect(parsed.data).toStrictEqual(one)
  })
  // else it would prove nothing
  expect(plain).toBeGreaterThan(1_000)
  expect(refused).toBeGreaterThan(1_000)
})

test('every reading is taken or set aside with its reason as by the schema, one by one', () => {
  const messages = fc.array(candidate, { minLength: 1, maxLength: 5 })
  forAll([messages], { numRuns: 1_000, seed: 54 }, (readings) => {
    const partition = partitionOf(checkId)
    const message = { version: 1, agent: 'a', region: 'fra', partition, batch: 1, readings }
    const data = Buffer.from(JSON.stringify(message))
    const decoded = decodeMessage({ partition, sequence: 1, data, storedAt: atMs })
    const taken = readings.flatMap((one) => {
      const { success, data: reading } = parseReading(one)
      return success ? [reading] : []
    })
    const refused = readings.flatMap((one) => {
      const { success, error } = parseReading(one)
      const [issue] = error?.issues ?? []
      return success ? [] : [`reading: ${issue?.path.join('.')}: ${issue?.message}`]
    })
    const misplaced = /^reading: (of region|in the wrong partition|from the future|too old)/
    const own = decoded.poison.map(({ reason }) => reason)
    expect(own.filter((reason) => !misplaced.test(reason))).toEqual(refused)
    expect(decoded.readings.length + own.length).toBe(readings.length)
    expect(taken).toEqual(expect.arrayContaining(decoded.readings))
    expect(taken.length - decoded.readings.length).toBe(own.filter((reason) => misplaced.test(reason)).length)
  })
})
