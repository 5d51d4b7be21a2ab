import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { cpuMsOfEndedChildren } from '../harness/usage.ts'
import { runInFlight } from './slice.ts'
import type { Slice, SliceQuestion } from './slice.ts'
import { zone } from './targets.ts'
import type { Target } from './targets.ts'

const run = promisify(execFile)

/** One process per check costs so much that a tenth of the checks is enough. */
const share = 0.1

/** One curl per check, as in a cron script or a container's health check. */
type Curl = { slice(question: SliceQuestion): Promise<Slice> }

/** @returns null where the machine lacks it, which is logged */
export const findCurl = async (
  folder: string,
  { httpPort, httpsPort, ca }: Target,
  { mayFetch, log }: { mayFetch: boolean; log: (line: string) => void },
): Promise<Curl | null> => {
  try {
    const program = await findDebianProgram('curl', { mayFetch })
    const authority = join(folder, 'curl-ca.pem')
    await writeFile(authority, ca)
    const site = `curl.${zone}`
    const check = async (secure: boolean): Promise<boolean> => {
      const [scheme, port] = secure ? ['https', httpsPort] : ['http', httpPort]
      const how = ['--silent', '--fail', '--cacert', authority]
      const where = ['--resolve', `${site}:${port}:127.0.0.1`, `${scheme}://${site}:${port}/`]
      return run(program, [...how, ...where]).then(
        () => true,
        () => false,
      )
    }
    return {
      slice: async ({ secure, count: asked, inFlight }) => {
        const count = Math.max(1, Math.round(asked * share))
        let failed = 0
        const [startedAt, before] = [performance.now(), cpuMsOfEndedChildren()]
        await runInFlight(count, inFlight, async () => {
          if (!(await check(secure))) failed += 1
        })
        const cpuSeconds = (cpuMsOfEndedChildren() - before) / 1_000
        const wallSeconds = (performance.now() - startedAt) / 1_000
        return { count, cpuSeconds, wallSeconds, failed }
      },
    }
  } catch (error) {
    log(`no curl to compare with: ${error instanceof Error ? error.message : error}`)
    return null
  }
}
