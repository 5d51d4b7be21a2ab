import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createCertificate } from '@probe-mesh/terraform/protocol/handshake/certificate'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'

const rounds = 15
const roundsQuick = 5

/** From the start of a provider to the line that Terraform waits for, beside a Node that does nothing. */
export const measureStartUp = async (
  { quick, say, report }: BenchContext,
  providerFolder: string,
): Promise<void> => {
  const count = quick ? roundsQuick : rounds
  say(`start-up: ${count} rounds`)
  const environment = {
    PATH: nodeFirst(),
    TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
    PLUGIN_PROTOCOL_VERSIONS: '5,6',
    PLUGIN_CLIENT_CERT: createCertificate(new Date()).pem,
  }
  const [handshakeMs, emptyMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < count; round++) {
    const from = performance.now()
    execFileSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
    emptyMs.push(performance.now() - from)
    handshakeMs.push(
      await handshake(join(providerFolder, 'terraform-provider-service'), environment),
    )
  }
  report({ figure: 'start_up_wall', value: median(handshakeMs), unit: 'ms' })
  report({ figure: 'start_up_empty_wall', value: median(emptyMs), unit: 'ms' })
  const ratios = handshakeMs.map((ms, round) => ms / (emptyMs[round] ?? Number.NaN))
  report({ figure: 'start_up_to_empty', value: median(ratios), unit: 'ratio' })
}

/** The Node of the bench is also the provider's. */
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
