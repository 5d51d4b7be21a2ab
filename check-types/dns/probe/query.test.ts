import { randomBytes } from 'node:crypto'
import packet, { type Answer } from 'dns-packet'
import { canonicalDnsValue, DnsRecordType } from '../record-type.ts'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { judgeAnswer } from './judge-answer.ts'
import { typeNumbers } from '@probe-mesh/probe-agent/src/dns/message'
import { jumpsMax, readName } from '@probe-mesh/probe-agent/src/dns/name'
import { answerTo, createQuery, type Query } from '@probe-mesh/probe-agent/src/dns/query'

const name = 'www.example.org'
const types = fc.constantFrom(...DnsRecordType.options)

/** The head and the question of an answer to a query, with the given counts. */
const headOf = ({ id, bytes }: Query, answerCount: number, flags = 0x8180): Buffer => {
  const head = Buffer.from(bytes)
  head.writeUInt16BE(id, 0)
  head.writeUInt16BE(flags, 2)
  head.writeUInt16BE(answerCount, 6)
  return head
}

const verdictOf = (query: Query, bytes: Buffer): string => {
  const answer = answerTo(query, bytes)
  if (typeof answer === 'string') return answer
  return judgeAnswer({ recordType: query.question.type, expect: null }, answer).verdict
}

/** A record with its owner as a pointer to the question, as servers write it. */
const recordOf = (type: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xc0, 12, 0, 0, 0, 1, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

describe('bytes that a resolver sends', () => {
  test('at random never throw and are never an answer', () => {
    const prefix = fc.constantFrom('none', 'id', 'head')
    forAll([types, prefix, fc.uint8Array({ maxLength: 600 })], { numRuns: 2_000 }, (type, kind, random) => {
      const query = createQuery({ name, type })
      const head = headOf(query, 1).subarray(0, { none: 0, id: 2, head: 12 }[kind])
      expect(verdictOf(query, Buffer.concat([head, random]))).not.toBe('up')
    })
  })

  test('at random after the right question never throw, and the result is canonical', () => {
    const data = fc.uint8Array({ maxLength: 60 })
    forAll([types, fc.array(data, { maxLength: 4 }), data], { numRuns: 2_000 }, (type, records, rest) => {
      const query = createQuery({ name, type })
      const bytes = Buffer.concat([
        headOf(query, records.length),
        ...records.map((each) => recordOf(typeNumbers[type], Buffer.from(each))),
        rest,
      ])
      const answer = answerTo(query, bytes)
      if (typeof answer === 'string') return
      for (const value of type === 'CAA' ? [] : answer.values) {
        expect(canonicalDnsValue(type, value)).toBe(value)
      }
    })
  })

  test('of a good answer with any change or cut never throw', () => {
    const query = createQuery({ name, type: 'MX' })
    const good = packet.encode({
      type: 'response',
      id: query.id,
      questions: [{ name, type: 'MX' }],
      answers: [{ name, type: 'MX', ttl: 1, data: { preference: 1, exchange: 'mx.example.org' } }],
    })
    expect(verdictOf(query, good)).toBe('up')
    forAll([fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length)], (at, byte, length) => {
      const changed = Buffer.from(good)
      changed[at] = byte
      verdictOf(query, changed)
      if (length < good.length) expect(verdictOf(query, good.subarray(0, length))).toBe('ignored')
    })
  })

  test.each([
    [jumpsMax, 'up'],
    [jumpsMax + 1, 'ignored'],
  ])('with a name of %d pointers are %s: the cost of parsing is limited', (jumps, said) => {
    const query = createQuery({ name: 'a', type: 'A' })
    const pointers = recordOf(999, Buffer.alloc(2 * jumps - 2))
    const bytes = Buffer.concat([headOf(query, 2), pointers, recordOf(1, Buffer.alloc(4))])
    const from = bytes.length - 16 - 2 * (jumps - 1)
    for (let at = from; at < bytes.length - 14; at += 2) {
      bytes.writeUInt16BE(0xc000 | (at === from ? 12 : at - 2), at)
    }
    expect(verdictOf(query, bytes)).toBe(said)
  })
})

