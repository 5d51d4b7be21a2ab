import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { expect, test } from 'vitest'
import { targetRequestsPerMinuteDefault } from '../targets/target-budget.ts'
import { parseConfig } from './config.ts'

const accountId = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

const good = (environment: Record<string, string>) => {
  const parsed = parseConfig(environment)
  if (!parsed.ok) throw new Error(parsed.problems.join('; '))
  return parsed.config
}

test('an empty environment gives the documented defaults, which are frozen', () => {
  const config = good({ HOST: '', DATABASE_URL: '  ' })
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
    mcpUrl: null,
    dataDir: '.data',
    databaseUrl: null,
    clickhouseUrl: null,
    regions: ['iad', 'sjc', 'fra', 'nrt'],
    catalogFile: null,
    catalogIntervalSeconds: 60,
    trustProxy: false,
    budgetScale: 1,
    targetRequestsPerMinute: targetRequestsPerMinuteDefault,
    blockedTargets: { entries: [] },
    rdapBootstrap: 'https://data.iana.org/rdap/dns.json',
    contactUrl: null,
    secretsKey: null,
    gatewayKey: null,
    metricsToken: null,
    smtpUrl: null,
    mailFrom: null,
    signUp: 'open',
    logLevel: 'info',
    tiers: tiersDefault,
  })
  expect(config.targetAllow.covers('127.0.0.1')).toBe(false)
  expect(Object.isFrozen(config)).toBe(true)
})

test('set variables are used', () => {
  const config = good({
    HOST: '::1',
    PORT: '9090',
    ALLOWED_HOSTS: 'control-plane-1, mesh.internal',
    REGIONS: 'fra, nrt',
    TARGET_ALLOW: `127.0.0.0/8, ::1, 10.0.0.0/8@${accountId}`,
    CHANNEL_ALLOW: '192.168.0.0/16',
    BLOCKED_TARGETS: 'example.org, 192.0.9.0/24',
    CONTACT_URL: 'mailto:abuse@example.org',
    CATALOG_FILE: 'catalogs/intranet.yaml',
    CATALOG_INTERVAL_SECONDS: '300',
    TRUST_PROXY: 'loopback, 10.0.0.0/8',
    BUDGET_SCALE: '2.5',
    TIER_OVERRIDES: '{"growth":{"monitors":500}}',
    DATABASE_URL: 'postgres://u:p@db/name',
    SECRETS_KEY: 'x'.repeat(32),
    GATEWAY_KEY: 'y'.repeat(32),
    METRICS_TOKEN: 'z'.repeat(16),
    SMTP_URL: 'smtps://user:password@mail.example.org',
    MAIL_FROM: 'Status <status@example.org>',
    OPERATOR_CHANNEL: accountId,
  })
  expect(config).toMatchObject({
    publicUrl: 'http://[::1]:9090',
    allowedHosts: ['localhost', '127.0.0.1', '[::1]', 'control-plane-1', 'mesh.internal'],
    regions: ['fra', 'nrt'],
    catalogFile: 'catalogs/intranet.yaml',
    catalogIntervalSeconds: 300,
    trustProxy: ['loopback', '10.0.0.0/8'],
    budgetScale: 2.5,
    contactUrl: 'mailto:abuse@example.org',
    databaseUrl: 'postgres://u:p@db/name',
    secretsKey: 'x'.repeat(32),
    gatewayKey: 'y'.repeat(32),
    metricsToken: 'z'.repeat(16),
    smtpUrl: 'smtps://user:password@mail.example.org',
    mailFrom: { name: 'Status', address: 'status@example.org' },
    operatorChannel: accountId,
  })
  expect(config.targetAllow.covers('127.9.9.9')).toBe(true)
  expect(config.targetAllow.covers('10.0.0.1')).toBe(false)
  expect(config.targetAllow.ofAccount(accountId).covers('10.0.0.1')).toBe(true)
  expect(config.channelAllow?.covers('192.168.0.1')).toBe(true)
  expect(config.blockedTargets.coversHost('www.example.org')).toBe(true)
  expect(config.tiers.growth).toEqual({ ...tiersDefault.growth, monitors: 500 })
  expect(config.tiers.scale).toEqual(tiersDefault.scale)
})

