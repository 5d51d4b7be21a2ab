import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createKey } from '@probe-mesh/control-plane/accounts/create-key'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startStores } from '@probe-mesh/infra/start/stores/stores'
import { startChild } from '../child.ts'
import { createBenchAccount } from '../path/bench-checks.ts'
import type { PlaneQuestion } from './plane-process.ts'

/** A control plane on stores of its own. */
export type Plane = {
  readonly apiUrl: string
  /** @returns a `read_write` key of a new account of the scale tier */
  createAccount(): Promise<string>
  /** How many requests it was sent since this was last asked. */
  takeRequests(): Promise<number>
  close(): Promise<void>
}

export const startPlane = async (folder: string): Promise<Plane> => {
  const stores = await startStores({ dataDir: folder, log: silentLog })
  const { databaseUrl, clickhouseUrl } = stores
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  const child = startChild(new URL('plane-process.ts', import.meta.url))
  const close = async (): Promise<void> => {
    await child.close()
    await sql.end()
    await stores.close()
  }
  const ask = <Answer>(question: PlaneQuestion): Promise<Answer> => child.ask<Answer>(question)
  try {
    await migratePostgres(sql)
    const busFolder = join(folder, 'bus-of-the-plane')
    await mkdir(busFolder, { recursive: true })
    const apiUrl = await ask<string>({
      kind: 'start',
      databaseUrl,
      clickhouseUrl,
      folder: busFolder,
    })
    return {
      apiUrl,
      createAccount: async () => {
        const accountId = await createBenchAccount(sql, 'terraform')
        const key = { accountId, name: 'terraform', scope: 'read_write' } as const
        const made = await createKey({ sql, now: Date.now }, key)
        if (isRefusal(made)) throw new Error(made.message)
        return made.apiKey
      },
      takeRequests: () => ask<number>({ kind: 'requests' }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
