import { lookup } from 'node:dns/promises'
import { writeJson } from '../api/failure.ts'
import { readApiUrl, readKey } from '../api/settings.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { isUtf8Terminal, lookOf } from '../show/look.ts'
import { withProgress } from '../terminal/progress.ts'
import type { Output, World } from '../terminal/world.ts'
import { accountFindings, keyFinding } from './doctor/account-findings.ts'
import { apiFindings } from './doctor/api-findings.ts'
import { failuresToFindings, findingLines } from './doctor/findings.ts'
import type { Finding } from './doctor/findings.ts'
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

const nodeMajorMin = 22
/** What the tables and bars are made for. */
const columnsMin = 80

/** "It needs Node 22" (specification, Command-line tool). */
const nodeFinding = (version: string): Finding =>
  Number.parseInt(version, 10) >= nodeMajorMin
    ? { level: 'ok', topic: 'node', message: version }
    : {
        level: 'fail',
        topic: 'node',
        message: `${version} is older than ${nodeMajorMin}.`,
        next: `Install Node ${nodeMajorMin} or newer.`,
      }

const terminalFinding = (
  { isTerminal, hasColours, columns }: Output,
  environment: World['environment'],
): Finding => {
  const topic = 'terminal'
  const isUtf8 = isUtf8Terminal(environment)
  if (!isTerminal) return { level: 'ok', topic, message: 'the output is no terminal: no colours' }
  const message = [
    `${columns} columns`,
    hasColours ? 'colours' : 'no colours',
    isUtf8 ? 'UTF-8' : 'ASCII marks',
  ].join(', ')
  if (columns < columnsMin) {
    return {
      level: 'warn',
      topic,
      message,
      next: `From ${columnsMin} columns on tables are whole.`,
    }
  }
  return isUtf8
    ? { level: 'ok', topic, message }
    : { level: 'ok', topic, message, next: 'Set LANG to a UTF-8 locale for better marks and bars.' }
}
