import { createQuery } from '@probe-mesh/probe-agent/src/dns/query'
import { saidIn } from '@probe-mesh/probe-agent/src/dns/said'
import { expect, test } from 'vitest'
import { answerName } from './answer-name.ts'

const typeA = 1
const typeAaaa = 28

const queryOf = (name: string, type: number): Buffer => {
  const labels = name.split('.').map((label) => `${String.fromCodePoint(label.length)}${label}`)
  const head = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, Buffer.from(`${labels.join('')}\0`), Buffer.from([0, type, 0, 1])])
}

test('resolvers understand both answers, and how long a name has no IPv6 address', () => {
  const answers = (['A', 'AAAA'] as const).map((type) => {
    const query = createQuery({ name: 'c1.bench.example.com', type })
    return saidIn(query, answerName(query.bytes) ?? Buffer.alloc(0))
  })
  expect(answers).toEqual([
    { code: 'OK', values: ['127.0.0.1'], absentSeconds: 0 },
    { code: 'ENODATA', values: [], absentSeconds: 900 },
  ])
})

test('a name resolves to the loopback over IPv4, and to nothing over IPv6', () => {
  const query = queryOf('c1.bench.example.com', typeA)
  const answer = answerName(query)
  expect(answer?.readUInt16BE(0)).toBe(0x1234)
  expect(answer?.subarray(12, query.length)).toEqual(query.subarray(12))
  expect(answer?.readUInt16BE(6)).toBe(1)
  expect([...(answer?.subarray(-4) ?? [])]).toEqual([127, 0, 0, 1])
  const other = answerName(queryOf('c1.bench.example.com', typeAaaa))
  expect(other?.readUInt16BE(6)).toBe(0)
})

test.each(['s1.silent.bench.example.com', 'silent.bench.example.com'])('does not answer for %s', (name) => {
  expect(answerName(queryOf(name, typeA))).toBeNull()
})

test.each(['s1.silently.bench.example.com', 'unsilent.bench.example.com'])('answers for %s', (name) => {
  expect(answerName(queryOf(name, typeA))).not.toBeNull()
})

test.each([0, 11, 12, 20])('does not answer the first %d bytes of a query', (length) => {
  const query = queryOf('c1.bench.example.com', typeA)
  expect(answerName(query.subarray(0, length))).toBeNull()
})
