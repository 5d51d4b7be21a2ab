import { createServer, type AddressInfo } from 'node:net'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { connectPostgres, isPostgresUnavailable } from './connect.ts'

const database = useTestDatabase()

/** A port without a server. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The test server, with further hosts. */
const naming = (...hosts: readonly string[]): string => {
  const url = new URL(database.url)
  return database.url.replace(url.host, hosts.join(','))
}

test('finds the server that accepts writes after one that is down', async () => {
  const { host } = new URL(database.url)
  const sql = connectPostgres(naming(`127.0.0.1:${await freePort()}`, host), { connectionsMax: 2 })
  const rows = await Promise.all([sql`select 1 as one`, sql`select 1 as one`])
  expect(rows).toEqual([[{ one: 1 }], [{ one: 1 }]])
  await sql.end()
})

test('fails at once, every time, while no server accepts writes, and keeps its connections', async () => {
  const [one, two] = [await freePort(), await freePort()]
  const sql = connectPostgres(naming(`127.0.0.1:${one}`, `127.0.0.1:${two}`), { connectionsMax: 1 })
  for (let n = 0; n < 3; n++) {
    const error: unknown = await sql`select 1`.catch((reason: unknown) => reason)
    expect(String(error)).toContain('no server of DATABASE_URL accepts writes')
    expect(isPostgresUnavailable(error)).toBe(true)
  }
  await sql.end()
})
