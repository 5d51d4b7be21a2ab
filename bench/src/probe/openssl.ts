import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseStat } from '@probe-mesh/acceptance/testing/proc'
import type { Slice } from './slice.ts'
import type { Target } from './targets.ts'

const run = promisify(execFile)

/**
 * `openssl s_time -new`: full handshakes one after another, verified, each with one request. What
 * the library itself takes; it neither times anything nor looks into the answer.
 */
export const runOpenssl = async (
  folder: string,
  { httpsPort, ca }: Target,
  seconds: number,
): Promise<Slice> => {
  const file = join(folder, 'openssl-ca.pem')
  await writeFile(file, ca)
  const how = ['-connect', `127.0.0.1:${httpsPort}`, '-new', '-www', '/', '-time', String(seconds)]
  const before = childrenCpuSeconds()
  const startedAt = performance.now()
  const { stdout } = await run('openssl', ['s_time', ...how, '-CAfile', file, '-verify', '2'])
  const cpuSeconds = childrenCpuSeconds() - before
  const count = Number(/^(\d+) connections in/m.exec(stdout)?.[1] ?? 0)
  if (count === 0) throw new Error(`openssl s_time made no connection: ${stdout}`)
  return { count, cpuSeconds, wallSeconds: (performance.now() - startedAt) / 1_000, failed: 0 }
}

/** Of the children of this process that have ended: all that the kernel says, less our own. */
const childrenCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return parseStat(readFileSync('/proc/self/stat', 'utf8')).cpuSeconds - (user + system) / 1_000_000
}
