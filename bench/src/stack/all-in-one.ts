import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { emptyCatalogFile } from '@probe-mesh/infra/testing/empty-catalog'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { until } from '../mesh/until.ts'

const script = fileURLToPath(import.meta.resolve('@probe-mesh/infra/all-in-one/main'))

/** What `npm start` runs, as a process of its own that measures no catalog. */
export type AllInOneProcess = { readonly pid: number; close(): Promise<void> }

/** Resolves when it is ready. @param folder where it keeps everything */
export const startAllInOneProcess = async (folder: string): Promise<AllInOneProcess> => {
  const [port = 0] = await freePorts(1)
  const environment = {
    PORT: String(port),
    DATA_DIR: folder,
    CATALOG_FILE: emptyCatalogFile,
    LOG_LEVEL: 'error',
  }
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 2],
  })
  const exited = once(child, 'exit')
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  try {
    await until('npm start is ready', async () => {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`)
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
      return answer?.ok === true
    })
  } catch (error) {
    await close()
    throw error
  }
  return { pid: child.pid ?? 0, close }
}
