import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { AgentReport } from '../agent/agent-report.ts'
import { AskedRun, Assignment, RunRequest } from '../mesh/assignment.ts'
import { Reading, ReadingsMessage } from '../reading/reading.ts'
import { wireBreaks, type WireSchema } from '../testing/wire-breaks.ts'

/**
 * Control planes and agents are upgraded one after another, and either may be rolled back. Each must understand
 * one version older and newer. `testing/wire.json` contains the schemas of the last version. At a release,
 * `WIRE=write npm test -- contracts/src/api/wire` updates them.
 */
const file = new URL('../testing/wire.json', import.meta.url)

/** Messages of agents. Control planes of both versions must understand all readings. */
const fromAgents = { ReadingsMessage, Reading, AgentReport }
/** Messages of control planes. An agent reports a check of an unknown type. */
const toAgents = { Assignment, RunRequest, AskedRun }
/** A reading of a new type counts without its details (`parseReading`). */
const withNewTypes = { ...toAgents, Reading }

const formsOf = (schemas: Record<string, z.ZodType>): Record<string, WireSchema> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, {
        io: 'input',
        reused: 'inline',
        unrepresentable: 'any',
      }) as WireSchema,
    ]),
  )
const now = formsOf({ ...fromAgents, ...toAgents })
if (process.env['WIRE'] === 'write') await writeFile(file, `${JSON.stringify(now, null, 1)}\n`)
const last: Record<string, WireSchema> = JSON.parse(await readFile(file, 'utf8'))

const formOf = (forms: Record<string, WireSchema>, name: string): WireSchema => {
  const form = forms[name]
  if (form === undefined) throw new Error(`${name} is no message of that version`)
  return form
}

test('no message was removed', () => {
  expect(Object.keys(now)).toEqual(expect.arrayContaining(Object.keys(last)))
})

describe.each(Object.keys(last))('%s', (name) => {
  const mayHaveTypes = Object.hasOwn(withNewTypes, name)
  test('this version understands the last one', () => {
    expect(wireBreaks(formOf(last, name), formOf(now, name), false)).toEqual([])
  })
  test('the last version understands this one, except new types of checks', () => {
    expect(wireBreaks(formOf(now, name), formOf(last, name), mayHaveTypes)).toEqual([])
  })
})

const object = (properties: Record<string, WireSchema>, required = Object.keys(properties)) =>
  ({ type: 'object', properties, required }) satisfies WireSchema
const type = (name: string, more: Record<string, WireSchema> = {}) =>
  object({ type: { type: 'string', const: name }, ...more })
const number: WireSchema = { type: 'integer', minimum: 0, maximum: 9 }

describe('a breaking change', () => {
  test.each<[string, WireSchema, WireSchema, number]>([
    ['the same', object({ a: number }), object({ a: number }), 0],
    ['a field that the reader does not know', object({ a: number, b: number }), object({ a: number }), 0],
    ['a field that the writer does not know', object({ a: number }), object({ a: number, b: number }), 1],
    ['the same, not needed', object({ a: number }), object({ a: number, b: number }, ['a']), 0],
    ['a field that may be missing now', object({ a: number }, []), object({ a: number }), 1],
    ['another type', object({ a: { type: 'string' } }), object({ a: number }), 1],
    ['a whole number for any', object({ a: number }), object({ a: { type: 'number' } }), 0],
    ['a larger number', object({ a: { ...number, maximum: 10 } }), object({ a: number }), 1],
    ['a smaller number', object({ a: { ...number, maximum: 8 } }), object({ a: number }), 0],
    ['null where none was', { anyOf: [number, { type: 'null' }] }, number, 1],
    ['no null where there was', number, { anyOf: [number, { type: 'null' }] }, 0],
    ['a new word', { type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a'] }, 1],
    ['one word less', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a', 'b'] }, 0],
    ['a new variant', { oneOf: [type('a'), type('b')] }, { oneOf: [type('a'), type('c')] }, 1],
    [
      'deep inside',
      object({ a: { type: 'array', items: { type: 'string' } } }),
      object({ a: { type: 'array', items: number } }),
      1,
    ],
  ])('%s', (_, writer, reader, breaks) => {
    expect(wireBreaks(writer, reader, false)).toHaveLength(breaks)
  })

  test('a new variant is compatible when readers accept new variants', () => {
    const writer = { oneOf: [type('a'), type('quic')] }
    expect(wireBreaks(writer, { oneOf: [type('a'), type('b')] }, true)).toEqual([])
  })

  test('a changed known variant is not a new one', () => {
    const writer = { oneOf: [type('a', { x: { type: 'string' } }), type('b')] }
    const reader = { oneOf: [type('a', { x: number }), type('b')] }
    expect(wireBreaks(writer, reader, true)).toEqual(['/x: string is not integer'])
  })
})
