import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { modernPost } from './protocol/testing.ts'
import { gatewayKey, problemAnswer, startTestGateway } from './testing.ts'

const at = useOnce(() => startTestGateway({ trustProxy: ['127.0.0.1'] }))
beforeEach(() => {
  at.answerWith(() => undefined)
  at.seen.length = 0
})

const key = { authorization: 'Bearer sv_rw_of-a-test' }
const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const call = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args },
})
const modern = (method: string, params: object = {}) => modernPost(method, { ...params }, 7)

/** A table of requests with the expected HTTP and JSON-RPC responses (S-2502 to S-2511). */
describe('over HTTP', () => {
  test.each([
    [
      'initialize of an older revision',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'a', version: '1' },
        },
      },
      {},
      200,
      { result: { protocolVersion: '2025-06-18', serverInfo: { name: 'probe-mesh' } } },
    ],
    [
      'initialize of an unknown revision',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '1999-01-01',
          capabilities: {},
          clientInfo: { name: 'a', version: '1' },
        },
      },
      {},
      200,
      { result: { protocolVersion: '2025-11-25' } },
    ],
    ['ping', { jsonrpc: '2.0', id: 1, method: 'ping' }, {}, 200, { result: {} }],
    ['tools/list without a version', list, {}, 200, { id: 7, result: { tools: expect.any(Array) } }],
    ['an unknown method', { ...list, method: 'tools/none' }, {}, 200, { id: 7, error: { code: -32_601 } }],
    [
      'an unknown tool',
      call('none'),
      {},
      200,
      { id: 7, error: { code: -32_602, message: expect.stringContaining('Unknown tool: none') } },
    ],
    [
      'arguments that are no object',
      { ...call('x'), params: { name: 'list_checks', arguments: 5 } },
      {},
      200,
      { id: 7, error: { code: -32_602 } },
    ],
    ['what is not JSON', '{"jsonrpc"', {}, 400, { id: null, error: { code: -32_700 } }],
    ['what is no message', '5', {}, 400, { error: { code: -32_600 } }],
    ['another content type', '<a/>', { 'content-type': 'text/xml' }, 415, { error: {} }],
    ['a version that nobody knows', list, { 'mcp-protocol-version': '1999-01-01' }, 400, { error: {} }],
    ['a page of another site', list, { origin: 'https://evil.example' }, 403, {}],
    ['a page of this machine', list, { origin: 'http://localhost:3000' }, 200, { id: 7 }],
  ])('%s', async (_, body, headers, status, json) => {
    const answer = await at.post('/mcp', body, { ...key, ...headers })
    expect({ status: answer.status, json: answer.json }).toMatchObject({ status, json })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('mcp-session-id')).toBeNull()
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    [
      'server/discover',
      modern('server/discover'),
      {},
      200,
      {
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          ttlMs: 300_000,
          cacheScope: 'public',
        },
      },
    ],
    [
      'tools/list',
      modern('tools/list'),
      {},
      200,
      { result: { resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' } },
    ],
    [
      'tools/call',
      modern('tools/call', { name: 'list_checks' }),
      {},
      200,
      { result: { resultType: 'complete', structuredContent: { checks: [] } } },
    ],
    ['an unknown method', modern('tools/none'), {}, 404, { error: { code: -32_601 } }],
    ['a stream of changes', modern('subscriptions/listen', { filter: {} }), {}, 200, {}],
    [
      'another method in the header',
      modern('tools/list'),
      { 'mcp-method': 'tools/call' },
      400,
      { error: { code: -32_020 } },
    ],
    [
      'no method in the header',
      modern('tools/list'),
      { 'mcp-method': '' },
      400,
      { error: { code: -32_020 } },
    ],
    [
      'another name in the header',
      modern('tools/call', { name: 'list_checks' }),
      { 'mcp-name': 'x' },
      400,
      { error: { code: -32_020 } },
    ],
    [
      'another version in the header',
      modern('tools/list'),
      { 'mcp-protocol-version': '2025-11-25' },
      400,
      { error: { code: -32_020 } },
    ],
  ])('of 2026-07-28: %s', async (name, { headers, body }, more, status, json) => {
    const answer = await at.post('/mcp', body, {
      ...(headers as Record<string, string>),
      ...key,
      ...more,
    })
    expect({ status: answer.status, json: answer.json }).toMatchObject({ status, json })
    if (name === 'a stream of changes') expect(answer.json).toHaveProperty('error')
  })

  test('answers an unknown future version with the supported ones', async () => {
    const { headers, body } = modern('tools/list')
    const claim = 'io.modelcontextprotocol/protocolVersion'
    const { _meta: sent } = body.params
    const meta = { ...sent, [claim]: '2099-01-01' }
    const answer = await at.post(
      '/mcp',
      { ...body, params: { _meta: meta } },
      { ...(headers as Record<string, string>), ...key, 'mcp-protocol-version': '2099-01-01' },
    )
    expect(answer).toMatchObject({
      status: 400,
      json: {
        error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } },
      },
    })
  })

  test('accepts a notification with 202 and no body', async () => {
    const answer = await at.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, key)
    expect(answer).toMatchObject({ status: 202, text: '' })
  })

  test.each(['GET', 'DELETE', 'PUT'])('%s is a 405: there is no session', async (method) => {
    for (const path of ['/mcp', '/public']) {
      const answer = await fetch(at.url + path, { method, headers: { 'mcp-session-id': 'x' } })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  test('refuses a body above 64 KB', async () => {
    const sized = (bytes: number) => {
      const body = JSON.stringify(call('is_service_down', { service: '' }))
      return body.replace('"service":""', `"service":"${'x'.repeat(bytes - body.length)}"`)
    }
    expect((await at.post('/public', sized(64 * 1024))).status).toBe(200)
    expect((await at.post('/public', sized(64 * 1024 + 1))).status).toBe(413)
  })

  test('refuses a request for another host name, which guards against DNS rebinding', async () => {
    const other = await startTestGateway({ allowedHosts: ['mesh.example'] })
    try {
      expect((await other.post('/public', list)).status).toBe(403)
    } finally {
      await other.close()
    }
  })
})

describe('authentication', () => {
  test.each([
    ['no key', {}, 'SV-1001', 1001],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 'SV-1001', 1001],
    ['an empty token', { authorization: 'Bearer ' }, 'SV-1001', 1001],
  ])('%s on /mcp is %s without a request to the control plane', async (_, headers, code, number) => {
    const answer = await at.post('/mcp', list, headers as Record<string, string>)
    expect(answer).toMatchObject({
      status: 401,
      json: { error: { code: number, data: { code } } },
    })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="probe-mesh"')
    expect(at.seen).toEqual([])
  })

  test.each([
    ['tools/list', list],
    ['tools/call', call('list_checks')],
    ['initialize', { jsonrpc: '2.0', id: 7, method: 'initialize', params: {} }],
    ['an unknown tool', call('none')],
  ])('answers %s with 401 when the control plane does not know the key', async (_, body) => {
    at.answerWith(() => problemAnswer('SV-1002'))
    const answer = await at.post('/mcp', body, { authorization: 'Bearer unknown' })
    expect(answer).toMatchObject({ status: 401, json: { id: 7, error: { code: 1002 } } })
    expect(answer.headers.get('www-authenticate')).toMatch(/error="invalid_token"/)
  })

  test('lists tools for a known key without the control plane for 5 s', async () => {
    const own = { authorization: 'Bearer listed' }
    for (let n = 0; n < 3; n++) expect((await at.post('/mcp', list, own)).status).toBe(200)
    expect(at.seen.map(({ line }) => line)).toEqual(['POST /v1/gateway/admission'])
  })

  test('answers 429 with Retry-After in protocol form when the quota of an address is used up', async () => {
    at.answerWith(() => problemAnswer('SV-6004', { 'retry-after': '42' }))
    for (const body of [list, call('internet_weather'), call('list_checks')]) {
      const answer = await at.post('/public', body)
      expect(answer).toMatchObject({
        status: 429,
        json: { id: 7, error: { code: 6004, data: { code: 'SV-6004' } } },
      })
      expect(answer.headers.get('retry-after')).toBe('42')
    }
  })

  test('passes on its credential, the key and the address behind the proxy with every call', async () => {
    await at.post('/mcp', call('list_checks'), { ...key, 'x-forwarded-for': '2001:db8::1' })
    await at.post('/public', call('internet_weather'), { ...key, 'x-forwarded-for': '192.0.2.9' })
    expect(at.seen).toMatchObject([
      {
        line: 'GET /v1/checks',
        headers: { 'gateway-key': gatewayKey, 'gateway-client': '2001:db8::1', ...key },
      },
      { line: 'GET /v1/public/weather', headers: { 'gateway-client': '192.0.2.9' } },
    ])
    expect(at.seen[1]?.headers).not.toHaveProperty('authorization')
  })

  test.each(['list_checks', 'create_incident', 'get_error_issue'])(
    '%s on /public is refused with a message to add a key',
    async (name) => {
      const { json } = await at.post('/public', call(name))
      expect(json).toMatchObject({
        result: { isError: true, structuredContent: { code: 'SV-1006', message: /key/ } },
      })
    },
  )
})