describe('the data of a record', () => {
  const zeros = (count: number): Buffer => Buffer.alloc(count)
  const mx = Buffer.from([0, 10, 2, 109, 120, 0])
  const soa = Buffer.concat([Buffer.from([1, 97, 0, 1, 98, 0]), zeros(20)])
  const txt = Buffer.from([2, 104, 105, 1, 33])
  const caa = Buffer.concat([Buffer.from([0, 5]), Buffer.from('issueca')])
  const more = (data: Buffer): Buffer => Buffer.concat([data, zeros(1)])
  const less = (data: Buffer): Buffer => data.subarray(0, -1)
  test.each<[DnsRecordType, Buffer, value: string | null]>([
    ['A', zeros(4), '0.0.0.0'],
    ['A', zeros(3), null],
    ['A', zeros(5), null],
    ['AAAA', zeros(16), '::'],
    ['AAAA', zeros(15), null],
    ['AAAA', zeros(17), null],
    ['CNAME', zeros(1), '.'],
    ['CNAME', zeros(0), null],
    ['NS', more(zeros(1)), null],
    ['PTR', Buffer.from([0xc0, 12]), name],
    ['PTR', Buffer.from([0xc0]), null],
    ['MX', mx, '10 mx'],
    ['MX', more(mx), null],
    ['MX', less(mx), null],
    ['MX', zeros(2), null],
    ['SRV', Buffer.concat([zeros(4), mx]), '0 0 10 mx'],
    ['SRV', mx, null],
    ['SRV', zeros(6), null],
    ['SOA', soa, 'a b 0 0 0 0 0'],
    ['SOA', more(soa), null],
    ['SOA', less(soa), null],
    ['TXT', txt, 'hi!'],
    ['TXT', zeros(1), ''],
    ['TXT', zeros(0), null],
    ['TXT', less(txt), null],
    ['CAA', caa, '0 issue ca'],
    ['CAA', caa.subarray(0, 7), '0 issue'],
    ['CAA', caa.subarray(0, 6), null],
    ['CAA', zeros(2), null],
    ['CAA', zeros(1), null],
  ])('of %s is read whole or not at all: %j', (type, data, value) => {
    const query = createQuery({ name, type })
    const answer = answerTo(query, Buffer.concat([headOf(query, 1), recordOf(typeNumbers[type], data)]))
    expect(typeof answer === 'string' ? null : answer.values[0]).toBe(value)
  })

  test('of another class or type is ignored, and a TTL beyond its range is 0', () => {
    const query = createQuery({ name, type: 'A' })
    const [chaos, endless] = [recordOf(1, zeros(4)), recordOf(1, zeros(4))]
    chaos.writeUInt16BE(3, 4)
    endless.writeUInt32BE(0x80000000, 6)
    const other = recordOf(999, randomBytes(30))
    const read = (...records: Buffer[]) =>
      answerTo(query, Buffer.concat([headOf(query, records.length), ...records]))
    expect(read(chaos, other)).toMatchObject({ values: [], ttlSeconds: null })
    expect(read(other, endless)).toMatchObject({ values: ['0.0.0.0'], ttlSeconds: 0 })
  })
})

