import { lookup } from 'node:dns/promises'
import { writeJson } from '../api/failure.ts'
import { readApiUrl, readKey } from '../api/settings.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Keyed } from '../command-line/common-options.ts'
import { findingLines } from '../show/findings.ts'
import type { Finding } from '../show/findings.ts'
import { lookOf } from '../show/look.ts'
import { withProgress } from '../terminal/progress.ts'
import type { World } from '../terminal/world.ts'
import { accountFindings, keyFinding } from './doctor/account-findings.ts'
import { apiFindings } from './doctor/api-findings.ts'
import { failuresToFindings } from './doctor/failure-findings.ts'
import { nodeFinding, terminalFinding } from './doctor/machine-findings.ts'
import { wayFindings } from './doctor/way-findings.ts'
import type { Lookup } from './doctor/way-findings.ts'

/** What `doctor` needs of the machine beside the world. */
export type Machine = {
  /** Such as `24.21.0`. */
  nodeVersion: string
  lookup: Lookup
}

/**
 * Says what works and what does not, and what to do: it works where nothing else does, so that
 * whatever cannot be asked is a finding and not its end. It exits 1 where something fails.
 */
export const doctorOn =
  (machine: Machine): Act<Keyed> =>
  async (world, options) => {
    const { out, environment } = world
    const asking = { what: 'Looking', quiet: options.json }
    const findings = [
      nodeFinding(machine.nodeVersion),
      terminalFinding(out, environment),
      ...(await withProgress(world, asking, examine(machine, world, options))),
    ]
    if (options.json) writeJson(out, { version: 1, findings })
    else out.write(`${findingLines(lookOf(out, environment), findings).join('\n')}\n`)
    return findings.some(({ level }) => level === 'fail') ? 1 : 0
  }

export const doctor = doctorOn({
  nodeVersion: process.versions.node,
  lookup: (host) => lookup(host, { all: true }),
})

const examine = async (machine: Machine, world: World, options: Keyed): Promise<Finding[]> => {
  const url = readApiUrl(world, options)
  const key = await readKey(world, options.apiKey).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error
    return { message: error.message }
  })
  const keys = typeof key === 'string' ? [keyFinding(key)] : failuresToFindings('key', [key])
  if (!url.ok) return [...failuresToFindings('address', [url.failure]), ...keys]
  const { apiUrl } = url
  const { findings, isThere } = await apiFindings(world, apiUrl)
  return [
    ...(await wayFindings(machine.lookup, apiUrl, world.environment)),
    ...findings,
    ...keys,
    ...(typeof key === 'string' && isThere
      ? await accountFindings(world, { apiUrl, apiKey: key })
      : []),
  ]
}
