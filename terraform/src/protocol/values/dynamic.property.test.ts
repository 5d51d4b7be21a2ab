import { ExtData, decode, encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { isWhollyKnown, unknown } from '../value.ts'
import { decodeDynamic } from './codec.ts'
import { typedValues, types } from './testing.ts'
import { encodeDynamic } from './write-msgpack.ts'

const nothing = new Uint8Array()
const read = (type: Parameters<typeof decodeDynamic>[0], msgpack: Uint8Array) =>
  decodeDynamic(type, { msgpack, json: nothing })

test('reads every value as it was written', () => {
  forAll([typedValues], { numRuns: 500 }, ({ type, value }) => {
    expect(read(type, encodeDynamic(type, value))).toEqual({ ok: true, value })
  })
})

/** Codes, sizes and contents as a newer Terraform may send them. */
const extensions = fc.tuple(fc.integer({ min: -128, max: 127 }), fc.uint8Array({ maxLength: 70 }))

test('whatever is said of an unknown value, it is unknown', () => {
  forAll([types, extensions], (type, [code, data]) => {
    const msgpack = encode(new ExtData(code, data))
    expect(read(type, msgpack)).toEqual({ ok: true, value: unknown })
  })
})
test('bytes are MessagePack that others read, and theirs are read here', () => {
  forAll([typedValues.filter(({ value }) => isWhollyKnown(value))], ({ type, value }) => {
    const bytes = encodeDynamic(type, value)
    // the one key that the other does not read
    if (Buffer.from(bytes).includes('__proto__')) return
    const theirs = encode(decode(bytes, { useBigInt64: true }), { useBigInt64: true })
    expect(read(type, theirs)).toEqual({ ok: true, value })
  })
})

test('reads or reports each of 10,000 corrupted values', () => {
  const change = fc.tuple(fc.nat(400), fc.nat(255))
  const spoiling = fc.tuple(
    fc.array(change, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 400 }),
  )
  const spoilings = fc.array(spoiling, { minLength: 20, maxLength: 20 })
  let problems = 0
  forAll([typedValues, spoilings], { numRuns: 500 }, ({ type, value }, spoilings) => {
    const whole = encodeDynamic(type, value)
    for (const [changes, length] of spoilings) {
      const bytes = Buffer.from(whole).subarray(0, length)
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte
      if (!read(type, bytes).ok) problems++
      expect(decodeDynamic(type, { msgpack: nothing, json: bytes }).ok).toBeTypeOf('boolean')
    }
  })
  expect(problems).toBeGreaterThan(1000)
})
