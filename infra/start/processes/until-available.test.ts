import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { readNatsServer } from '@probe-mesh/bus/nats/system-mark'
import { BusUnavailable } from '@probe-mesh/bus/port'
import pino from 'pino'
import { useOnce } from '../../testing/use.ts'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { startTestNats } from '../../testing/nats.ts'
import { readClickHouseVersion, readPostgresVersion, awaitServers } from './await-servers.ts'
import { untilAvailable } from './until-available.ts'

const log = pino({ level: 'silent' })

test('waits for a server that does not answer yet', async () => {
  let tries = 0
  const answer = await untilAvailable(
    'NATS',
    async () => {
      tries += 1
      if (tries < 3) throw new BusUnavailable('no server')
      return 'there'
    },
    log,
  )
  expect([answer, tries]).toEqual(['there', 3])
})

test.each([
  ['a wrong password', { password: 'wrong', username: 'nobody' }, /^Postgres refuses: .* Set the user/],
  [
    'a database that does not exist',
    { pathname: '/nowhere' },
    /"nowhere" does not exist\. Create it, as a superuser of that server: createdb .*--owner \w+ nowhere$/,
  ],
])('Postgres: reports %s at once, with what to do', async (_, wrong, message) => {
  const { href: url } = Object.assign(new URL(inject('postgresUrl')), wrong)
  await expect(untilAvailable('Postgres', () => readPostgresVersion(url), log, { url })).rejects.toThrow(
    message,
  )
})

test('waits for a read-only Postgres for as long as it takes, and says so once', async () => {
  const { href: url } = new URL(inject('postgresUrl'))
  const readOnly = `${url}?default_transaction_read_only=on`
  const said: string[] = []
  const telling = pino({ level: 'warn' }, { write: (line) => void said.push(line) })
  let tries = 0
  const attempt = () => readPostgresVersion(++tries < 4 ? readOnly : url)
  expect(await untilAvailable('Postgres', attempt, telling, { url, waitMs: 1 })).toMatch(/^\d+/)
  expect(said.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringMatching(
      /^the start waits: Postgres refuses: .* The server accepts no writes\. Run "npm run -s admin -- doctor"/,
    ),
  ])
})

test('names an unresolved host even if the last error is a timeout', async () => {
  const url = 'postgres://mesh:mesh@nosuchhost.invalid:5432/mesh'
  const [unknown, timeout] = [
    Object.assign(new Error('getaddrinfo ENOTFOUND nosuchhost.invalid'), { code: 'ENOTFOUND' }),
    Object.assign(new Error('write CONNECT_TIMEOUT'), { code: 'CONNECT_TIMEOUT' }),
  ]
  let tries = 0
  const attempt = () => Promise.reject(++tries === 1 ? unknown : timeout)
  await expect(untilAvailable('Postgres', attempt, log, { url, waitMs: 400 })).rejects.toThrow(
    /ENOTFOUND nosuchhost\.invalid\. The name does not resolve: set the host of DATABASE_URL/,
  )
  expect(tries).toBe(2)
})

test('ClickHouse: reports a missing database at once, with the command that creates it', async () => {
  const url = Object.assign(new URL(inject('clickhouseUrl')), { pathname: '/nowhere' }).href
  await expect(
    untilAvailable('ClickHouse', () => readClickHouseVersion({ url, cluster: null }), log),
  ).rejects.toThrow(
    /^ClickHouse refuses: .*nowhere.* Create it: clickhouse-client --query "CREATE DATABASE nowhere"$/s,
  )
})

test.each([
  ['no program listens', 'http://127.0.0.1:1', /No program listens there: start ClickHouse/],
  ['Postgres listens', () => portOf('postgresUrl'), /does not use HTTP: .* HTTP port .* 8123/],
])('ClickHouse: reports at the end of the wait that %s', async (_, where, message) => {
  const url = typeof where === 'string' ? where : where()
  const waited = untilAvailable('ClickHouse', () => readClickHouseVersion({ url, cluster: null }), log, {
    waitMs: 1,
  })
  await expect(waited).rejects.toThrow(message)
})

test.each([
  ['https to a port without TLS', () => portOf('clickhouseUrl', 'https'), /That port does not use TLS/],
])('ClickHouse: reports %s at once', async (_, where, message) => {
  await expect(
    untilAvailable('ClickHouse', () => readClickHouseVersion({ url: where(), cluster: null }), log),
  ).rejects.toThrow(message)
})

describe('a NATS server without our configuration', () => {
  const nats = useOnce(() => startTestNats({ configuration: () => '' }))
  afterAll(() => nats?.close())

  test('fails at once for TLS that it does not offer', async () => {
    await expect(askNats(nats.url.replace('nats:', 'tls:'))).rejects.toThrow(
      /^NATS refuses: .*does not support 'tls'\. This server offers no TLS/,
    )
  })

  test('fails at once without JetStream', async () => {
    await expect(askNats(nats.url)).rejects.toThrow(/^NATS refuses: .*Start it with JetStream/)
  })

  const askNats = (url: string) =>
    untilAvailable('NATS', () => readNatsServer({ servers: [url], name: 'test', log }), log)
})

test('NATS: reports too little space for the streams at once', async () => {
  const jetstream = (folder: string) =>
    `jetstream { store_dir: ${JSON.stringify(folder)}, max_file_store: 300MB }\n`
  const nats = await startTestNats({ configuration: jetstream })
  try {
    const topology = { regions: ['fra'], replicas: null, system: null } as const
    const open = () => openNatsBus({ servers: [nats.url], name: 'test', log, topology })
    await expect(untilAvailable('NATS', open, log)).rejects.toThrow(
      /^NATS refuses: .*insufficient storage resources available\. Free disk space/,
    )
  } finally {
    await nats.close()
  }
})

test('reads the versions of the servers and refuses one that is too old', async () => {
  const servers = {
    databaseUrl: inject('postgresUrl'),
    clickhouse: { url: inject('clickhouseUrl'), cluster: null },
    readNats: async () => ({ version: '2.10.27', system: 'ours' }),
  }
  expect(await awaitServers(servers, log)).toBe('ours')
  const readNats = async () => ({ version: '2.8.4', system: null })
  await expect(awaitServers({ ...servers, readNats }, log)).rejects.toThrow(
    'NATS is version 2.8.4; version 2.9 or later is required. Upgrade it.',
  )
  const none = { databaseUrl: null, clickhouse: null, readNats: null }
  expect(await awaitServers(none, log)).toBeNull()
})

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', /new certificate/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /host name of its certificate in NATS_URL/],
])('fails at once for a refused certificate (%s)', async (code, message) => {
  const cause = Object.assign(new Error('no'), { code })
  const attempt = () => Promise.reject(new BusUnavailable('nats: no', { cause }))
  await expect(untilAvailable('NATS', attempt, log)).rejects.toThrow(message)
})

test('fails at once for unreadable credentials', async () => {
  const attempt = () => Promise.reject(new Error('there is no such file'))
  await expect(untilAvailable('NATS', attempt, log)).rejects.toThrow('NATS refuses: there is no such file')
})

const portOf = (server: 'postgresUrl' | 'clickhouseUrl', scheme = 'http'): string =>
  `${scheme}://127.0.0.1:${new URL(inject(server)).port}`