describe('a name', () => {
  const read = (bytes: number[], from = 0) => readName(Buffer.from(bytes), from)
  const label = (text: string): number[] => [text.length, ...Buffer.from(text, 'latin1')]
  test('is read in lower case, with special octets escaped', () => {
    expect(read([...label('Ab'), ...label('C-d_1'), 0, 9])).toEqual({ name: 'ab.c-d_1', end: 10 })
    expect(read([0])).toEqual({ name: '.', end: 1 })
    expect(read([...label('a.b\\ \xff'), 0])?.name).toBe('a\\.b\\\\\\032\\255')
  })

  test('follows a pointer back, and ends after it in its own place', () => {
    expect(read([...label('org'), 0, ...label('a'), 0xc0, 0], 5)).toEqual({ name: 'a.org', end: 9 })
  })

  test.each<[what: string, bytes: number[], from: number]>([
    ['a pointer to itself', [0xc0, 0], 0],
    ['a pointer forward', [0xc0, 2, 0], 0],
    ['a pointer into its own labels', [...label('a'), 0xc0, 0], 0],
    ['half a pointer', [0, 0xc0], 1],
    ['a label beyond the end', [5, 97], 0],
    ['no end', label('a'), 0],
    ['an unknown kind of label', [0x40, 0], 0],
    ['256 octets', [...Array.from({ length: 127 }, () => label('a')), label('a')].flat().concat(0), 0],
    ['an offset beyond the end', [0], 7],
  ])('is malformed with %s', (_, bytes, from) => {
    expect(read(bytes, from)).toBeNull()
  })

  test('may have 255 octets', () => {
    expect(read([...Array.from({ length: 127 }, () => label('a')).flat(), 0])?.end).toBe(255)
  })
})

describe('messages of another implementation are parsed correctly', () => {
  const host = fc.domain()
  const uint16 = fc.nat(65_535)
  const uint32 = fc.nat(4_294_967_295)
  const answers: fc.Arbitrary<[DnsRecordType, Answer, string]> = fc.oneof(
    fc.ipV4().map((data): [DnsRecordType, Answer, string] => ['A', { name, type: 'A', data }, data]),
    fc.ipV6().map((text): [DnsRecordType, Answer, string] => {
      // dns-packet normalises some spellings of addresses
      const data = canonicalDnsValue('AAAA', text) ?? ''
      return ['AAAA', { name, type: 'AAAA', data }, text]
    }),
    fc
      .tuple(fc.constantFrom('CNAME', 'NS', 'PTR'), host)
      .map(([type, data]): [DnsRecordType, Answer, string] => [type, { name, type, data }, data]),
    fc
      .tuple(uint16, host)
      .map(([preference, exchange]): [DnsRecordType, Answer, string] => [
        'MX',
        { name, type: 'MX', data: { preference, exchange } },
        `${preference} ${exchange}`,
      ]),
    fc
      .tuple(uint16, uint16, uint16, host)
      .map(([priority, weight, port, target]): [DnsRecordType, Answer, string] => [
        'SRV',
        { name, type: 'SRV', data: { priority, weight, port, target } },
        `${priority} ${weight} ${port} ${target}`,
      ]),
    fc
      .tuple(host, host, uint32, uint32)
      .map(([mname, rname, serial, minimum]): [DnsRecordType, Answer, string] => [
        'SOA',
        {
          name,
          type: 'SOA',
          data: { mname, rname, serial, refresh: 1, retry: 2, expire: 3, minimum },
        },
        `${mname} ${rname} ${serial} 1 2 3 ${minimum}`,
      ]),
    fc
      .array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 5 })
      .map((strings): [DnsRecordType, Answer, string] => [
        'TXT',
        { name, type: 'TXT', data: [...strings] },
        strings.join(''),
      ]),
    fc
      .tuple(fc.nat(255), fc.constantFrom('issue', 'issuewild', 'iodef'), fc.string())
      .map(([flags, tag, value]): [DnsRecordType, Answer, string] => [
        'CAA',
        { name, type: 'CAA', data: { flags, tag, value } },
        `${flags} ${tag} ${value}`,
      ]),
  )

  test('for every type', () => {
    forAll([answers, fc.nat(0x7fffffff)], { numRuns: 1_000 }, ([type, answer, text], ttl) => {
      const query = createQuery({ name, type })
      const bytes = packet.encode({
        type: 'response',
        id: query.id,
        questions: [{ name, type }],
        answers: [Object.assign(answer, { ttl })],
      })
      const value = canonicalDnsValue(type, text)
      expect(value).not.toBeNull()
      expect(answerTo(query, bytes)).toEqual({
        rcode: 'NOERROR',
        values: [value],
        ttlSeconds: ttl,
        tooLong: false,
      })
    })
  })
})
