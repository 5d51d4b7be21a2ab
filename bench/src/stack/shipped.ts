import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchContext } from '../harness/run-bench.ts'
import { roundsOf } from '../harness/turns.ts'
import { withFolder } from '../harness/scope.ts'

const script = fileURLToPath(new URL('shipped-inside.ts', import.meta.url))

/** Without: a machine that reaches nothing. With: every name has an address that answers 200. */
const networks = ['without', 'with'] as const
export type ShippedQuestion = {
  folder: string
  network: (typeof networks)[number]
  starts: number
  /** Before it is at rest, and the time at rest that is measured. */
  restMs: number
}
/** One start, after the first, which fills an empty folder. */
export type ShippedStart = {
  readySeconds: number
  /** Proportional set size of all its processes. */
  memoryMib: number
  idleCpuPercent: number
  stopSeconds: number
  /** Requests of checks that the network answered in that time; 0 shows that it was away. */
  answered: number
}

/** `npm start` with the shipped catalog, in a network namespace of its own, with and without a network. */
export const measureShipped = ({ quick, log, report }: BenchContext): Promise<void> =>
  withFolder(async (parent) => {
    for (const network of networks) {
      const restMs = quick ? 10_000 : 60_000
      log(`npm start ${network} a network, the shipped catalog`)
      const folder = `${parent}/${network}`
      const starts = await inNamespace({ folder, network, starts: roundsOf(quick), restMs })
      const context = { answered: starts.map(({ answered }) => answered) }
      for (const [name, of, unit, atMost] of [
        ['ready', (one: ShippedStart) => one.readySeconds, 's', 3.5],
        ['memory', (one: ShippedStart) => one.memoryMib, 'MiB', 500],
        ['idle_cpu', (one: ShippedStart) => one.idleCpuPercent, '% of a core', 4],
        ['stop', (one: ShippedStart) => one.stopSeconds, 's', 2],
      ] as const) {
        report({ figure: `shipped_${network}_${name}`, runs: starts.map(of), unit, aim: { atMost }, context })
      }
    }
  })

const inNamespace = async (question: ShippedQuestion): Promise<ShippedStart[]> => {
  const rights = process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']
  const args = [...rights, process.execPath, script, JSON.stringify(question)]
  const { stdout } = await promisify(execFile)('unshare', args)
  // one JSON text, by the script beside this file
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ShippedStart[]
}
