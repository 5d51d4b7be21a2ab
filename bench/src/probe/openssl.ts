import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cpuMsOfEndedChildren } from '../harness/usage.ts'
import type { Slice } from './slice.ts'
import type { Target } from './targets.ts'

const run = promisify(execFile)

/**
 * `openssl s_time -new`: full, verified handshakes one after another, each with one request. It shows the cost
 * of the library itself: it takes no times and does not read the response.
 */
export const runOpenssl = async (
  folder: string,
  { httpsPort, ca }: Target,
  seconds: number,
): Promise<Slice> => {
  const file = join(folder, 'openssl-ca.pem')
  await writeFile(file, ca)
  const how = ['-connect', `127.0.0.1:${httpsPort}`, '-new', '-www', '/', '-time', String(seconds)]
  const before = cpuMsOfEndedChildren()
  const startedAt = performance.now()
  const { stdout } = await run('openssl', ['s_time', ...how, '-CAfile', file, '-verify', '2'])
  const cpuSeconds = (cpuMsOfEndedChildren() - before) / 1_000
  const count = Number(/^(\d+) connections in/m.exec(stdout)?.[1] ?? 0)
  if (count === 0) throw new Error(`openssl s_time made no connection: ${stdout}`)
  return { count, cpuSeconds, wallSeconds: (performance.now() - startedAt) / 1_000, failed: 0 }
}
