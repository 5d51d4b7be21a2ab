import { noAssertions, type Assertions } from '@probe-mesh/contracts/check/assertions'
import { noTimings, type StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { describe, expect, test } from 'vitest'
import { judgeAttempt } from './judge-attempt.ts'

/** Each kind of assertion with each kind of body (S-360): no verdict says more than was read. */

type Kind = 'contains' | 'contains 你好' | 'lacks' | 'lacks 你好' | 'json' | 'header'

const kinds: Record<Kind, { assertions: Partial<Assertions>; header?: true }> = {
  contains: { assertions: { assertionBodyOp: 'contains', assertionBodyValue: 'ok' } },
  'contains 你好': { assertions: { assertionBodyOp: 'contains', assertionBodyValue: '你好' } },
  lacks: { assertions: { assertionBodyOp: 'not_contains', assertionBodyValue: 'ok' } },
  'lacks 你好': { assertions: { assertionBodyOp: 'not_contains', assertionBodyValue: '你好' } },
  json: {
    assertions: { assertionJsonPath: 'a', assertionJsonOp: 'equals', assertionJsonValue: 'ok' },
  },
  header: { assertions: {}, header: true },
}

type Answered = {
  bytes?: Buffer
  status?: number
  method?: StepMethod
  type?: string
  truncated?: boolean
  undecoded?: string
}

const gbk = Buffer.from('6f6bc4e3bac3', 'hex')
const page = Buffer.concat([Buffer.from('<meta charset=gbk>'), gbk])
const answers = {
  'of JSON': { bytes: Buffer.from('{"a":"ok"}') },
  'of other JSON': { bytes: Buffer.from('{"a":"no"}') },
  'of a key twice, the last ok': { bytes: Buffer.from('{"a":"no","a":"ok"}') },
  'of a key twice, the last not': { bytes: Buffer.from('{"a":"ok","a":"no"}') },
  'with a byte order mark': { bytes: Buffer.from('\ufeff{"a":"ok 你好"}') },
  'in UTF-16 with a mark': { bytes: Buffer.from('\ufeff{"a":"ok"}', 'utf16le') },
  'that is text': { bytes: Buffer.from('all ok, 你好') },
  'in GBK by header': { bytes: gbk, type: 'text/html; charset=gbk' },
  'in GBK by meta': { bytes: page, type: 'text/html' },
  'in GBK undeclared': { bytes: gbk, type: 'text/plain' },
  'cut, found before': { bytes: Buffer.from('ok 你好'), truncated: true },
  'cut, not found': { bytes: Buffer.from('{"a":"'), truncated: true },
  empty: { bytes: Buffer.alloc(0) },
  'absent after HEAD': { method: 'HEAD' },
  'absent after HEAD, of a coding': { method: 'HEAD', undecoded: 'zstd' },
  'absent with 204': { status: 204 },
  'absent with 205': { status: 205 },
  'absent with 304': { status: 304 },
  'of an unknown coding': { bytes: Buffer.from('{"a":"ok"}'), undecoded: 'zstd' },
} satisfies Record<string, Answered>

const verdictOf = (kind: Kind, answer: Answered): string => verdictBy(kinds[kind], answer)
const verdictOfBody = (answer: Answered, op: 'contains' | 'not_contains', value: string): string =>
  verdictBy({ assertions: { assertionBodyOp: op, assertionBodyValue: value } }, answer)

const verdictBy = ({ assertions, header }: (typeof kinds)[Kind], answer: Answered): string => {
  const { bytes = Buffer.alloc(0), status = 200, method = 'GET', type, truncated = false } = answer
  const { verdict, cause, reason } = judgeAttempt(
    {
      ok: true,
      status,
      method,
      headers: { 'x-a': 'ok', ...(type !== undefined && { 'content-type': type }) },
      body: { bytes, truncated, undecoded: answer.undecoded ?? null },
      hops: 0,
      address: null,
      notes: [],
      timings: noTimings,
      latencyMs: 1,
      certificateExpiresAt: null,
    },
    {
      assertions: {
        ...noAssertions,
        ...assertions,
        ...(status !== 200 && { assertionStatusMin: status, assertionStatusMax: status }),
      },
      header: header ? { name: 'X-A', op: 'equals', value: 'ok' } : null,
      owner: 'account',
    },
  )
  return verdict === 'up' ? 'up' : `${verdict} ${cause}: ${reason}`
}

const lacksOk = 'down body_mismatch: body does not contain "ok"'
const lacksHello = 'down body_mismatch: body does not contain "你好"'
const hasOk = 'down body_mismatch: body contains "ok"'
const hasHello = 'down body_mismatch: body contains "你好"'
const noJson = 'down json_invalid: body is not JSON'
const zstd = 'down body_unreadable: the encoding "zstd" of the body is unknown'
const noCharset = 'the body is not UTF-8 and declares no charset, so "你好" cannot be looked for'
const otherValue = 'down json_mismatch: expected JSON path a to equal "ok", got "no"'
const absent = (why: string): Partial<Record<Kind, string>> => ({
  contains: `${lacksOk}: ${why}`,
  'contains 你好': `${lacksHello}: ${why}`,
  json: `${noJson}: ${why}`,
})
const noBody = (status: number): Partial<Record<Kind, string>> =>
  absent(`an answer with status ${status} has no body`)
const afterHead = absent('the answer to HEAD has no body')

/** What is not named is up. */
const truth: Record<keyof typeof answers, Partial<Record<Kind, string>>> = {
  'of JSON': { 'contains 你好': lacksHello, lacks: hasOk },
  'of other JSON': { contains: lacksOk, 'contains 你好': lacksHello, json: otherValue },
  // ECMA-262 25.5.1, RFC 8259 4: implementations report the last
  'of a key twice, the last ok': { 'contains 你好': lacksHello, lacks: hasOk },
  'of a key twice, the last not': { 'contains 你好': lacksHello, lacks: hasOk, json: otherValue },
  'with a byte order mark': {
    lacks: hasOk,
    'lacks 你好': hasHello,
    json: 'down json_mismatch: expected JSON path a to equal "ok", got "ok 你好"',
  },
  'in UTF-16 with a mark': { 'contains 你好': lacksHello, lacks: hasOk },
  'that is text': { lacks: hasOk, 'lacks 你好': hasHello, json: noJson },
  'in GBK by header': { lacks: hasOk, 'lacks 你好': hasHello, json: noJson },
  'in GBK by meta': { lacks: hasOk, 'lacks 你好': hasHello, json: noJson },
  'in GBK undeclared': {
    'contains 你好': `down body_unreadable: ${noCharset}`,
    lacks: hasOk,
    'lacks 你好': `unmeasured body_unreadable: ${noCharset}`,
    json: noJson,
  },
  'cut, found before': {
    lacks: hasOk,
    'lacks 你好': hasHello,
    json: 'down json_too_large: body is larger than 256 KB, so its JSON is not read',
  },
  'cut, not found': {
    contains: `${lacksOk} in its first 256 KB`,
    'contains 你好': `${lacksHello} in its first 256 KB`,
    lacks: 'unmeasured body_cut: body does not contain "ok" in its first 256 KB; the rest is not read',
    'lacks 你好':
      'unmeasured body_cut: body does not contain "你好" in its first 256 KB; the rest is not read',
    json: 'down json_too_large: body is larger than 256 KB, so its JSON is not read',
  },
  empty: absent('the body is empty'),
  'absent after HEAD': afterHead,
  'absent after HEAD, of a coding': afterHead,
  'absent with 204': noBody(204),
  'absent with 205': noBody(205),
  'absent with 304': noBody(304),
  'of an unknown coding': {
    contains: zstd,
    'contains 你好': zstd,
    lacks: zstd,
    'lacks 你好': zstd,
    json: zstd,
  },
}

/** As Chromium reads them (WHATWG Encoding, indexes): Node's decoders lack the extensions of UHC and HKSCS. */
test.each([
  ['euc-kr', Buffer.from([0x8c, 0x63]), '똠'],
  ['euc-kr', Buffer.from([0xa8, 0x41]), '쥌'],
  ['big5-hkscs', Buffer.from([0x87, 0x40]), '䏰'],
])('in %s with a letter that the probe cannot read decides nothing about letters outside ASCII', (...row) => {
  const [charset, letter, text] = row
  const bytes = Buffer.concat([Buffer.from('ok '), letter])
  const found = (op: 'contains' | 'not_contains', value: string) =>
    verdictOfBody({ bytes, type: `text/plain; charset=${charset}` }, op, value)
  const name = charset === 'euc-kr' ? 'euc-kr' : 'big5'
  for (const value of [text, '你好']) {
    for (const op of ['contains', 'not_contains'] as const) {
      expect(found(op, value)).toBe(
        `unmeasured body_unreadable: the body has letters of ${name} that the probe cannot read, so "${value}" cannot be looked for`,
      )
    }
  }
  expect(found('contains', 'ok')).toBe('up')
  expect(found('not_contains', 'no')).toBe('up')
})

test('in euc-kr and big5 with common letters alone is read', () => {
  const korean = { bytes: Buffer.from([0xb0, 0xa1]), type: 'text/plain; charset=ks_c_5601-1987' }
  expect(verdictOfBody(korean, 'contains', '가')).toBe('up')
  expect(verdictOfBody(korean, 'not_contains', '나')).toBe('up')
  expect(
    verdictOfBody({ bytes: Buffer.from([0xa4, 0xa4]), type: 'text/plain; charset=big5' }, 'contains', '中'),
  ).toBe('up')
})

describe('a body', () => {
  const cells = Object.entries(answers).flatMap(([name, answer]) =>
    (Object.keys(kinds) as Kind[]).map(
      (kind) => [name, kind, answer, truth[name as keyof typeof answers][kind] ?? 'up'] as const,
    ),
  )
  test.each(cells)('%s, asserted by %s', (_name, kind, answer, expected) => {
    expect(verdictOf(kind, answer)).toBe(expected)
  })

  test('that does not decide one assertion does not hide that another failed', () => {
    const { assertions } = kinds.lacks
    const found = judgeAttempt(
      {
        ok: true,
        status: 200,
        headers: {},
        body: { bytes: Buffer.from('a'), truncated: true, undecoded: null },
        hops: 0,
        address: null,
        notes: [],
        timings: noTimings,
        latencyMs: 1,
        certificateExpiresAt: null,
      },
      {
        assertions: { ...noAssertions, ...assertions },
        header: { name: 'X-A', op: 'equals', value: 'ok' },
        owner: 'account',
      },
    )
    expect(found).toMatchObject({ verdict: 'down', cause: 'header_missing' })
  })
})
