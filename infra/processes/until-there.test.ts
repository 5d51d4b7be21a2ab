import { BusUnavailable } from '@probe-mesh/bus/port'
import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'
import pino from 'pino'
import { expect, inject, test } from 'vitest'
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
  ['a wrong password', { password: 'wrong' }],
  ['a database that does not exist', { pathname: '/nowhere' }],
])('%s is said at once', async (_, wrong) => {
  const url = Object.assign(new URL(inject('postgresUrl')), { username: 'nobody', ...wrong })
  const attempt = async () => {
    const sql = connectPostgres(url.href, { connectionsMax: 1 })
    try {
      await sql`select 1`
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  await expect(untilThere('Postgres', attempt, log)).rejects.toThrow(/^Postgres refuses: /)
})

test('credentials that cannot be read are said at once', async () => {
  const attempt = () => Promise.reject(new Error('there is no such file'))
  await expect(untilThere('NATS', attempt, log)).rejects.toThrow(
    'NATS refuses: there is no such file',
  )
})