describe('an answer', () => {
  test('is the body of the control plane, byte for byte', async () => {
    const body = '{"checks": [ {"name":"\\u001b[31mé\\"" , "n":1.50} ] }\n'
    at.answerWith(() => ({ status: 200, body }))
    const { json } = await at.post('/mcp', call('list_checks'), key)
    expect(json?.['result']).toEqual({
      content: [{ type: 'text', text: body }],
      structuredContent: JSON.parse(body),
    })
  })

  test.each([['null', { statusPageId: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70' }]])(
    'that is %s has no structured content',
    async (body, args) => {
      at.answerWith(() => ({ status: 200, body }))
      const { json } = await at.post('/mcp', call('get_active_maintenance_window', args), key)
      expect(json?.['result']).toEqual({ content: [{ type: 'text', text: 'null' }] })
    },
  )

  test.each([
    'SV-1004',
    'SV-1005',
    'SV-3001',
    'SV-4001',
    'SV-5001',
    'SV-6001',
    'SV-6002',
    'SV-9002',
  ] as const)('that refuses with %s is a result with isError and the problem', async (code) => {
    at.answerWith(() => problemAnswer(code, { 'retry-after': '3' }))
    const { status, json } = await at.post('/mcp', call('list_checks'), key)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      result: {
        isError: true,
        structuredContent: { code },
        content: [{ text: problemAnswer(code).body }],
        _meta: { 'probe-mesh/retryAfterSeconds': 3 },
      },
    })
  })

  test('that is not from the API is an internal error: logged, and not shown', async () => {
    at.answerWith(() => ({ status: 502, body: '<html>secret</html>' }))
    const answer = await at.post('/mcp', call('list_checks'), key)
    expect(answer).toMatchObject({ status: 500, json: { error: { code: -32_603 } } })
    expect(answer.text).not.toContain('secret')
    expect(at.logged.join()).toContain('request failed')
  })

  test('is SV-9002 when the control plane is unavailable', async () => {
    const alone = await startTestGateway()
    try {
      alone.answerWith((request) => {
        request.socket.destroy()
        return { status: 200 }
      })
      const { json } = await alone.post('/mcp', call('list_checks'), key)
      expect(json).toMatchObject({
        result: { isError: true, structuredContent: { code: 'SV-9002' } },
      })
      const listed = await alone.post('/mcp', list, key)
      expect(listed).toMatchObject({ status: 503, json: { error: { code: 9002 } } })
    } finally {
      await alone.close()
    }
  })
})

test('the log and the metrics contain nothing about callers', async () => {
  const address = '198.51.100.77'
  for (const body of [list, call('internet_weather'), call('none'), '{']) {
    await at.post('/public', body, { 'x-forwarded-for': address, 'user-agent': 'Curious/1.0' })
  }
  const metrics = await at.registry.metrics()
  for (const text of [at.logged.join(), metrics]) {
    expect(text).not.toMatch(/198\.51\.100|Curious|sv_rw_of-a-test|gateway key of a test/)
  }
  expect(metrics).toMatch(/mcp_tool_calls_total\{tool="internet_weather",outcome="answered"\} \d/)
})
