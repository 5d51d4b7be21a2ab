import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { readNatsServer } from '@probe-mesh/bus/nats/system-mark'
import { BusUnavailable } from '@probe-mesh/bus/port'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startTestNats } from '../../testing/nats.ts'
import type { TestNats } from '../../testing/nats.ts'
import { queryClickHouse, askPostgres, awaitServers } from './ask-servers.ts'
import { untilThere } from './until-there.ts'

const log = pino({ level: 'silent' })

test('a server that does not answer yet is waited for', async () => {
  let tries = 0
  const answer = await untilThere(
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
])('Postgres: %s is said at once, with what to do', async (_, wrong, said) => {
  const { href: url } = Object.assign(new URL(inject('postgresUrl')), wrong)
  await expect(untilThere('Postgres', () => askPostgres(url), log, { url })).rejects.toThrow(said)
})

test('a name that cannot be resolved is still named when the wait ends by a timeout', async () => {
  const url = 'postgres://mesh:mesh@nosuchhost.invalid:5432/mesh'
  const [unknown, timeout] = [
    Object.assign(new Error('getaddrinfo ENOTFOUND nosuchhost.invalid'), { code: 'ENOTFOUND' }),
    Object.assign(new Error('write CONNECT_TIMEOUT'), { code: 'CONNECT_TIMEOUT' }),
  ]
  let tries = 0
  const attempt = () => Promise.reject(++tries === 1 ? unknown : timeout)
  await expect(untilThere('Postgres', attempt, log, { url, waitMs: 1 })).rejects.toThrow(
    /ENOTFOUND nosuchhost\.invalid\. No such name is known: set the host of DATABASE_URL/,
  )
  expect(tries).toBe(2)
})

test('ClickHouse: a database that does not exist is said at once, with the command', async () => {
  const url = Object.assign(new URL(inject('clickhouseUrl')), { pathname: '/nowhere' }).href
  await expect(untilThere('ClickHouse', () => queryClickHouse({ url, cluster: null }), log)).rejects.toThrow(
    /^ClickHouse refuses: .*nowhere.* Create it: clickhouse-client --query "CREATE DATABASE nowhere"$/s,
  )
})

test.each([
  ['nothing listens', 'http://127.0.0.1:1', /Nothing listens there: start ClickHouse/],
  ['the port is that of Postgres', () => portOf('postgresUrl'), /no HTTP: .* HTTP port .* 8123/],
])('ClickHouse: where %s, the end of the wait says so', async (_, where, said) => {
  const url = typeof where === 'string' ? where : where()
  const asked = untilThere('ClickHouse', () => queryClickHouse({ url, cluster: null }), log, {
    waitMs: 1,
  })
  await expect(asked).rejects.toThrow(said)
})

test.each([
  ['https to a port without TLS', () => portOf('clickhouseUrl', 'https'), /That port speaks no TLS/],
])('ClickHouse: %s is said at once', async (_, where, said) => {
  await expect(
    untilThere('ClickHouse', () => queryClickHouse({ url: where(), cluster: null }), log),
  ).rejects.toThrow(said)
})

describe('a NATS server as it is without our configuration', () => {
  let nats: TestNats
  beforeAll(async () => {
    nats = await startTestNats({ configuration: () => '' })
  })
  afterAll(() => nats?.close())

  test('TLS that it does not offer is said at once', async () => {
    await expect(askNats(nats.url.replace('nats:', 'tls:'))).rejects.toThrow(
      /^NATS refuses: .*does not support 'tls'\. This server offers no TLS/,
    )
  })

  test('the lack of JetStream is said at once', async () => {
    await expect(askNats(nats.url)).rejects.toThrow(/^NATS refuses: .*Start it with JetStream/)
  })

  const askNats = (url: string) =>
    untilThere('NATS', () => readNatsServer({ servers: [url], name: 'test', log }), log)
})

test('a NATS server without room for the streams is said at once', async () => {
  const jetstream = (folder: string) =>
    `jetstream { store_dir: ${JSON.stringify(folder)}, max_file_store: 300MB }\n`
  const nats = await startTestNats({ configuration: jetstream })
  try {
    const topology = { regions: ['fra'], replicas: null, system: null } as const
    const open = () => openNatsBus({ servers: [nats.url], name: 'test', log, topology })
    await expect(untilThere('NATS', open, log)).rejects.toThrow(
      /^NATS refuses: .*insufficient storage resources available\. Give its disk room/,
    )
  } finally {
    await nats.close()
  }
})

test('servers that answer are asked for their versions, and one that is too old ends the start', async () => {
  const servers = {
    databaseUrl: inject('postgresUrl'),
    clickhouse: { url: inject('clickhouseUrl'), cluster: null },
    readNats: async () => ({ version: '2.10.27', system: 'ours' }),
  }
  expect(await awaitServers(servers, log)).toBe('ours')
  const readNats = async () => ({ version: '2.8.4', system: null })
  await expect(awaitServers({ ...servers, readNats }, log)).rejects.toThrow(
    'NATS is version 2.8.4, and 2.9 or later is needed: upgrade it.',
  )
  const none = { databaseUrl: null, clickhouse: null, readNats: null }
  expect(await awaitServers(none, log)).toBeNull()
})

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', /new certificate/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /NATS_URL as its certificate does/],
])('a certificate that is refused (%s) is not waited for', async (code, said) => {
  const cause = Object.assign(new Error('no'), { code })
  const attempt = () => Promise.reject(new BusUnavailable('nats: no', { cause }))
  await expect(untilThere('NATS', attempt, log)).rejects.toThrow(said)
})

test('credentials that cannot be read are said at once', async () => {
  const attempt = () => Promise.reject(new Error('there is no such file'))
  await expect(untilThere('NATS', attempt, log)).rejects.toThrow('NATS refuses: there is no such file')
})

const portOf = (server: 'postgresUrl' | 'clickhouseUrl', scheme = 'http'): string =>
  `${scheme}://127.0.0.1:${new URL(inject(server)).port}`
