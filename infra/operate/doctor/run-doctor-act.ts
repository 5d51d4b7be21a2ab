import { resolve } from 'node:path'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import { optional, path } from '@probe-mesh/runtime/setting'
import { printProblems, type AdminOutput } from '../output.ts'
import { examine } from './examine.ts'
import type { Finding } from './findings/finding.ts'

const order = { broken: 0, warning: 1, ok: 2 } as const

/** Each finding with what to do, worst first, then counts by level. */
export const printFindings = (findings: readonly Finding[]): string => {
  const sorted = findings.toSorted((a, b) => order[a.level] - order[b.level])
  const topicWidth = Math.max(0, ...findings.map(({ topic }) => topic.length))
  const levelWidth = 'warning'.length
  const lines = sorted.flatMap(({ level, topic, message, next }) => [
    `${level.padEnd(levelWidth)}  ${topic.padEnd(topicWidth)}  ${message}`,
    ...(next === undefined ? [] : [`${' '.repeat(levelWidth + topicWidth + 4)}-> ${next}`]),
  ])
  const of = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  return `${[...lines, '', `${of('broken')} broken, ${of('warning')} warnings, ${of('ok')} ok.`].join('\n')}\n`
}

const commands = defineCommandLine({
  call: 'npm run -s admin -- doctor',
  about: 'Checks every part of the system, and says how to repair what does not work.',
  commands: {
    '': {
      summary: '',
      options: {
        keys: optional(
          path,
          'NATS_KEYS, else nats',
          'folder that "npm run nats-config" wrote; if it exists, doctor also lists agents that NATS refuses and agents with credentials of another region',
        ),
        json: flag('print the findings as JSON'),
      },
    },
  },
  notes: `Run it with the environment of the control plane. It checks Postgres, ClickHouse, NATS, the mail server,
the control planes at PUBLIC_URL and at HOST and PORT of this machine, and the gateway at MCP_URL, if set.
Addresses come from the environment or from the instance of DATA_DIR. It takes a few seconds and changes
nothing. It exits 1 if something is broken; warnings alone exit 0.`,
})

/** Runs `admin doctor`. @returns the exit code: 0 if nothing is broken, else 1 */
export const runDoctorAct = async (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: AdminOutput,
  now: () => number = Date.now,
): Promise<0 | 1> => {
  const fail = (problems: readonly string[]): 1 => printProblems(output, problems)
  const parsed = parseArgv(commands, argv)
  if (parsed.kind === 'wrong') return fail(parsed.problems)
  if (parsed.kind === 'help') {
    output.out(parsed.text)
    return 0
  }
  const { keys, json } = parsed.given
  const configured = parseConfig(environment)
  if (!configured.ok) return fail(configured.problems)
  const keysDir = resolve(keys ?? environment['NATS_KEYS'] ?? 'nats')
  const findings = await examine({ config: configured.config, environment, keysDir, now })
  output.out(json ? `${JSON.stringify({ version: 1, findings }, null, 2)}\n` : printFindings(findings))
  return findings.some(({ level }) => level === 'broken') ? 1 : 0
}
