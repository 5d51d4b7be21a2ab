import { lookup } from 'node:dns/promises'
import { writeJson } from '../api/failure.ts'
import { readApiUrl, readKey } from '../api/settings.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { displayOf, isUtf8Terminal } from '../show/display.ts'
import type { Context, Output } from '../terminal/context.ts'
import { withProgress } from '../terminal/progress.ts'
import { accountFindings, keyFinding } from './doctor/account-findings.ts'
import { apiFindings } from './doctor/api-findings.ts'
import { failuresToFindings, findingLines, type Finding } from './doctor/findings.ts'
import { networkFindings, type Lookup } from './doctor/network-findings.ts'

/** What `doctor` needs of the machine besides the context. */
export type Machine = {
  /** Such as `24.21.0`. */
  nodeVersion: string
  lookup: Lookup
}

/**
 * Reports what works, what does not and how to fix it. It must run when nothing else does, so a
 * failed request is a finding and does not end it. Exits 1 if something fails.
 */
export const doctorOn =
  (machine: Machine): Action<KeyOptions> =>
  async (context, options) => {
    const { out, environment } = context
    const asking = { what: 'Checking', quiet: options.json }
    const findings = [
      nodeFinding(machine.nodeVersion),
      terminalFinding(out, environment),
      ...(await withProgress(context, asking, examine(machine, context, options))),
    ]
    if (options.json) writeJson(out, { version: 1, findings })
    else out.write(`${findingLines(displayOf(out, environment), findings).join('\n')}\n`)
    return findings.some(({ level }) => level === 'fail') ? 1 : 0
  }

export const doctor = doctorOn({
  nodeVersion: process.versions.node,
  lookup: (host) => lookup(host, { all: true }),
})

const examine = async (machine: Machine, context: Context, options: KeyOptions): Promise<Finding[]> => {
  const url = readApiUrl(context, options)
  const key = await readKey(context, options.apiKey).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error
    return { message: error.message }
  })
  const keys = typeof key === 'string' ? [keyFinding(key)] : failuresToFindings('key', [key])
  if (!url.ok) return [...failuresToFindings('address', [url.failure]), ...keys]
  const { apiUrl } = url
  const { findings, isApi } = await apiFindings(context, apiUrl)
  return [
    ...(await networkFindings(machine.lookup, apiUrl, context.environment)),
    ...findings,
    ...keys,
    ...(typeof key === 'string' && isApi ? await accountFindings(context, { apiUrl, apiKey: key }) : []),
  ]
}

const nodeMajorMin = 22
/** Tables and bars are designed for this width. */
const columnsMin = 80

/** The command line supports Node 22 and newer. */
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
  environment: Context['environment'],
): Finding => {
  const topic = 'terminal'
  const isUtf8 = isUtf8Terminal(environment)
  if (!isTerminal) return { level: 'ok', topic, message: 'the output is not a terminal: colours are off' }
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
      next: `From ${columnsMin} columns on, tables are complete.`,
    }
  }
  return isUtf8
    ? { level: 'ok', topic, message }
    : { level: 'ok', topic, message, next: 'Set LANG to a UTF-8 locale for better marks and bars.' }
}
