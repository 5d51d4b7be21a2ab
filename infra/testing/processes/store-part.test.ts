import { join } from 'node:path'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { testFolder } from '../folder.ts'
import { expect, test } from 'vitest'
import { silentLog } from '../../start/embedded/log.ts'
import { startPostgres } from '../../start/embedded/postgres/start.ts'
import { freePorts } from './free-ports.ts'
import { createStorePart } from './store-part.ts'

test('restarts a database killed during a statement behind its URL with its rows', async () => {
  const folder = testFolder('store-part-')
  const [port] = await freePorts(1)
  const part = createStorePart({
    name: 'postgres',
    url: `postgres://127.0.0.1:${port}/`,
    start: (behind) => startPostgres({ dataDir: join(folder, 'postgres'), log: silentLog, behind }),
  })
  try {
    await part.start()
    const { url } = part
    expect(new URL(url).port).toBe(String(port))
    const sql = connectPostgres(url, { connectionsMax: 1 })
    await sql`create table kept (id integer)`
    await sql`insert into kept values (1)`
    const underWay = sql`select pg_sleep(600)`.then(
      () => 'slept',
      () => 'lost',
    )
    await part.kill()
    expect(part.isAlive).toBe(false)
    expect(await underWay).toBe('lost')
    await part.start()
    expect(part.url).toBe(url)
    expect(await sql`select id from kept`).toEqual([{ id: 1 }])
    await sql.end({ timeout: 1 })
  } finally {
    await part.close()
  }
})
