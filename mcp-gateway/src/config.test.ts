import { expect, test } from 'vitest'
import { parseGatewayConfig } from './config.ts'

const key = 'a-gateway-key-of-32-characters-00'

test('needs only a key; every other variable has a default', () => {
  expect(parseGatewayConfig({ GATEWAY_KEY: key })).toEqual({
    ok: true,
    config: {
      host: '127.0.0.1',
      port: 8081,
      mcpUrl: 'http://127.0.0.1:8081',
      apiUrl: 'http://127.0.0.1:8080/v1',
      gatewayKey: key,
      metricsToken: null,
      allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
      allowedOrigins: ['localhost', '127.0.0.1', '[::1]'],
      trustProxy: false,
      tls: null,
      accessLog: 'off',
      logLevel: 'info',
      network: expect.anything(),
    },
  })
})

test('serves TLS when a certificate is set, and requires its key', () => {
  const tls = { TLS_CERT: '/c.pem', TLS_KEY: '/k.pem' }
  expect(parseGatewayConfig({ GATEWAY_KEY: key, ...tls })).toMatchObject({
    config: { tls: { certificate: '/c.pem', key: '/k.pem' }, mcpUrl: 'https://127.0.0.1:8081' },
  })
  for (const [name, missing] of [
    ['TLS_CERT', 'TLS_KEY'],
    ['TLS_KEY', 'TLS_CERT'],
  ] as const) {
    const parsed = parseGatewayConfig({ GATEWAY_KEY: key, [name]: '/x.pem' })
    expect(parsed).toEqual({
      ok: false,
      problems: [`${missing} is required when ${name} is set`],
    })
  }
})

test('allows its own host names as host and as origin', () => {
  const parsed = parseGatewayConfig({
    GATEWAY_KEY: key,
    MCP_URL: 'https://mcp.example/',
    PUBLIC_URL: 'https://mesh.example:8443/',
    MCP_ALLOWED_ORIGINS: 'chat.example, other.example',
  })
  expect(parsed).toMatchObject({
    config: {
      mcpUrl: 'https://mcp.example',
      apiUrl: 'https://mesh.example:8443/v1',
      allowedHosts: ['localhost', '127.0.0.1', '[::1]', 'mcp.example', 'mesh.example'],
      allowedOrigins: expect.arrayContaining(['mesh.example', 'chat.example', 'other.example']),
    },
  })
})

test('reports all wrong values at once', () => {
  const parsed = parseGatewayConfig({
    GATEWAY_KEY: key.slice(0, 31),
    MCP_PORT: '65536',
    MCP_URL: 'mcp.example',
    PUBLIC_URL: 'ftp://mesh.example',
    CONTROL_PLANE_URL: 'nowhere',
    TRUST_PROXY: 'everybody',
    ACCESS_LOG: 'yes',
    LOG_LEVEL: 'loud',
  })
  expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.split(' ')[0])).toEqual([
    'GATEWAY_KEY',
    'CONTROL_PLANE_URL',
    'MCP_PORT',
    'MCP_URL',
    'PUBLIC_URL',
    'TRUST_PROXY',
    'ACCESS_LOG',
    'LOG_LEVEL',
  ])
  expect(parseGatewayConfig({ GATEWAY_KEY: key.slice(0, 32) }).ok).toBe(true)
  expect(parseGatewayConfig({ GATEWAY_KEY: `${key} ` }).ok).toBe(true)
  expect(parseGatewayConfig({ GATEWAY_KEY: `${key} x` }).ok).toBe(false)
})