test('a public URL loses the slash at its end, and 0.0.0.0 is no address for links', () => {
  expect(good({ PUBLIC_URL: 'https://mesh.example.org/' }).publicUrl).toBe('https://mesh.example.org')
  expect(good({ HOST: '0.0.0.0' }).publicUrl).toBe('http://127.0.0.1:8080')
})

test.each([
  [{}, targetRequestsPerMinuteDefault],
  [{ BUDGET_SCALE: '10' }, targetRequestsPerMinuteDefault * 10],
  [{ BUDGET_SCALE: '0.5' }, targetRequestsPerMinuteDefault],
  [{ BUDGET_SCALE: '10', TARGET_REQUESTS_PER_MINUTE: '500' }, 500],
])('%j: the limit for one host follows BUDGET_SCALE, unless it is set', (environment, expected) => {
  expect(good(environment).targetRequestsPerMinute).toBe(expected)
})

test.each([
  ['none', null],
  ['http://127.0.0.1:8/dns.json', 'http://127.0.0.1:8/dns.json'],
])('RDAP_BOOTSTRAP may be %s', (value, expected) => {
  expect(good({ RDAP_BOOTSTRAP: value }).rdapBootstrap).toBe(expected)
})

test.each(['1', '3600'])('CATALOG_INTERVAL_SECONDS may be %s', (seconds) => {
  const { catalogIntervalSeconds } = good({ CATALOG_INTERVAL_SECONDS: seconds })
  expect(catalogIntervalSeconds).toBe(Number(seconds))
})

test('all wrong values are listed, and no secret is repeated', () => {
  const parsed = parseConfig({
    PORT: '65536',
    PUBLIC_URL: 'mesh.example.org',
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    CLICKHOUSE_URL: 'clickhouse',
    REGIONS: 'fra,FRA,fra',
    TARGET_ALLOW: '10.0.0.0/33',
    CHANNEL_ALLOW: '10.0.0.0/8@acme',
    BLOCKED_TARGETS: 'nowhere',
    TARGET_REQUESTS_PER_MINUTE: '0',
    CONTACT_URL: 'somebody',
    RDAP_BOOTSTRAP: 'file:///etc/passwd',
    CATALOG_INTERVAL_SECONDS: '0',
    TRUST_PROXY: 'everyone',
    BUDGET_SCALE: '0',
    LOG_LEVEL: 'loud',
    OPERATOR_CHANNEL: 'slack',
    TIER_OVERRIDES: '{"growth":{"monitor":1}}',
    SECRETS_KEY: 'hunter2 has too few characters',
    GATEWAY_KEY: 'hunter2',
    METRICS_TOKEN: 'hunter2',
    SMTP_URL: 'http://user:hunter2@mail',
  })
  if (parsed.ok) throw new Error('nothing was wrong')
  const text = parsed.problems.join('\n')
  const named = new Set(parsed.problems.map((problem) => problem.split(' ')[0]))
  expect([...named].toSorted()).toEqual([
    'BLOCKED_TARGETS',
    'BUDGET_SCALE',
    'CATALOG_INTERVAL_SECONDS',
    'CHANNEL_ALLOW',
    'CLICKHOUSE_URL',
    'CONTACT_URL',
    'DATABASE_URL',
    'GATEWAY_KEY',
    'LOG_LEVEL',
    'MAIL_FROM',
    'METRICS_TOKEN',
    'OPERATOR_CHANNEL',
    'PORT',
    'PUBLIC_URL',
    'RDAP_BOOTSTRAP',
    'REGIONS',
    'SECRETS_KEY',
    'SMTP_URL',
    'TARGET_ALLOW',
    'TARGET_REQUESTS_PER_MINUTE',
    'TIER_OVERRIDES',
    'TRUST_PROXY',
  ])
  expect(text).not.toContain('hunter2')
})

