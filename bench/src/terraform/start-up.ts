import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createCertificate } from '@probe-mesh/terraform/src/protocol/handshake/certificate'
import type { BenchContext } from '../harness/run-bench.ts'
import { ratios } from '../harness/statistics.ts'
import { takeTurns } from '../harness/turns.ts'

/** From the start of the provider to its handshake line, beside a Node that does nothing. */
export const measureStartUp = async (
  { quick, log, report }: BenchContext,
  providerFolder: string,
): Promise<void> => {
  const count = quick ? 5 : 15
  log(`start-up: ${count} rounds`)
  const environment = {
    PATH: nodeFirst(),
    TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
    PLUGIN_PROTOCOL_VERSIONS: '5,6',
    PLUGIN_CLIENT_CERT: createCertificate(new Date()).pem,
  }
  const rounds = await takeTurns(count, {
    handshake: () => handshake(join(providerFolder, 'terraform-provider-service'), environment),
    empty: async () => {
      const startedAt = performance.now()
      execFileSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
      return performance.now() - startedAt
    },
  })
  const handshakes = rounds.map((round) => round.handshake)
  const empties = rounds.map(({ empty }) => empty)
  report({ figure: 'start_up_wall', runs: handshakes, unit: 'ms' })
  report({ figure: 'start_up_empty_wall', runs: empties, unit: 'ms' })
  report({ figure: 'start_up_to_empty', runs: ratios(handshakes, empties), unit: 'ratio' })
}

/** A PATH on which the provider finds the Node of the bench. */
export const nodeFirst = (): string => `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`

const handshake = async (program: string, environment: NodeJS.ProcessEnv): Promise<number> => {
  const from = performance.now()
  const child = spawn(program, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const ms = performance.now() - from
  child.kill('SIGTERM')
  await exited
  if (!String(line).startsWith('1|6|')) throw new Error(`not a handshake: ${line}`)
  return ms
}
