import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { batchMessagesMax } from './protocol/batch.ts'
import { modernPost } from './protocol/testing.ts'
import { problemAnswer, startTestGateway } from './testing.ts'

const at = useOnce(() => startTestGateway({ trustProxy: ['127.0.0.1'] }))
beforeEach(() => {
  at.answerWith(() => undefined)
  at.seen.length = 0
})

const key = 'Bearer sv_rw_of-a-test'
const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const call = (name: string, id: unknown = 7, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const noted = { jsonrpc: '2.0', method: 'notifications/initialized' }
const bytesOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A request byte by byte: `fetch` adds headers of its own. */
const raw = async (
  body: string | Buffer,
  headers: Readonly<Record<string, string | null>> = {},
  { path = '/mcp', method = 'POST', version = '1.1' } = {},
) => {
  const sent = {
    host: '127.0.0.1',
    authorization: key,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  }
  const { hostname, port } = new URL(at.url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const lines = Object.entries(sent).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  socket.write(`${method} ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  await once(socket, 'close')
  const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const text = rest.join('\r\n\r\n')
  const field = (name: string): string | undefined =>
    head
      .split('\r\n')
      .find((line) => line.toLowerCase().startsWith(`${name}: `))
      ?.slice(name.length + 2)
  return { status: Number(head.split(' ')[1]), type: field('content-type'), text, field }
}
const json = 'application/json'
const event = 'text/event-stream'

describe('Accept (RFC 9110 12.5.1)', () => {
  test.each([
    ['*/*', json],
    [null, json],
    ['', json],
    ['application/json', json],
    ['application/*', json],
    ['APPLICATION/JSON', json],
    ['application/json; charset=utf-8', json],
    ['application/json;q=0.1, text/html', json],
    ['text/html, */*;q=0.1', json],
    ['text/event-stream, application/json;q=0.5', json],
    ['application/json, text/event-stream', json],
    ['*', json],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', json],
    [event, event],
    ['text/*', event],
    ['application/json;q=0, */*', event],
    ['application/*;q=0, text/event-stream;q=0.5', event],
  ])('%s gets %s', async (accept, type) => {
    for (const body of [list, call('list_checks')]) {
      const answer = await raw(bytesOf(body), { accept })
      expect([answer.status, answer.type?.split(';')[0]]).toEqual([200, type])
      const data = type === event ? answer.text.replace(/^event: message\ndata: /, '') : answer.text
      expect(JSON.parse(data)).toMatchObject({ jsonrpc: '2.0', id: 7, result: {} })
    }
  })

  test.each([
    'text/html',
    'application/xml',
    'application/json;q=0',
    '*/*;q=0',
    'json',
    'application/json-rpc',
    'application/json;q=much',
  ])('%s gets 406, and nothing is run', async (accept) => {
    const answer = await raw(bytesOf(call('list_checks')), { accept })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([406, { id: 7, error: { code: -32_600 } }])
    expect(at.seen).toEqual([])
    // without an answer there is nothing to refuse
    expect((await raw(bytesOf(noted), { accept })).status).toBe(202)
  })

  test('the event is the answer, also of a body with line breaks, of a batch and of 2026-07-28', async () => {
    at.answerWith(() => ({ status: 200, body: '{\n "checks":\r\n []\r}\n' }))
    const dataOf = (text: string): unknown =>
      JSON.parse(
        text
          .split('\n')
          .filter((line) => line.startsWith('data: '))
          .map((line) => line.slice('data: '.length))
          .join('\n'),
      )
    const result = { structuredContent: { checks: [] } }
    const one = await raw(bytesOf(call('list_checks')), { accept: event })
    expect(dataOf(one.text)).toMatchObject({ id: 7, result })
    expect(one.text).toMatch(/^event: message\n(?:data: .*\n)+\n$/)
    const batch = await raw(bytesOf([call('list_checks')]), { accept: event })
    expect(dataOf(batch.text)).toMatchObject([{ id: 7, result }])
    const { headers, body } = modernPost('tools/call', { name: 'list_checks' }, 7)
    const modern = await raw(bytesOf(body), { ...headers, accept: event })
    expect(dataOf(modern.text)).toMatchObject({ id: 7, result })
  })
})

const revision = (version: string) => ({ 'mcp-protocol-version': version })

describe('a batch', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    at.post('/mcp', body, { authorization: key, ...headers })

  test.each([
    ['without a version', {}],
    ['of 2025-03-26', revision('2025-03-26')],
    ['of 2024-11-05', revision('2024-11-05')],
  ])(
    '%s is answered in its order, each message by its own, also with ids of both types',
    async (_, headers) => {
      const messages = [
        { jsonrpc: '2.0', id: 'a', method: 'ping' },
        noted,
        { ...list, id: 1 },
        call('list_checks', '1'),
        call('none', 2),
        { jsonrpc: '2.0', id: 3, method: 'tools/none' },
        { jsonrpc: '2.0', id: 9, result: {} },
        [list],
        5,
        { jsonrpc: '2.0', id: 4, method: 'initialize', params: {} },
      ]
      const { status, json: answers } = await post(messages, headers)
      expect([status, answers]).toMatchObject([
        200,
        [
          { id: 'a', result: {} },
          { id: 1, result: { tools: expect.any(Array) } },
          { id: '1', result: { structuredContent: { checks: [] } } },
          { id: 2, error: { code: -32_602 } },
          { id: 3, error: { code: -32_601 } },
          { id: null, error: { code: -32_600 } },
          { id: null, error: { code: -32_600 } },
          { id: 4, error: { code: -32_600, message: expect.stringContaining('by itself') } },
        ],
      ])
    },
  )

  test.each([
    ['2025-06-18', [list], revision('2025-06-18'), '2025-06-18 has no batches'],
    ['2025-11-25', [list], revision('2025-11-25'), 'has no batches'],
    ['2026-07-28', [modernPost('tools/list').body], revision('2026-07-28'), 'has no batches'],
    ['a revision that nobody knows', [list], revision('1999-01-01'), 'has no batches'],
    ['no message', [], {}, 'at least one message'],
    [
      'too many messages',
      Array.from({ length: batchMessagesMax + 1 }, (_, id) => call('list_checks', id)),
      {},
      'at most 16 messages; this one has 17',
    ],
    [
      'an id twice',
      [call('list_checks', 'x'), list, call('list_checks', 'x')],
      {},
      'The id "x" is in the batch twice',
    ],
  ])('with %s is refused as a whole', async (_, messages, headers, message) => {
    const { status, json: answer } = await post(messages, headers as Record<string, string>)
    expect([status, answer]).toMatchObject([
      400,
      { id: null, error: { code: -32_600, message: expect.stringContaining(message) } },
    ])
    expect(at.seen).toEqual([])
  })

  test('of notifications and responses alone has no answer', async () => {
    const { status, text } = await post([noted, { jsonrpc: '2.0', id: 9, result: {} }, noted])
    expect([status, text]).toEqual([202, ''])
  })

  test('uses the budget of each of its messages, and says 429 only where all are refused', async () => {
    let left = 2
    at.answerWith(() =>
      left-- > 0 ? undefined : problemAnswer('SV-6004', { 'retry-after': String(40 - left) }),
    )
    const messages = [1, 2, 3, 4].map((id) => call('internet_weather', id))
    const first = await at.post('/public', messages)
    expect([first.status, first.json]).toMatchObject([
      200,
      [
        { id: 1, result: {} },
        { id: 2, result: {} },
        { id: 3, error: { code: 6004 } },
        { id: 4, error: { code: 6004 } },
      ],
    ])
    expect(at.seen).toHaveLength(4)
    const next = await at.post('/public', [list, noted, { ...list, id: 8 }])
    expect([next.status, next.headers.get('retry-after'), next.json]).toMatchObject([
      429,
      '45',
      [
        { id: 7, error: { code: 6004 } },
        { id: 8, error: { code: 6004 } },
      ],
    ])
  })

  test('is 401 with its challenge when the key is not known', async () => {
    at.answerWith(() => problemAnswer('SV-1002'))
    const answer = await at.post('/mcp', [list, call('list_checks', 8)], { authorization: 'Bearer unknown' })
    expect([answer.status, answer.json]).toMatchObject([401, [{ id: 7 }, { id: 8 }]])
    expect(answer.headers.get('www-authenticate')).toContain('invalid_token')
  })

  test('answers the other messages when one meets a fault, which is logged', async () => {
    at.answerWith(({ url }) => (url === '/v1/incidents' ? { status: 502, body: 'secret' } : undefined))
    const { status, text, json: answers } = await post([call('list_incidents', 1), call('list_checks', 2)])
    expect([status, answers]).toMatchObject([
      200,
      [
        { id: 1, error: { code: -32_603 } },
        { id: 2, result: {} },
      ],
    ])
    expect(text).not.toContain('secret')
    expect(at.logged.join()).toContain('a message of a batch failed')
  })

  test('does not run the rest once its answers are large', async () => {
    const body = JSON.stringify({ checks: ['x'.repeat(9_000_000)] })
    at.answerWith(() => ({ status: 200, body }))
    const { status, json: answers } = await post([call('list_checks', 1), call('list_checks', 2), noted])
    expect(status).toBe(200)
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { message: expect.stringContaining('Not run') } },
    ])
    expect(at.seen).toHaveLength(1)
  })
})

describe('a request', () => {
  const gzipped = gzipSync(JSON.stringify(list))
  const text = bytesOf(list)
  test.each([
    ['with a charset', text, { 'content-type': 'application/json; charset=utf-8' }, 200, { id: 7 }],
    ['with a type in capitals', text, { 'content-type': 'Application/JSON' }, 200, { id: 7 }],
    ['without a type', text, { 'content-type': null }, 415, { error: { message: /application\/json/ } }],
    ['of a form', text, { 'content-type': 'application/x-www-form-urlencoded' }, 415, { error: {} }],
    ['with a byte order mark', `\ufeff${text}`, {}, 200, { id: 7 }],
    ['that is not UTF-8', Buffer.from('7b226964223a22e9227d', 'hex'), {}, 400, { error: { code: -32_700 } }],
    ['without a body', '', {}, 400, { error: { code: -32_700 } }],
    [
      'that is compressed',
      gzipped,
      { 'content-encoding': 'gzip' },
      415,
      { error: { message: /Content-Encoding/ } },
    ],
    ['that is as it is', text, { 'content-encoding': 'identity' }, 200, { id: 7 }],
    ['of a session', text, { 'mcp-session-id': 'gone', 'last-event-id': '5' }, 200, { id: 7 }],
    ['of an empty version', text, revision(''), 400, { error: {} }],
    ['of an unknown version', text, revision('2024-01-01'), 400, { error: { message: /2024-01-01/ } }],
    ['with the id 0', bytesOf({ ...list, id: 0 }), {}, 200, { id: 0 }],
    ['with an empty id', bytesOf({ ...list, id: '' }), {}, 200, { id: '' }],
    ['with the id null', bytesOf({ ...list, id: null }), {}, 400, { error: { code: -32_600 } }],
    ['with a fraction as id', bytesOf({ ...list, id: 1.5 }), {}, 400, { error: {} }],
    ['with an object as id', bytesOf({ ...list, id: {} }), {}, 400, { error: {} }],
    ['of JSON-RPC 1.0', bytesOf({ ...list, jsonrpc: '1.0' }), {}, 400, { error: {} }],
    ['of an unknown method', bytesOf({ ...list, method: 'x' }), {}, 200, { id: 7, error: { code: -32_601 } }],
    ['nested too deep', `${'['.repeat(70)}${']'.repeat(70)}`, {}, 400, { error: { code: -32_700 } }],
  ])('%s', async (_, body, headers, status, expected) => {
    const answer = await raw(body, headers as Record<string, string>)
    const patterns = JSON.parse(
      JSON.stringify(expected, (_name, value: unknown) => (value instanceof RegExp ? undefined : value)),
    )
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, patterns])
    const message = (expected as { error?: { message?: RegExp } }).error?.message
    if (message !== undefined) expect(answer.text).toMatch(message)
  })

  test('of HTTP/1.0 is answered', async () => {
    const answer = await raw(text, {}, { version: '1.0' })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { id: 7 }])
  })

  test.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'])(
    'by %s is a 405, whatever it accepts',
    async (method) => {
      for (const path of ['/mcp', '/public']) {
        const answer = await raw(
          '',
          { accept: event, 'content-type': null, 'content-length': null },
          { path, method },
        )
        expect([answer.status, answer.field('allow')]).toEqual([405, 'POST'])
      }
    },
  )
})