test.each([
  ['nats://127.0.0.1:4222', ['nats://127.0.0.1:4222']],
  ['nats://a:4222, tls://b:4222', ['nats://a:4222', 'tls://b:4222']],
])('NATS_URL has one server or several: %s', (text, servers) => {
  const parsed = parseConfig({ NATS_URL: text })
  expect(parsed.ok && parsed.config.natsServers).toEqual(servers)
})

test('the operator can set every limit of a tier', () => {
  const config = good({ TIER_OVERRIDES: JSON.stringify({ free: tiersDefault.scale }) })
  expect(config.tiers).toEqual({ ...tiersDefault, free: tiersDefault.scale })
})

test.each([
  ['NATS_URL', 'http://127.0.0.1:4222'],
  ['NATS_URL', 'nats://a:4222,b'],
  ['NATS_URL', ','],
  ['VANTAGE', 'here'],
  ['SIGN_UP', 'no'],
])('%s=%s is refused', (name, value) => {
  const parsed = parseConfig({ [name]: value })
  expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringContaining(name)])
})

test.each([
  ['TIER_OVERRIDES', 'not json'],
  ['TIER_OVERRIDES', '{"premium":{}}'],
  ['TIER_OVERRIDES', '{"free":{"monitors":-1}}'],
  ['BUDGET_SCALE', 'NaN'],
  ['BUDGET_SCALE', '100001'],
  ['REGIONS', ','],
  ['CATALOG_INTERVAL_SECONDS', '3601'],
  ['CATALOG_INTERVAL_SECONDS', '1.5'],
  ['CATALOG_INTERVAL_SECONDS', '-1'],
  ['PORT', '80a'],
  ['PORT', '-1'],
  ['SECRETS_KEY', 'x'.repeat(31)],
  ['GATEWAY_KEY', 'y'.repeat(31)],
  ['GATEWAY_KEY', `${'y'.repeat(32)} ${'y'.repeat(32)}`],
  ['GATEWAY_KEY', 'ÿ'.repeat(32)],
  ['MAIL_FROM', 'nobody'],
  ['MAIL_FROM', 'a@example.org, b@example.org'],
  ['MAIL_FROM', 'Status <a@example.org>\r\nBcc: <b@example.org>'],
])('%s=%s prevents the start', (name, value) => {
  expect(parseConfig({ [name]: value })).toMatchObject({
    ok: false,
    problems: [expect.stringContaining(name)],
  })
})

test.each([
  ['1', 1],
  ['3', 3],
  ['5', 5],
  ['', null],
])('NATS_REPLICAS=%s is %s', (value, replicas) => {
  expect(good({ NATS_REPLICAS: value }).natsReplicas).toBe(replicas)
})

test.each(['0', '2', '4', '7', 'three', '3.5'])('NATS_REPLICAS=%s is a problem', (value) => {
  expect(parseConfig({ NATS_REPLICAS: value })).toEqual({
    ok: false,
    problems: [`NATS_REPLICAS must be 1, 3 or 5, not ${value}`],
  })
})

test('a certificate needs its key, and makes links begin with https', () => {
  expect(good({ TLS_CERT: '/c.pem', TLS_KEY: '/k.pem' })).toMatchObject({
    tls: { certificate: '/c.pem', key: '/k.pem' },
    publicUrl: 'https://127.0.0.1:8080',
  })
  expect(good({}).tls).toBeNull()
  expect(parseConfig({ TLS_CERT: '/c.pem' })).toMatchObject({
    problems: ['TLS_KEY is required when TLS_CERT is set'],
  })
  expect(parseConfig({ TLS_KEY: '/k.pem' })).toMatchObject({
    problems: ['TLS_CERT is required when TLS_KEY is set'],
  })
})
